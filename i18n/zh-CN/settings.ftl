### The Simplified Chinese texts of the settings.

cancel = 取消
leaveTitle = 离开而不保存？
leaveText = 在这里做的更改不会保留。
leave = 离开
edit = 编辑
editMenu = 编辑…
remove = 移除
removeMenu = 移除…
name = 名称
# $value (number)
priorityName =
    { $value ->
        [1] 最低 (1)
        [2] 较低 (2)
        [3] 普通 (3)
        [4] 重要 (4)
       *[other] 紧急 (5)
    }

server = 本机服务器

exportSettings = 导出设置
exportSettingsHint = 设置、规则、已保存的搜索和来源，不含令牌
exportMenu = 导出…
importSettings = 导入设置
importSettingsHint = 用文件中的设置替换当前设置

# $value (number)
percent = { $value }%
zoom = 缩放
# $larger (string), $smaller (string), $reset (string)
zoomHint = 缩放整个窗口。按 { $larger } 放大，按 { $smaller } 缩小，按 { $reset } 复原
textSize = 文字大小
textSizeHint = 只改变文字，不改变图片和图标
followsDesktop = 动效和对比度跟随系统

testRow = 测试通知
testRowHint = 发送一条真实通知，并显示桌面的回应
toastsInFocus = 此窗口处于活动状态时也显示弹窗
toastsInFocusHint = 关闭后，新通知只显示在列表中
keepRunning = 关闭窗口后继续运行
keepRunningHint = 在托盘中运行；没有托盘时在后台运行。再次启动 Tidings 可打开窗口
desktopSearch = 在桌面搜索中显示结果
desktopSearchHint = 用于 GNOME 和 Plasma。打开后，你运行的其他程序也能读取搜索结果
globalShortcut = 在任何应用中显示或隐藏此窗口
globalShortcutOff = 未设置
setGlobalShortcut = 设置快捷键…
removeGlobalShortcut = 关闭
globalUnusable = 快捷键须包含 Ctrl、Alt 或 Super
# $keys (string or null)
globalNow =
    { GIVEN($keys) ->
        [no] 没有显示或隐藏窗口的快捷键
       *[yes] { $keys } 显示或隐藏窗口
    }

keysNote = 几乎所有快捷键都可以更改。输入文字时，单字母快捷键不起作用
changeKeys = 更改快捷键…
# $name (string)
changeKeysOf = 更改快捷键：{ $name }
# $name (string)
keysFor = 快捷键：{ $name }
# $name (string), $keys (list)
keysNow =
    { GIVEN($keys) ->
        [no] { $name }：没有快捷键
       *[yes] { $name }：{ LIST($keys, between: "、") }
    }
changeMenu = 更改…
# $key (string)
changeWay = 更改 { $key }
# $key (string)
removeWay = 移除 { $key }
addKeys = 添加快捷键…
noKeys = 没有快捷键。命令面板中仍有此命令
pressKeys = 按下快捷键
pressKeysHint = 按 Esc 取消
orAnotherKey = 或再按一个键，组成按键序列
keyUnusable = 无法使用这些按键。尝试其他按键
# $key (string)
keyReserved = 无法更改 { $key }：对话框、菜单和输入框需要它
keyStays = 固定
# $key (string), $names (list)
keyTaken = { $key } 已用于“{ LIST($names, between: "”、“") }”
# $names (list)
keyAlso = 也用于“{ LIST($names, between: "”、“") }”
swapKeys = 交换
takeKeys = 改用于此命令
resetKeys = 恢复默认
resetAllKeys = 默认快捷键
resetAll = 全部恢复默认
noKeysChanged = 没有更改任何快捷键
# $count (number)
keysChanged = { $count } 个命令的快捷键已更改
allKeysReset = 所有快捷键已恢复默认
keysBack = 你的快捷键已恢复

# $version (string)
newerVersion = Tidings { $version } 已发布
aboutNewerVersion = 新增内容
tellNewerVersion = 提示新版本
tellNewerVersionHint = 每天读取一次版本列表，不会自动安装
dataFolder = 数据文件夹
logFolder = 日志文件夹
diagnosisHint = 检查桌面、磁盘、服务器和每个来源，并说明如何解决问题
diagnosisReport = 报告
diagnosisReportHint = 可发送给他人。其中不含令牌，来源以主机名表示
diagnosing = 正在检查本机
diagnoseAgain = 重新检查
findingStates =
    .well = 正常
    .limited = 部分可用
    .trouble = 不可用
openFolder = 打开文件夹

addSource = 添加来源
addMenu = 添加…
add = 添加
type = 类型
address = 地址
addressMissing = 输入地址
token = 令牌
tokenHint = 如果桌面有密钥环，则保存在其中
tokenMissing = 输入令牌
sourceNameHint = 留空则使用主机名
sourceTitleHint = 留空则使用订阅源的标题
test = 测试
testing = 正在测试
# $name (string)
added = 已添加“{ $name }”
signInMenu = 登录…
# $name (string)
signInTo = 登录{ AFTER($name) }
signInNow = 登录
editSourceMenu = 编辑…
# $name (string)
editSourceTitle = 编辑“{ $name }”
editTokenHint = 留空则保留已保存的令牌
nameMissing = 输入名称
# $name (string)
sourceMenu = 更多：{ $name }
sourceOwnServer = 服务器设置
sourceKept = 已移除。其通知已保留
# $name (string)
removeTitle = 移除“{ $name }”？
removeSourceText = Tidings 不再从它获取内容，并删除其令牌。浏览器登录也会在服务器上失效；服务器上的其他内容不变。
removeKeptText = 其通知将从本机删除。
keepBrought = 保留其通知
deleteBrought = 删除其通知
# $name (string)
removed = 已移除“{ $name }”
notifyWith = 提醒方式
notifyToast = 弹窗和角标
notifyBadge = 仅角标
notifyNothing = 不提醒
fromPriority = 最低优先级
showIcons = 发送者图标
showIconsHint = 从发送者的服务器获取，该服务器会看到你的请求。关闭后，可在条目的菜单中逐个显示
fromPriorityHint = 较低优先级的通知只列出，不计数
# $value (number)
priorityAsAll = 同“通知”：{ priorityName }
sound = 声音
whichSound = 提示音
# $name (string)
soundOf = 声音：{ $name }
soundOfPriority =
    .low = 低优先级的声音
    .normal = 普通优先级的声音
    .high = 高优先级的声音
    .urgent = 紧急时的声音
soundNames =
    .message-new-instant = 新消息
    .bell = 铃声
    .complete = 完成
    .dialog-information = 信息
    .dialog-warning = 警告
    .dialog-error = 错误
    .alarm-clock-elapsed = 闹钟
soundSilent = 无声
soundFile = 文件…
soundByPriority = 按优先级
soundAsSource = 与来源相同

toastsRow = 弹窗
preview = 在弹窗中显示内容
previewHint = 关闭后，弹窗只显示数量和来源
toastClick = 点击弹窗时打开
toastClickHint = 打开链接会标为已读。如果没有链接，则打开会话
toastClickThread = Tidings 中的会话
toastClickLink = 通知中的链接
earlyWake = 稍后提醒的会话提前返回
earlyWakeHint = 收到新内容时
quietSection = 免打扰
quietNothing = 当前未处于免打扰状态。收到新通知会显示弹窗
untilEnded = 直到手动结束
whyPaused = 已暂停
whySource = 已静音的来源
# $source (string)
whyOrigin = 已静音，来自{ AFTER($source) }
# $source (string)
whyThread = “{ $source }”中已静音的会话
endQuiet = 结束
# $name (string)
endQuietOf = 结束：{ $name }
quietHoursEnded = 本次免打扰已结束
# $count (number)
moreMuted = 另有 { $count } 个已静音的会话
quietSchedules = 时间安排
addQuiet = 添加免打扰时段
addQuietCalendar = 日历忙碌时免打扰
# $host (string)
quietWhileBusy =
    { GIVEN($host) ->
        [no] 日历忙碌时
       *[yes] { $host } 上的日历忙碌时
    }
quietCalendar = 日历的地址
quietCalendarHint = iCal（ICS）格式的私密地址。空闲和已取消的日程不计入
whyCalendar = 日历中显示忙碌
# $trouble (choice)
calendarTrouble =
    { $trouble ->
        [address] 输入以 https:// 或 webcal:// 开头的地址
        [offline] 无法读取日历：没有网络。使用已知的日程
        [no_answer] 无法读取日历：服务器没有应答。使用已知的日程
        [refused] 无法读取日历：服务器拒绝了请求。检查地址
        [no_calendar] 此地址没有 ICS 格式的日历
       *[too_large] 日历太大，无法读取
    }
noQuiet = 未设置免打扰，随时会显示弹窗
everyDay = 每天
weekdays = 工作日
weekends = 周末
# $from (string), $to (string)
dayRange = { $from }至{ $to }
# $days (list)
dayList = { LIST($days, between: "、") }
noDay = 未选择日期
# $from (string), $to (string), $overnight (boolean)
hours =
    { $overnight ->
        [true] { $from } 至次日 { $to }
       *[false] { $from } 至 { $to }
    }
# $days (string), $hours (string)
quietSummary = { $days }，{ $hours }
quietDays = 开始于
quietFrom = 从
quietTo = 到
# $example (string)
timeWrong = 输入时间，例如 { $example }
quietHolds = 对什么免打扰
quietEverything = 全部
# $names (list)
quietOnly =
    { GIVEN($names) ->
        [no] 仅对已移除的来源
       *[yes] 仅对 { LIST($names, between: "、") }
    }
passes = 仍显示弹窗
passesNothing = 无
# $value (number)
passesFrom =
    { $value ->
        [5] { priorityName }
       *[other] { priorityName } 及以上
    }
# $value (number or null)
passesText =
    { GIVEN($value) ->
        [no] 不显示任何弹窗
       *[yes] { passesFrom }仍显示弹窗
    }
quietRemoved = 已移除免打扰时段
notificationsAdvanced = 优先级、声音、点击弹窗后打开什么、稍后提醒的会话何时再次出现
