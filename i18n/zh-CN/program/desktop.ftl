### The Simplified Chinese texts of what the desktop does.

## A test notification

testTitle = Tidings
testBody = 一条测试通知
testShown = 桌面已显示
testQuiet = 免打扰至 { $time }。通知已在收件箱，届时会显示弹窗
testPaused = 弹窗已暂停。通知已在收件箱，恢复弹窗后会显示
testDoNotDisturb = 未显示：桌面的勿扰模式已打开。要查看弹窗，在桌面上关闭它
testInFocus = 此窗口处于活动状态时不显示弹窗。通知已在收件箱
testNoDaemon = 此桌面没有通知服务。启动一个通知服务，例如 dunst。Tidings 会自动找到它
testRefused = 通知服务拒绝了此通知。原因见日志
testSource = 未显示：“本机”的弹窗已关闭，或对此优先级已关闭。可在“设置”的“来源”中更改
testNothing = 没有出现弹窗。规则或会话的通知设置阻止了它

## In the background

backgroundTitle = Tidings 在后台继续运行
backgroundBody =
    再次启动可打开窗口{ GIVEN($keys) ->
        [no] { "" }
       *[yes] ，或按 { $keys }
    }。可在“设置”的“通用”中更改。

## Outages

outageTitle = 无法连接{ AFTER(LIST($sources, between: "、")) }
outageBody = 已持续 15 分钟：{ LIST($reasons, between: "、") }。已有内容不受影响，恢复后会获取缺少的通知。“设置”的“关于”的“诊断”说明可以怎么做。

## The shortcut

shortcutTaken = { $keys } 已被其他程序使用。选择其他快捷键
shortcutInvalid = 快捷键须包含 Ctrl、Alt 或 Super
shortcutUnsupported = 在 Wayland 上，只有桌面能设置这样的快捷键。在桌面的键盘设置中添加一个启动“tidings-desktop”的快捷键，即可显示窗口
