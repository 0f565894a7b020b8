### The Simplified Chinese texts of the settings of topics.

topicsLead = 为每个主题设置名称、图标和优先级
topicAdvanced = 谁可以发布和阅读、模板、密钥
addTopic = 添加主题…
noTopics = 尚未设置任何主题
noTopicsHint = 可以发布到任何主题。设置后，主题可以有名称、图标或模板，也可以限制谁能发布和阅读
# $name (string)
topicMenu = { BEFORE($name) }的更多操作
# $parts (list)
topicParts = { LIST($parts, between: " · ") }
# $priority (string)
topicFloor = 至少为{ $priority }
topicHasTemplate = 模板
# $users (list)
topicLimited =
    { GIVEN($users) ->
        [no] 任何人都不能发布
       *[yes] 只限 { LIST($users, between: "、") } 发布
    }
# $users (list)
topicReaders =
    { GIVEN($users) ->
        [no] 任何人都不能阅读
       *[yes] 只限 { LIST($users, between: "、") } 阅读
    }
# $names (list)
topicSigned = 需要 { LIST($names, between: "、") } 的签名
newTopic = 新主题
# $name (string)
editTopic = 编辑“{ $name }”
topicInvalid = 主题由 1 到 64 个字符组成：英文字母（A–Z、a–z）、数字、- 和 _
topicNameHint = 留空则使用主题名称
topicIcon = 图标的地址
topicIconHint = 用于没有图标的通知
priorityFloor = 最低优先级
noFloor = 不改变
topicExpect = 至少多久应收到一条通知
topicExpectHint = 如果在此时间内没有通知，会发送一条通知提醒。留空则不提醒
# $time (string)
topicExpects = 每 { $time }应有通知
# $n (number), $unit (choice)
shortTime =
    { $unit ->
        [86400] { $n } 天
        [3600] { $n } 小时
        [60] { $n } 分钟
       *[1] { $n } 秒
    }
whoPublishes = 谁可以发布
anybodyPublishes = 所有可以发布的用户
namedPublish = 只限这些用户
publishers = 发布者的用户名
# $owner (string or null)
publishersHint =
    { GIVEN($owner) ->
        [no] 用空格分隔用户名。没有令牌的程序会被拒绝
       *[yes] 用空格分隔用户名。在设置中新建的令牌属于“{ $owner }”；没有令牌的程序会被拒绝
    }
whoReads = 谁可以阅读
allUsersRead = 服务器的所有用户
readers = 阅读者的用户名
# $owner (string or null)
readersHint =
    { GIVEN($owner) ->
        [no] 用空格分隔用户名。新通知只发送给这些用户，已有的通知不变
       *[yes] 用空格分隔用户名。新通知只发送给这些用户；你在这里的收件箱属于“{ $owner }”
    }
publishersMissing = 至少输入一个用户名
# $name (string)
topicSaved = 已保存{ AFTER($name) }
# $name (string)
topicRemoveTitle = 移除{ AROUND($name) }的设置？
topicRemoveText = 其名称、模板、密钥和保留的请求内容会被删除。已发布的通知会保留，仍可发布到此主题。
# $name (string)
topicRemoved = 已移除{ AROUND($name) }的设置

## the template

template = 模板
templateHint = 用 Jinja 编写，用于未知发送者的 webhook。请求内容的字段即为变量。模板可设置通知的 title、url、priority、tags、thread 和 resolved
templateTrial = 用最近的请求内容试用
tryAgain = 检查新的请求内容
# $count (number)
triedCount = 已试用 { $count } 个请求内容
noPayloads = 还没有收到请求内容。用这行命令发送一个：
payloadsOf = 在上面输入主题后，会用它收到的请求内容试用模板
staleTrial = 这是出错之前的结果
unknownSender = 未知的发送者
# $by (choice)
triedBy =
    { $by ->
        [sender] 已知的发送者，不使用模板
        [template] 由模板生成
       *[json] 按原样显示，没有合适的模板
    }
# $why (string)
triedError = 模板出错：{ $why }
triedResolves = 会标为已读
# $count (number)
triedMore = 另有 { $count } 条
triedPayloads = 最近的请求内容的显示效果

## secrets

secrets = Webhook 的密钥
secretsHint = 设置后，主题只接受用它签名的 webhook。密钥设置后不再显示
# $sender (choice)
signingSender =
    { $sender ->
        [forgejo] Forgejo 或 Gitea
        [github] GitHub
        [gitlab] GitLab
        [grafana] Grafana
       *[sentry] Sentry
    }
# $sender (choice)
secretOf = { signingSender } 的密钥
secretSet = 已设置
secretGoes = 保存时移除
secretReplaced = 替换已设置的密钥
addSecret = 添加密钥
addSecretNone = 选择发送者
replaceSecret = 更换
# $sender (choice)
replaceSecretOf = 更换 { signingSender } 的密钥
# $sender (choice)
removeSecretOf = 移除 { signingSender } 的密钥
keepSecret = 保留
# $sender (choice)
keepSecretOf = 保留 { signingSender } 的密钥
secretMissing = 输入密钥，或保留现有密钥
