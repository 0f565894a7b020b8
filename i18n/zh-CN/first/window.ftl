### The Simplified Chinese texts of the window: places, the list, the sync status, the first steps.

# $value (number)
number = { $value }

places = 位置
search = 搜索
inbox = 收件箱
unread = 未读
pinned = 置顶
snoozed = 稍后提醒
done = 已完成
announcements = 公告
activity = 动态
conversations = 聊天
sources = 来源
thisComputer = 本机
savedSearches = 已保存的搜索
savedSearch = 已保存的搜索
rename = 重命名…
editSearch = 编辑搜索…
removeSearch = 移除
openPlace = 打开
resumeSource = 继续
resizePlaces = 位置栏宽度
resizeList = 列表宽度

today = 今天
yesterday = 昨天
thisWeek = 本周
earlier = 更早

isUnread = 未读
urgent = 紧急
high = 重要
waitsToBeSent = 待发送
isMuted = 已静音
# $when (string)
isMutedUntil = 静音到{ AFTER($when) }
isQuiet = 静默
isPinned = 已置顶
# $count (number)
manyUnread = { $count } 条未读
# $count (number)
manyQuiet = { $count } 条静默
# $unread (number), $quiet (number)
unreadCount =
    { $unread ->
        [0] { $quiet ->
            [0] { "" }
           *[other] { $quiet } 条静默
        }
       *[other] { $quiet ->
            [0] { $unread } 条未读
           *[other] { $unread } 条未读，{ $quiet } 条静默
        }
    }
# $count (number), $quiet (number)
unreadThreads =
    { $count ->
        [0] { $quiet ->
            [0] { "" }
           *[other] { $quiet } 条静默
        }
       *[other] { $quiet ->
            [0] { $count } 个未读会话
           *[other] { $count } 个未读会话，{ $quiet } 条静默
        }
    }
# $place (string), $count (string)
placeAndCount = { $place }：{ $count }
quietHint = 未读，但不计入角标：已静音或优先级较低。点击可只显示这些
# $when (string)
isSnoozedUntil = 已推迟到{ AFTER($when) }

ready = 已就绪
upToDate = 已是最新
offline = 离线
starting = 正在启动
pulling = 正在获取
# $done (number), $of (number)
pullingOf = 正在获取 { $done } / { $of }
# $who (string), $seconds (number)
retrying =
    { $seconds ->
        [0] { $who }：正在重试
       *[other] { $who }：{ $seconds } 秒后重试
    }
# $who (string), $seconds (number)
goingOn =
    { $seconds ->
        [0] { $who }：正在继续
       *[other] { $who }：{ $seconds } 秒后继续
    }
# $who (string)
signIn = { BEFORE($who) }需要登录
needsSignIn = 需要登录
isPaused = 已暂停
isRetrying = 正在重试
isEnded = 已达获取上限
# $when (string)
quietUntil = 免打扰至{ AFTER($when) }
quiet = 免打扰
doNotDisturb = 勿扰模式
doNotDisturbHint = 桌面的勿扰模式已打开。要查看弹窗，在桌面上关闭它
toastsAgain = 已恢复显示弹窗
pauseEnded = 暂停已结束
resumeToasts = 恢复弹窗
sourceLive = 实时
sourceIdle = 已是最新
sourcePaused = 已暂停，不获取新内容
# $when (string)
sourcePausedSince = { BEFORE($when) }起已暂停，不获取新内容
sinceYesterday = 昨天
# $done (number)
sourcePulling = 正在获取，已收到 { $done } 条。最新的通知已在这里
# $done (number), $of (number)
sourcePullingOf = 正在获取 { $done } / { $of }。最新的通知已在这里
# $why (string), $seconds (number)
sourceRetrying =
    { $seconds ->
        [0] { $why }。正在重试
       *[other] { $why }。{ $seconds } 秒后重试
    }
# $why (string), $seconds (number)
sourceEnded =
    { $seconds ->
        [0] { $why }。正在继续
       *[other] { $why }。{ $seconds } 秒后继续
    }
# $when (string)
sourceSignIn = 需要登录。令牌已于{ AROUND($when) }被拒绝
# $items (number)
sourceSkipped = { $items } 条内容过大，未保存，仍在来源中
# $items (number), $msgids (list), $more (boolean)
sourceMalformed =
    { $items } 条内容无法读取，已跳过{ GIVEN($msgids) ->
        [no] { "" }
       *[yes] （{ LIST($msgids, between: "、") }{ $more ->
            [true] { " " }等
           *[false] { "" }
        }）
    }。其余内容均已收到。可以告知该来源的管理员

# $when (string or null), $marks (number), $messages (number)
offlineBanner =
    { GIVEN($when) ->
        [no] 离线。显示的是已有的内容
       *[yes] 离线。显示的是{ AROUND($when) }时的内容
    }{ $marks ->
        [0] { $messages ->
            [0] 。
           *[other] ；{ $messages } 条消息待发送。
        }
       *[other] { $messages ->
            [0] ；{ $marks } 个标记待发送。
           *[other] ；{ $marks } 个标记和 { $messages } 条消息待发送。
        }
    }
tryNow = 立即重试
notices = 提示
cannotShow = 无法显示内容
cannotShowThread = 无法显示此会话
dismiss = 关闭

suggestions = 建议
# $condition (string)
removeCondition = 移除 { $condition }
saveSearch = 保存此搜索…
nameOfSearch = 搜索名称
# $name (string)
searchSaved = 已存为“{ $name }”
# $name (string)
searchRemoved = 已移除“{ $name }”
filterAndGroup = 筛选与分组
filterBy = 只显示
groupBy = 分组
groupByDay = 按日期分组
groupBySource = 按来源分组
groupByThread = 不分组
byDay = 按日期
bySource = 按来源
notAtAll = 不分组
onlyUnread = 只显示未读
onlyQuiet = 只显示静默
quietItems = 未读且静默
# $source (string)
onlyFrom = 只显示{ $source }
onlyAttachment = 只显示有附件的会话
onlyLink = 只显示有链接的会话
onlyPriority = 只显示重要的会话
withAttachment = 有附件
withLink = 有链接
highPriority = 重要
isOn = 已开启
# $count (number), $more? (boolean)
threads = { $count }{ PLUS($more) } 个会话
nothingMatches = 没有符合条件的会话
nothingMatchesHint = 筛选隐藏了这里的其他会话
showAll = 全部显示

markAllRead = 全部标为已读
results = 结果
# $count (number), $more? (boolean)
resultCount = { $count }{ PLUS($more) } 个会话，从新到旧
nothingFound = 未找到会话
# $text (string)
nothingFoundHint = 没有会话包含“{ $text }”
didYouMean = 是不是要找
# $query (string), $count (number)
queryAndCount = “{ $query }”（{ $count }）
# $text (string), $queries (list)
nothingButMaybe = 未找到“{ $text }”。是不是要找“{ LIST($queries, between: "”、“") }”？
clear = 清除
# $count (number)
newItems = { $count } 条新内容
# $count (number)
newThreads = { $count } 个新会话
# $count (number)
newInThreads = { $count } 个会话有新内容
quickActions = 快捷操作
allRead = 全部已读
allReadHint = 这里没有未读内容
inboxEmpty = 全部完成
# $count (number), $more (boolean)
doneToday = 今天完成了 { $count }{ PLUS($more) } 个会话
inboxEmptyHint = 新通知会自动显示在这里
pinnedEmpty = 没有置顶的会话
pinnedEmptyHint = 置顶的会话会保留在这里
snoozedEmpty = 没有稍后提醒的会话
snoozedEmptyHint = 稍后提醒的会话会在你选择的时间回到收件箱
doneEmpty = 还没有已完成的会话
doneEmptyHint = 归档的会话保存在这里
conversationsEmpty = 还没有聊天
conversationsEmptyHint = 你与其他人的消息会显示在这里
writeToSomeone = 写消息
placeEmpty = 这里还没有内容
placeEmptyHint = 新通知会自动显示在这里

welcomeTitle = 还没有通知
welcomeLead = 能运行 curl 的程序都能给你发通知。在终端中试一下：
welcomeLeadNoServer = 来自各来源的通知会自动显示在这里。
curlText = 备份完成
listening = 正在本机监听。第一条通知会显示在收件箱中。
autostart = 登录时启动
autostartHint = 在托盘中启动，不打开窗口
everyKey = 每个命令都有快捷键
everyKeyHint = 先从这三个开始
closeWelcome = 关闭此页
welcomeStays = 之后可在“设置”的“关于”中找到

settings = 设置
general = 通用
appearance = 外观
keyboard = 键盘
firstSteps = 入门
firstStepsHint = 发送第一条通知，添加来源
about = 关于
advanced = 高级
toastsOn = 收到通知时显示弹窗
pauseMenu = 暂停弹窗…
pauseFor = 暂停弹窗
forAnHour = 一小时
untilTomorrow = 到明天
untilResumed = 直到手动恢复
untilUnmuted = 直到取消静音
language = 语言
languageSystem = 跟随系统
theme = 外观
themeSystem = 跟随系统
themeLight = 浅色
themeDark = 深色
density = 密度
densityHint = 列表中各行的间距
comfortable = 宽松
compact = 紧凑
version = 版本
aboutLead = 所有通知，一个收件箱，离线可用
licences = Tidings：MIT 许可证。图标：Lucide，ISC 许可证
noSources = 没有来源
