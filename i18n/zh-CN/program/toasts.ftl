### The Simplified Chinese texts of toasts, tray and buttons.

## Tray and tooltip

unreadCount =
    { $counted ->
        [0] { $quiet ->
            [0] 全部已读
           *[other] { $quiet } 条静默
        }
       *[other] { $quiet ->
            [0] { $counted } 条未读
           *[other] { $counted } 条未读，{ $quiet } 条静默
        }
    }
quietUntil = 免打扰至 { $time }
paused = 弹窗已暂停
menuOpen = 打开 Tidings
menuMarkAllRead = 全部标为已读
menuPause = 暂停弹窗
menuPauseHour = 暂停弹窗一小时
menuPauseTomorrow = 暂停弹窗到明天
menuResume = 恢复弹窗
menuQuit = 退出

## Toasts

toastOpen = 打开
toastRead = 标为已读
toastArchive = 归档
toastReply = 回复
toastAnswer = 回答
toastSeveral = “{ $heading }”有 { $count } 条新通知
toastSeveralFrom = { $who }：{ $count } 条新消息
toastGap = { $source }：离开期间有 { $count } 条新通知
toastStorm = { $source }：{ $count } 条新通知
buttonChanged = 此按钮在显示后已更改，因此未执行任何操作。打开该通知，然后使用其中的按钮
replyChanged = 此弹窗在显示后已更改，因此未发送任何内容。打开该通知，然后在其中回复
toastCalls = { $label }（{ $host }）

## Buttons that call

privateHost = { $host } 位于本机或本地网络。未发送任何内容：只有位于该地址的来源才能访问它
done = 已完成
copied = 已复制
answered = { $host } 返回了 { $status }
noAnswer = { $host } 没有应答
