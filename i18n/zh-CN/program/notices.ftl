### The Simplified Chinese texts of notices of the program.

## Notices

noticeNoTray = 此桌面没有托盘。关闭窗口会退出 Tidings。
noticeNoTrayGoesOn = 此桌面没有托盘。关闭窗口后，Tidings 会继续运行。再次启动可打开窗口。
noticeNoToasts = 此桌面不显示弹窗。新通知在列表中，Tidings 会自动重试。
noticeNoKeyring = 此桌面没有密钥环。令牌保存在只有你能读取的文件中。
noticePortTaken = 端口 { $usual } 已被其他程序占用。Tidings 正在使用端口 { $now }，发布到 { $usual } 的通知无法收到。
noticeNoServer = 本机服务器未能启动：{ $why }。已有内容不受影响，其他来源照常工作。
noticeReadOnly = 无法写入文件夹 { $folder }。在可以写入之前，无法保存新内容；已有内容不受影响。
noticeDiskFull = 磁盘已满。腾出空间之前，无法保存新内容；已有内容不受影响。
noticeDiskFails = 磁盘出错。磁盘恢复正常之前，无法保存新内容；仍能读取的内容会继续显示。
noticeNoReplica = 无法打开本机的收件箱：{ $why }。其文件没有改变。
noticePassedBy = 之前无法读取{ AROUND(LIST($names, between: "、")) }发送的内容，已跳过。已有内容不受影响。
noticeDamaged = 本机的收件箱已损坏。它是一份副本。修复时，Tidings 会从各来源重新获取，并保留能读取的草稿、标记、置顶、规则和设置。
noticeClockAhead = 本机的时间曾经偏快，因此本机服务器会给新通知标上未来的时间。没有丢失任何内容。如果现在时间正确，可修正通知的时间：通知的顺序、标记和草稿都会保留。
noticeRepaired = 本机的收件箱已修复。退出并重新启动 Tidings 后即可使用。
noticeNewerVersion = Tidings { $version } 已发布。

## A repair

repaired =
    收件箱已修复，保留了 { $items } 条通知，各来源会重新获取{ $parts ->
        [0] { "" }
       *[other] 。原收件箱有 { $parts } 处无法读取
    }{ GIVEN($lost) ->
        [no] { "" }
       *[yes] 。无法读取以下来源，需要重新添加：{ LIST($lost, between: "、") }
    }
notRepaired = 收件箱未能修复：{ $why }。它没有改变。退出 Tidings，然后在终端中运行 `tidings repair`
