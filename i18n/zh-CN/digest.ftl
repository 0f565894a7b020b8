### The Simplified Chinese texts of the digest.

since = 始于
sinceAway = 上次查看时
sinceTime = 其他时间…
show = 显示
# $count (number)
notificationCount = { $count } 条通知
# $items (number), $threads (number), $sources (number), $when (string)
digestTotals = { BEFORE($when) }以来，{ $sources } 个来源的 { $threads } 个会话中有 { $items } 条通知
# $unread (string), $high (number)
digestStates =
    { GIVEN($unread) ->
        [no] 全部已读
       *[yes] { $unread }
    }{ $high ->
        [0] { "" }
       *[other] ，{ $high } 条高优先级
    }
# $when (string)
digestShortened = 无法在这里显示全部内容。{ BEFORE($when) }之前的通知在收件箱中
digestEmpty = 没有新内容
digestDone = 已全部归档
# $when (string)
digestEmptyHint = { BEFORE($when) }以来收件箱中没有待处理的通知
newByHour = 按小时
newByDay = 按天
# $items (number), $by (choice)
digestMost =
    { $by ->
        [hour] 单小时最多 { $items } 条
       *[day] 单日最多 { $items } 条
    }
people = 人员
# $count (number)
andMorePeople = 还有 { $count } 人
# $count (number)
andMoreThreads = 还有 { $count } 个会话
archiveAll = 全部归档
# $name (string)
archiveAllOf = 归档来自{ AROUND($name) }的全部内容
