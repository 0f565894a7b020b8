### The Simplified Chinese texts of the digest that the window shows without opening it.

digest = 摘要
openDigest = 打开摘要
keyDigest = 打开摘要

# $span (string)
digestOf = 摘要，始于：{ $span }

# $items (number), $more (boolean), $when (string)
awayBanner = 离开期间：{ BEFORE($when) }以来有 { $items }{ PLUS($more) } 条新通知

# $time (string)
yesterdayAt = 昨天 { $time }

sinceEvening = 昨晚
sinceDay = 24 小时前
sinceDays = 3 天前
sinceWeek = 一周前

# $count (number)
didArchiveItems = 已归档 { $count } 条通知

# $count (number)
itemsAreBack = 已恢复 { $count } 条通知
