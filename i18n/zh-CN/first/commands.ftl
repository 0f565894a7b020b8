### The Simplified Chinese texts of commands, their results, the list of keys and the palette.

archive = 归档
unarchive = 取消归档
snooze = 稍后提醒
snoozeTo = 稍后提醒…
unsnooze = 取消稍后提醒
pin = 置顶
unpin = 取消置顶
markRead = 标为已读
markUnread = 标为未读
mute = 将此会话静音
unmute = 取消此会话的静音
muteForTime = 静音一段时间
# $span (string)
muteSpan = 静音{ $span }
# $name (string)
muteOrigin = 将来自“{ $name }”的全部静音
# $name (string), $span (string)
muteOriginSpan = 将来自“{ $name }”的全部静音{ $span }
# $name (string)
unmuteOrigin = 取消来自“{ $name }”的静音
theirServices = 各自的服务
# $service (string)
subscribeAt = 在 { $service } 上订阅
# $service (string)
unsubscribeAt = 在 { $service } 上取消订阅
# $service (string)
muteAt = 在这里和 { $service } 上静音
previous = 上一个
next = 下一个
more = 更多
back = 返回
open = 打开
# $host (string)
openHost = 在 { $host } 上打开
# $count (number)
openLinks = 打开 { $count } 个链接
# $threads (number)
noLink =
    { $threads ->
        [1] 此会话没有链接
       *[other] 这些会话没有链接
    }
# $count (number), $most (number)
tooManyLinks = 无法一次打开 { $count } 个链接，最多 { $most } 个
copyLink = 复制链接
# $host (string)
showIcon = 显示来自 { $host } 的图标
undo = 撤销

leaveSelection = 退出选择
# $count (number)
selected = 已选 { $count } 项
# $count (number), $place (string), $more (boolean)
allIn = { $place }全部 { $count }{ PLUS($more) } 个
# $count (number), $place (string), $more (boolean)
selectAllIn = 选择{ $place }全部 { $count }{ PLUS($more) } 个
# $count (number), $more (boolean)
threadsSelected = 已选择 { $count }{ PLUS($more) } 个会话
# $unread (number), $from (list)
selectedFrom =
    { $unread ->
        [0] 全部已读，来自{ LIST($from, between: "、", last: "和") }
       *[other] { $unread } 条未读，来自{ LIST($from, between: "、", last: "和") }
    }
# $name (string)
snoozeOne = 将“{ $name }”推迟到
# $count (number), $more? (boolean)
snoozeMany =
    { $count ->
        [1] 推迟到
       *[other] 将 { $count }{ PLUS($more) } 个会话推迟到
    }
inAnHour = 1 小时后
laterToday = 今天晚些时候
tomorrow = 明天
nextWeek = 下周
typedTime = 用文字输入时间
typedTimeHint = 周五 9 点、半小时后、12月3日
timeNotRead = 无法识别时间。可以输入“周五 9 点”或“半小时后”
# $when (string)
timeIsPast = { $when }已经过去
# $when (string)
timeIsToCome = { $when }还没有到
calendar = 选择时间…
previousMonth = 上个月
nextMonth = 下个月
timeOfDay = 时间
snoozeNote = 有新内容时会提前返回

# $count (number), $name (string or null)
theThreads =
    { GIVEN($name) ->
        [no] { " " }{ $count } 个会话
       *[yes] “{ $name }”
    }
# $what (string)
didArchive = 已归档{ $what }
# $what (string)
didUnarchive = 已取消归档{ $what }
# $what (string), $when (string)
didSnooze = 已将{ $what }推迟到{ AFTER($when) }
# $what (string)
didUnsnooze = 已取消{ $what }的稍后提醒
# $what (string)
didPin = 已置顶{ $what }
# $what (string)
didUnpin = 已取消置顶{ $what }
# $what (string)
didMute = 已静音{ $what }
# $what (string), $when (string)
didMuteUntil = 已静音{ $what }到{ AFTER($when) }
# $what (string)
didUnmute = 已取消静音{ $what }
# $what (string), $service (string)
didSubscribe = 已在 { $service } 上订阅{ $what }
# $what (string), $service (string)
didUnsubscribe = 已在 { $service } 上取消订阅{ $what }
# $what (string), $service (string)
didMuteAt = 已在这里和 { $service } 上静音{ $what }
# $what (string)
didDelete = 已删除{ $what }
# $what (string)
didRead = 已将{ $what }标为已读
# $what (string)
didUnread = 已将{ $what }标为未读
didReadAll = 已全部标为已读
notifyChanged = 已更改此会话的通知设置
# $who (string), $what (string)
whoAndWhat = { $who }：{ $what }
# $what (string)
undone = 已撤销：{ $what }
# $count (number), $what (string)
areBack = 已恢复{ $what }
# $what (string)
wouldUndo = 将撤销：{ $what }
nothingToUndo = 没有可撤销的操作
nothingUnread = 这里没有未读的会话
nothingNew = 没有新内容
allWereRead = 这里的内容已全部读过
linkCopied = 链接已复制

keys = 快捷键
close = 关闭
keyThreads = 会话
keyPlaces = 位置
keyWindow = 窗口
keyNext = 下一个会话
keyPrevious = 上一个会话
keyOpen = 在阅读窗格中打开
keyNextItem = 会话中的下一条
keyPreviousItem = 会话中的上一条
keyAnswer = 按选项编号回答问题
keyOpenLink = 在浏览器中打开链接
keyOpenLinkBehind = 在后台打开链接
keyArchive = 归档或取消归档
keyUnread = 标为已读或未读
keySnooze = 稍后提醒
keyPin = 置顶
keyMute = 将会话静音
keyMuteThere = 在这里和来源网站上静音
keySubscription = 在来源网站订阅或取消订阅
keyAttach = 添加文件
keySelect = 选择
keyExtend = 扩展选择
keyExtendUp = 向上扩展选择
keyPageDown = 列表下一页
keyPageUp = 列表上一页
keyMoveSavedUp = 上移已保存的搜索
keySelectAll = 选择所有符合条件的会话
keyUndo = 撤销
keyFirst = 第一个会话
keyLast = 最后一个会话
keyMenu = 打开会话或位置的菜单
keyRename = 重命名已保存的搜索
keyMoveSaved = 移动已保存的搜索
keyRemoveSaved = 移除已保存的搜索
# $name (string)
renameSearch = 重命名“{ $name }”…
# $name (string)
removeSearchOf = 移除“{ $name }”
keyFresh = 前往新内容
keyNextUnread = 下一个未读
keyPreviousUnread = 上一个未读
keySearch = 搜索
keyHelp = 快捷键
keyPalette = 命令、位置和会话
keyPane = 下一个或上一个窗格
keyPage = 向下翻页，到底后转到下一个会话
keyAllRead = 将这里全部标为已读
keyPull = 立即检查
readAgain = 重试
keySettings = 设置
keyThen = 再按
keyOr = 或
keyEscape = 返回上一步

commands = 命令
paletteHint = 查找命令、位置或会话
lastUsed = 最近使用
choose = 选择
run = 执行
toClose = 关闭
searchAllWith = 搜索全部通知：按
# $place (string)
markAllReadIn = 将{ $place }全部标为已读
# $format (string)
exportOf = 导出为 { $format }…
quit = 退出 Tidings
# $name (string)
settingsOf = 设置：{ $name }
# $name (string)
useTheme = 主题：{ $name }
# $name (string)
useDensity = 密度：{ $name }
# $name (string)
useLanguage = 语言：{ $name }
# $span (string)
pauseToastsFor = 暂停弹窗{ $span }
# $unread (number)
conversationWith =
    { $unread ->
        [0] 聊天
       *[other] 聊天，{ $unread } 条未读
    }
# $source (string), $day (string)
sourceAndDay = { $source }，{ $day }
source = 来源
failed = 操作失败
