### The Simplified Chinese texts of the inbox.

## Names

announcement = 公告
announcements = 公告
you = 我
thisComputer = 本机
senderAndText = { $name }：{ $text }

## Questions

questionAnswered =
    { GIVEN($by) ->
        [no] 你回答了“{ $answer }”
       *[yes] { BEFORE($by) }回答了“{ $answer }”
    }
questionUnanswered =
    { GIVEN($default) ->
        [no] 没有人及时回答
       *[yes] 没有人及时回答，按“{ $default }”处理
    }
answerLate = 你的回答“{ $answer }”太晚了
answerClosed = 此问题已结束，你的回答未发送。条目中显示了有效的回答
answerNotOffered = 此问题没有该选项，未发送任何内容。选择其中一个回答

## Items

yours = 你的{ AFTER($kind) }
items =
    { $count } { $action ->
        [comment] 条评论
        [reply] 条回复
        [like] 次喜欢
        [favourite] 次喜欢
        [hate] 次踩
        [vote] 票
        [update] 次更新
        [mention] 次提到
        [follow] 次关注
        [share] 次分享
        [assign] 次分配
        [reblog] 次转发
        [follow_request] 个关注请求
        [announcement] 条公告
       *[other] 条通知
    }
new = { $count } 条新内容
verbs =
    { $action ->
        [create] 创建了它
        [comment] 评论了
        [reply] 回复了
        [like] 喜欢
        [hate] 踩了
        [vote] 投票给了它
        [mention] 提到了你
        [follow] 关注了
        [share] 分享了
        [assign] 分配给了你
        [favourite] 喜欢
        [reblog] 转发了
        [reaction] 回应了
        [quote] 引用了你
        [follow_request] 请求关注你
        [status] 发布了
        [update] 编辑了
        [quoted_update] 编辑了
       *[other] { "" }
    }
plainLongMarkdown = 内容很长，以纯文本显示开头部分
plainLong = 内容很长，只显示开头部分
plainDeep = 引用或列表嵌套太深，以纯文本显示
plainManyParts = 需要排版的部分太多，以纯文本显示

## Groups and messages

members = { $count } 人
joined = { BEFORE($who) }加入了群组
left = { BEFORE($who) }离开了群组
renamed = 群组已改名为“{ $name }”
messageRefused =
    { $status ->
        [403] { GIVEN($peer) ->
            [no] 你已不在这个聊天中
           *[yes] 你不能给此人写消息
        }
        [404] { GIVEN($peer) ->
            [no] 此群组已不存在
           *[yes] 没有用户 { $peer }
        }
        [413] 消息太长
       *[other] 服务器拒绝了这条消息（{ $status }）
    }
fileRefusal =
    { $status ->
        [file] 文件的副本已不在本机。丢弃此消息，然后重新添加文件
        [413] { GIVEN($limit) ->
            [no] 文件超过服务器的上限
           *[yes] 文件超过服务器的上限（{ $limit }）
        }
        [415] 服务器不接受文件
        [507] 服务器现在没有空间存放你的文件。等旧文件过期后重试
       *[other] { "" }
    }
composeBadName = “{ $name }”不是用户名。用户名只含字母、数字、点、_ 和 -
composeUnknown =
    { GIVEN($names) ->
        [no] { BEFORE($source) }上没有其中的某些用户。未发送任何内容，消息还在这里
       *[yes] { BEFORE($source) }上没有用户 { LIST($names, between: "、") }。未发送任何内容，消息还在这里
    }
composeNoGroups = { BEFORE($source) }没有群组。改为写给一个人
composeGroupOffline = 无法连接{ AFTER($source) }，未创建群组。消息还在这里，恢复连接后再发送
composeGroupPaused = { BEFORE($source) }已暂停，未创建群组。消息还在这里，恢复来源后再发送
composeRefused =
    { $status ->
        [403] { BEFORE($source) }不允许你新建聊天。消息还在这里
        [413] 消息太长，还在这里。缩短后再发送
       *[other] { BEFORE($source) }拒绝了这条消息（{ $status }）。消息还在这里
    }
groupOffline = 无法连接{ AFTER($source) }，群组没有改变。恢复连接后重试
groupPaused = { BEFORE($source) }已暂停，群组没有改变。恢复来源后重试
groupUnknown =
    { GIVEN($user) ->
        [no] { BEFORE($source) }上已没有这个群组
       *[yes] { BEFORE($source) }上没有用户 { $user }，或其已离开群组。没有任何改变
    }
groupNotOwner = 只有群主可以这样做。没有任何改变
groupUnsupported = { BEFORE($source) }的服务器版本太旧，不支持此操作。没有任何改变
groupRefused = { BEFORE($source) }拒绝了更改（{ $status }）。没有任何改变

## What the reader published

publishedOffline = 无法连接{ AFTER($source) }，没有任何改变。恢复连接后重试
publishedPaused = { BEFORE($source) }已暂停，没有任何改变。恢复来源后重试
publishedUnknown = { BEFORE($source) }上已没有此条目，或不允许你更改它。没有任何改变
subscriptionRefused = { BEFORE($source) }拒绝更改“{ $thread }”的订阅，订阅没有改变。检查令牌是否有此权限

## Search

queryDate = “{ $token }”不是日期。输入日期（如 2026-11-01）、月份（如 2026-11）或年份（如 2026）。
queryState = “{ $token }”不是状态。在“是:”后输入未读、静默、已读、置顶、已推迟、完成、静音、已合并、已关闭或机器人。
queryKind = “{ $token }”不是类型。在“类型:”后输入公告、动态或消息。
queryPriority = “{ $token }”不是优先级。在“优先级:”后输入 1 到 5 的数字。
queryHas = 无法搜索“{ $token }”。在“带有:”后输入附件或链接。

## Errors

errorNotFound = 它已不在这里。
errorInvalid = 无法执行此操作。
errorStorage = 本机的收件箱没有应答。没有任何改变。
errorLink = Tidings 只能打开网页和邮件地址。
errorOpen = 本机上没有程序能打开它。
errorTooOften = 操作过于频繁。过一分钟再试。
