### The Simplified Chinese texts of sources and their sign-in.

## An address and a token

noAddress = 输入地址，例如 { $example }
badAddress = “{ $text }”不是地址。输入地址，例如 { $example }
noToken = 输入令牌。可向服务器的管理员索取
noTokenOf = 输入令牌。可在 { $service } 的设置中创建
takesNoToken = 此来源不需要令牌
unknownProtocol = 此版本不支持“{ $name }”类型的来源
service =
    { $protocol ->
        [tidings] Tidings 服务器
        [feed] 订阅源
       *[other] { $label }
    }
notService = { $host } 有应答，但不是{ AFTER($service) }。检查地址是否正确
signInNeeded =
    { $host } 要求登录{ $takesToken ->
        [true] 。输入令牌
       *[false] ，而此类来源不支持登录
    }
wrongToken = { $host } 拒绝了此令牌。检查令牌是否完整，是否已被吊销
noInbox = { $host } 认识此令牌，但它不能读取收件箱。索取一个可以读取的令牌
noRight = { $host } 认识此令牌，但它不能读取通知。为它选择上面列出的权限

## Answers

answerTooLarge = { $host } 的应答过大。检查地址是否正确
connected =
    { GIVEN($title) ->
        [no] 已连接
       *[yes] 找到“{ $title }”
    }
nameNotFound = 无法解析名称 { $host }，未发送任何内容。检查地址，以及此网络的域名服务器（DNS）
offline = 无法连接 { $host }。检查地址和本机的网络
unreachable = { $host } 没有应答。检查地址，以及服务器是否正在运行
slow = 等待 { $host } 应答超时。稍后重试
unavailable = { $host } 现在无法应答（{ $status }）。稍后重试
refused = { $host } 拒绝了访问（{ $status }）。检查地址是否正确
noTls = 本机无法建立安全连接
noSessionBus = 此会话没有会话总线，程序通过它发送通知。在桌面会话中启动 Tidings
monitorRefused = 会话总线不允许 Tidings 读取通知。在沙盒之外启动 Tidings，并使用 dbus-daemon 1.10 或更新版本，或 dbus-broker
answered = { $url } 有应答
answeredUnencrypted = { $url } 有应答，但没有加密。网络中的其他人可以读取发送的内容
redirected = { $host } 重定向到另一个主机，不会自动跟随。检查地址是否正确

## Certificates and proxies

certificateUnknownAuthority = { $host } 的证书由本机不认识的证书颁发机构签发，令牌未发送。如果该机构属于公司或你自己，在“设置”的“来源”的“高级”中添加其证书
certificateNotValidNow = { $host } 的证书已过期或尚未生效，令牌未发送。检查本机的时钟，或告知服务器的管理员
certificateOtherName = { $host } 的证书用于另一个名称，令牌未发送。检查地址是否正确
certificateUntrusted = { $host } 的证书不受信任，令牌未发送。检查地址是否正确
certificateClientWanted = { $host } 要求它认识的客户端证书。在“设置”的“来源”的“高级”中添加你的证书，或添加另一个
certificateClientKey = 无法从密钥环读取 { $host } 的客户端证书的私钥。解锁密钥环，或在“设置”的“来源”的“高级”中重新添加证书
certificateNoAddress = “{ $text }”不是 https 地址
certificateFileTooLarge = { $file } 超过 1 MiB。未添加任何内容
certificateFileEmpty = { $file } 中没有证书。选择 PEM 文件。未添加任何内容
certificateFileUnreadable = { $file } 中的证书无法读取。未添加任何内容
certificateFilePkcs12 = { $file } 是 PKCS#12，无法读取。可用“openssl pkcs12 -in FILE -nodes -out FILE.pem”转换为 PEM。未添加任何内容
certificateFileEncryptedKey = { $file } 中的私钥有密码。可用“openssl pkey -in FILE -out FILE.pem”移除密码，私钥会保存在密钥环中。未添加任何内容
certificateFileNoKey = { $file } 中没有私钥。未添加任何内容
certificateFileKeyKind = { $file } 中的私钥既不是 RSA，也不是已知的椭圆曲线。未添加任何内容
certificateFileKeyMismatch = { $file } 中的私钥属于另一个证书。未添加任何内容
certificateFileTooMany = { $file } 中的证书太多，超过了一个地址的上限。未添加任何内容
certificatesNotKept = 无法保存证书：{ $why }
proxyAddress = 这不是代理的地址。输入地址，例如 http://proxy.example:3128 或 socks5://127.0.0.1:1080
authoritiesAdded = 只有 { $origin } 会使用这 { $count } 个证书颁发机构
clientAdded = { $subject } 只用于 { $origin }
titleAuthorities = 选择证书颁发机构的证书
titleClient = 选择客户端证书
titleClientKey = 选择客户端证书的私钥

## A source

applicationNotKept = 无法选择此程序。最多可选择 { $most } 个，不含 Tidings 自己
sourceExists = 已存在，名为“{ $name }”
signedIn =
    { GIVEN($who) ->
        [no] 已登录
       *[yes] 已以{ AROUND($who) }登录
    }{ GIVEN($unread) ->
        [no] { "" }
       *[yes] { $unread ->
            [0] ，全部已读
           *[other] ，{ $unread } 条未读
        }
    }
nameTaken = 已有名为“{ $name }”的来源。选择其他名称
nameNeeded = 输入名称，最多 64 个字符
ownNotRemovable = 本机服务器无法移除，但可以暂停
onlyKept = 此来源已移除，只保留了其通知。重新添加后可继续获取
otherUser = 此令牌属于 { $newUser }，而来源属于 { $user }。将它添加为另一个来源
tokenOfOtherAddress = 已保存的令牌只会发送到 { $host }。为新地址输入令牌
tokenNotStored = 无法保存令牌：{ $why }。没有任何改变

## Sign-in

takenBack = { $host } 上的登录已撤销
takeBackByHand = 其登录在该服务上仍然有效，可在 { $page } 撤销
signInNotOffered = { $host } 不提供 Tidings 支持的浏览器登录。改为输入令牌
signInNoClient = 先输入客户端 ID，或改为输入令牌
signInWrongClient = { $host } 不接受此客户端 ID。检查它是否正确，以及该客户端是否允许用代码登录。也可以改为输入令牌
signInDenied = { $host } 上的登录被拒绝。没有任何改变，可以重新登录
signInExpired = 登录未及时确认。没有任何改变，可以重新登录
signInNoPort = 浏览器无法返回 Tidings：{ $why }。关闭一些程序，或改为输入令牌
signInOver = 此次登录已结束。重新登录
signInPageDone = 已登录。可以关闭此页面，返回 Tidings。
signInPageDenied = 登录被拒绝。可以关闭此页面。
signInPageUnknown = Tidings 没有在等待此页面。可以关闭它。

## Import and export of sources

feedsWritten = 已导出 { $count } 个订阅源
importUnknown = { $file } 既不是 OPML，也不是 Gitify、gotify-tray 或 ntfy 的设置。未添加任何来源
importLarge = { $file } 超过 8 MiB。未添加任何来源
importComplex = { $file } 嵌套过深或重复过多，无法读取。未添加任何来源
importPassedBy = 之前无法读取 { $file }，已跳过。未添加任何来源
importBusy = 暂时无法读取 { $file }。未添加任何来源，可以重试
importPrivate = 它位于本机或本地网络，因此未添加。如果你信任它，可再次添加
importUnreadable = 无法读取 { $file }：{ $why }。未添加任何来源
titleImport = 导入来源
titleExportFeeds = 导出订阅源
