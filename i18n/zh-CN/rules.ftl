### The Simplified Chinese texts of rules.

addRule = 添加规则
rulesHint = 将新通知静音、归档、标为已读、置顶或调整优先级
noRules = 没有规则
noRulesHint = 可在此添加，也可从会话的菜单中添加
rulesOrder = 规则从上到下依次执行。后面的规则会看到前面的规则设定的优先级。
dragRule = 拖动以移动
# $today (number), $days (number)
ruleDid =
    { $today ->
        [0] 近 14 天 { $days } 条
       *[other] 今天 { $today } 条，近 14 天 { $days } 条
    }
ruleDidNothing = 近 14 天未执行
ruleDidMenu = 查看执行记录…
# $name (string)
ruleDidTitle = “{ $name }”的执行记录
ruleDidDays = 每天的通知数
ruleDidLast = 最近的通知
ruleDidNone = 规则对新通知起作用。
ruleDidGone = 这些通知都已不在这里。
# $did (list), $when (string)
ruleActed = { LIST($did, between: "、", last: "并") } · { $when }
newRule = 新规则
editRule = 编辑规则
ruleNameHint = 留空则按操作自动命名
ruleWhen = 如果满足以下所有条件
ruleThen = 则
addCondition = 添加条件
addAction = 添加操作
any = 任意
messages = 消息
actor = 谁
actorHint = 完整的 ID 或名称
target = 关于
targetHint = 对象的 ID 或标题、主题或仓库
reason = 原因
reasonHint = 发生了什么：comment、mention、review-requested
ruleTerms = 词语
ruleTermsHint = 须全部出现在标题或正文中。用 "…" 表示短语
ruleTags = 标签
ruleTagsHint = 含有其中任意一个即可
# $text (string)
ruleNoSource = 没有名为“{ $text }”的来源
lowestPriority = 最低优先级
highestPriority = 最高优先级
thenMute = 将会话静音
thenArchive = 归档
thenRead = 标为已读
thenReadHint = 在聊天和公告中，仅当之前的内容都已读时才标记。发送者会看到已读状态。
thenPin = 将会话置顶
thenNoToast = 不弹窗
thenPriority = 优先级
priorityStays = 不变
# $up (boolean), $steps (number)
priorityBy =
    { $up ->
        [true] 提高 { $steps } 级
       *[false] 降低 { $steps } 级
    }
ruleNoWhen = 至少设置一个条件
ruleNoThen = 至少选择一个操作
rulePriorities = 最低优先级高于最高优先级
tryRule = 试运行
trying = 正在试运行
# $matches (number), $of (number)
trial =
    { $matches ->
        [0] 最新的 { $of } 条中没有符合的
       *[other] 最新的 { $of } 条中有 { $matches } 条符合
    }
trialRows = 符合的最新会话
removeRuleText = 它所做的更改会保留。
# $name (string)
ruleMenu = 更多：{ $name }
applyHere = 同时应用到已有通知
applyHereHint = 最新 10,000 条中符合条件的将被归档、标为已读、置顶或静音。可以撤销
ruleSaved = 规则已保存
# $when (list), $then (list)
ruleSentence = { LIST($when, between: "，") }：{ LIST($then, between: "、", last: "并") }
ruleKind =
    .announcement = 公告
    .reminder = 动态
    .message = 消息
ruleEverything = 全部
# $source (string)
ruleFrom = 来自{ AFTER($source) }
ruleSourceGone = 已移除的来源
# $who (string)
ruleBy = 由{ AROUND($who) }发出
# $what (string)
ruleAbout = 关于{ AFTER($what) }
# $what (string)
ruleReason = 原因为“{ $what }”
# $tags (list)
ruleTagged = 标签为 { LIST($tags, between: "、", last: "或") }
# $text (string)
ruleWith = 含“{ $text }”
# $from (number), $to (number)
rulePriority =
    { $to ->
        [5] 优先级 { $from } 及以上
       *[other] { $from ->
            [1] 优先级 { $to } 及以下
           *[other] 优先级 { $from } 至 { $to }
        }
    }
# $priority (number)
rulePriorityIs = 优先级为 { $priority }
doMute = 静音
doArchive = 归档
doRead = 标为已读
doPin = 置顶
doNoToast = 不弹窗
# $up (boolean), $steps (number)
doPriority =
    { $up ->
        [true] 优先级提高 { $steps } 级
       *[false] 优先级降低 { $steps } 级
    }
doNothing = 不执行任何操作
