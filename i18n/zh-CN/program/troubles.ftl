### The Simplified Chinese texts of what does not work: sources and publishing.

## Why a source is not up to date

troubleAddress = 无法使用此地址
troubleSetup = 本机无法建立安全连接
troubleUnknownAuthority = 对方的证书由未知的证书颁发机构签发
troubleNotValidNow = 对方的证书已过期或尚未生效
troubleOtherName = 对方的证书用于另一个名称
troubleUntrusted = 对方的证书不受信任
troubleClientWanted = 对方要求它认识的客户端证书
troubleClientKey = 无法读取客户端证书的私钥
troubleOffline = 没有网络
troubleNameNotFound = 无法解析其地址中的名称
troubleUnreachable = 没有应答
troubleSlow = 等待应答超时
troubleUnavailable = 没有应答（{ $status }）
troubleWaiting = 对方要求暂停
troubleSignIn = 需要登录
troubleRefused = 被拒绝（{ $status }）
troubleMalformed = 无法读取对方的应答
troubleTooLarge = 对方的应答过大
troubleTooComplex = 对方的应答嵌套过深或重复过多，无法读取
troublePassedBy = 之前无法读取对方的应答，已跳过
troubleNoProgress = 对方表示还有更多内容，但没有发送
troubleEndedAtBytes = 此来源已达到 { $mebibytes } MiB 的上限。收到的内容已保存，其余内容稍后获取。如果内容不应有这么多，可以暂停此来源
troubleEndedAtPages = 此来源已达到 { $pages } 页的上限。收到的内容已保存，其余内容稍后获取。如果内容不应有这么多，可以暂停此来源
troubleEndedAtDisk = 磁盘可用空间少于 { $mebibytes } MiB，此来源已停止获取。收到的内容已保存。腾出空间后会获取其余内容
troubleRedirectRefused = 此地址重定向到另一个地址，不会自动跟随。输入那个地址
troubleFault = Tidings 出现内部错误。已有内容不受影响
troubleDiskFull = 磁盘已满
troubleDiskFails = 磁盘出错
troubleReadOnly = 无法写入数据文件夹
troubleReplica = 收到的内容无法保存
troubleDamaged = 本机的收件箱已损坏
troubleNoSessionBus = 此会话没有会话总线，程序通过它发送通知
troubleMonitorRefused = 会话总线不允许 Tidings 读取通知，例如在沙盒中，或 dbus-daemon 早于 1.10

## Why something was not published

notPublishedPaused = { BEFORE($source) }已暂停。未发布任何内容，文字还在这里。恢复来源后再发布
notPublishedUnreachable = 无法连接{ AFTER($source) }。未发布任何内容，文字还在这里
notPublishedSignIn = { BEFORE($source) }拒绝了令牌。未发布任何内容，文字还在这里。在“设置”的“来源”中重新登录
notPublishedForbidden = 你不能发布到{ AROUND($source) }的“{ $topic }”。文字还在这里。选择其他主题，或使用有发布权限的令牌
notPublishedTooLong = { BEFORE($source) }不接受这么长的文字。未发布任何内容，文字还在这里。缩短后再发布
notPublishedTooMany =
    { BEFORE($source) }暂时不再接受通知。未发布任何内容，文字还在这里。{ GIVEN($minutes) ->
        [no] 稍后
       *[yes] { $minutes } 分钟后
    }重试
notPublishedRefused = { BEFORE($source) }拒绝了此通知（{ $status }）。未发布任何内容，文字还在这里
notPublishedUnanswered = { BEFORE($source) }没有应答，无法确定是否已发布到“{ $topic }”。文字还在这里。如果再次发布，会替换第一条；ntfy 2.16 之前的服务器会保留两条
