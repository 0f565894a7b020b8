### The Simplified Chinese texts of the settings, the topics and publishing that the window names as well.

## settings

save = 保存
moveUp = 上移
moveDown = 下移

# $name (string), $place (number), $of (number)
moved = { $name }：第 { $place } 个，共 { $of } 个

notifications = 通知
rules = 规则
storage = 存储
storageMenu = 存储…
aboutMenu = 关于…
serverMenu = 服务器设置…

# $text (string), $path (string)
fileAt = { $text }：{ $path }

# $value (number)
zoomIs = 缩放 { $value }%

zoomIn = 放大
zoomOut = 缩小
zoomReset = 缩放恢复到 100%

# $value (number)
useTextSize = 文字大小：{ $value }%

sendTestNotification = 发送测试通知
sendingTest = 正在等待桌面回应
diagnosis = 诊断
addASource = 添加来源
pauseSource = 暂停
muteSource = 静音
unmuteSource = 取消静音
muted = 已静音
sounds = 声音
quietNow = 当前免打扰

# $when (string)
untilWhen = 到{ AFTER($when) }

# $source (string)
showsToasts = “{ $source }”现在会显示弹窗

quietHours = 免打扰

## sources

otherPrograms = 其他程序
noise = 通知统计
proxy = 代理
certificates = 证书
importCommand = 导入来源…

## topics

topics = 主题

## publish

publish = 发布
publishTitle = 发布到主题
publishOnTopic = 发布到主题…

# $topic (string)
publishOn = 发布到“{ $topic }”…

## rules

makeRule = 用此会话创建规则…

# $count (number)
ruleApplied =
    { $count ->
        [0] 规则已保存，已有的通知无需更改
       *[other] 规则已保存，并用于 { $count } 个会话
    }

# $count (number)
ruleTakenBack = 已撤销对 { $count } 个会话的更改，规则仍然保留

## storage

repair = 修复
repairing = 正在修复
mendClock = 修正时间
mendingClock = 正在修正时间
clockMended = 时间已修正。全部内容会重新获取一次

exportFormats =
    .json = JSON
    .csv = CSV 表格
    .mbox = mbox，供邮件程序使用

backupMenu = 备份…
port = 端口
tokens = 令牌
users = 此服务器上的用户
