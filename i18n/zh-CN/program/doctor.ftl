### The Simplified Chinese texts of the doctor: what works on this computer, and what to do.

## The parts

partSession = 桌面会话
partTray = 托盘
partNotifications = 通知服务
partSounds = 声音
partKeyring = 密钥环
partPortals = 桌面门户
partWebView = 网页视图
partAutostart = 登录时启动
partFolder = 数据文件夹
partDisk = 磁盘
partInbox = 收件箱
partServer = 服务器数据库
partPort = 本机的服务器
partClock = 时钟
partVersion = 版本
partSource = 来源

## The desktop

noSession = 此处没有桌面，未检查桌面的各部分
bus = 有会话总线
noBus = 没有会话总线。弹窗、托盘图标和密钥环都需要它
noBusAdvice = 重新登录桌面，或用 dbus-run-session 启动 Tidings
trayHost = 桌面会显示托盘图标
noTrayHost = 此桌面不显示托盘图标。Tidings 会在没有图标的情况下继续运行
noTrayHostAdvice = 在面板中添加托盘。GNOME 需要 AppIndicator 扩展
daemon = { $name } { $version }；{ LIST($abilities, between: "、") }
noButtons = 不显示按钮：{ $daemon }
noButtonsAdvice = 使用窗口中的按钮，或换用其他通知服务，例如 dunst
noDaemon = 没有通知服务应答，因此没有弹窗
noDaemonAdvice = 启动一个通知服务，例如 dunst。Tidings 会自动找到它
sounds = 由 { $player } 播放
noSounds = 通知服务不播放声音，因此弹窗没有声音
noSoundsAdvice = 安装 canberra-gtk-play：在 Debian 和 Ubuntu 上是软件包 gnome-session-canberra
keyringOpen = 已解锁
keyringLocked = 已锁定。新令牌保存在只有你能读取的文件中
keyringLockedAdvice = 解锁它，例如在“密码和密钥”程序中
noKeyring = 没有密钥环。令牌保存在只有你能读取的文件中
noKeyringAdvice = 要加密保存，安装一个密钥环，例如 gnome-keyring
portals = { LIST($names, between: "、") }
noPortals = 没有桌面门户，因此不知道桌面的代理
noPortalsAdvice = 如需该代理，安装 xdg-desktop-portal，或在“设置”的“来源”中设置代理
noWebView = 缺少网页视图，无法打开窗口
noWebViewAdvice = 安装 WebKitGTK：在 Debian 和 Ubuntu 上是软件包 libwebkit2gtk-4.1-0
autostartOn = 已打开
autostartOff = 已关闭

## The data folder and its disk

folder = 可以写入
folderRefused = 无法写入：{ $why }
folderRefusedAdvice = 让你的用户可以写入，或用 TIDINGS_DATA_DIR 指定另一个文件夹
diskFree = 剩余 { $free }
diskLow = 仅剩 { $free }，因此不再获取内容
diskFull = 磁盘已满，无法保存任何内容
diskAdvice = 释放磁盘空间
noFilesLeft = 无法再创建文件
noFilesLeftAdvice = 删除磁盘上的文件，例如含有大量小文件的缓存

## Databases

noDatabase = 尚未创建
databaseSound = 完好
databaseDamaged = 已损坏
damagedInboxAdvice = 在窗口中或用 tidings repair 修复
damagedServerAdvice = 在“设置”的“存储”中或用 tidings restore 恢复备份。保留损坏的文件
databaseInUse = 正被另一个程序独占，例如正在恢复
databaseInUseAdvice = 等待该程序完成，或结束它
databaseRefused = 无法打开：{ $why }
databaseRefusedAdvice = 查看此文件。其中没有任何改动
databaseAnswers = 有应答
databaseSilent = 没有应答
databaseSilentAdvice = 检查 --store 或 TIDINGS_STORE 中的地址，以及 PostgreSQL 是否在运行
stampsAhead = 错误的时钟留下了未来的时间
stampsAheadAdvice = 检查时钟。如果时钟正确，在窗口中或用 tidings check --mend-clock 修正时间

## The server, the clock and the version

port = 在端口 { $port } 上应答
portTaken =
    端口 { $wanted } 已被其他程序使用{ GIVEN($actual) ->
        [no] { "" }
       *[yes] 。它在端口 { $actual } 上应答
    }
portTakenAdvice = 结束该程序，或在“设置”的“本机”的“高级”中选择其他端口
serverOff = 未运行
serverFailed = 无法启动：{ $why }
serverFailedAdvice = 重新启动 Tidings。日志中有更多信息
clockRight = 与服务器一致
clockOff =
    { $isBehind ->
        [true] 比 { $host } 的时钟慢 { $span }
       *[false] 比 { $host } 的时钟快 { $span }
    }
clockOffAdvice = 设置本机的时间。如果时间正确，告知服务器的管理员
days = { $count } 天
hours = { $count } 小时
minutes = { $count } 分钟
ageHold = 时钟曾向前跳变，因此再运行 { $hours } 小时之内不会按时间删除任何内容
ageHoldAdvice = 检查本机的日期和时间
newerVersion = Tidings { $version } 已发布
newerVersionAdvice = 用安装当前版本的方式安装它
newestVersion = 没有更新的版本
noReleases = 无法读取新版本的列表
noReleasesAdvice = 检查网络。Tidings 会在一天之内重试

## Sources

paused = 已暂停
lastFetched = 上次获取于 { $time }
nothingFetched = 尚未获取任何内容
sourceTrouble = { $trouble }。{ $fetched }
signInAdvice = 在“设置”的“来源”中或用 tidings source sign-in 重新登录
unknownAuthorityAdvice = 如果该颁发机构属于你的公司或你自己，在“设置”的“来源”的“高级”中添加其证书
notValidNowAdvice = 检查本机的时钟。如果时钟正确，告知服务器的管理员
clientCertificateAdvice = 在“设置”的“来源”的“高级”中添加你的客户端证书
setupAdvice = 安装软件包 ca-certificates
offlineAdvice = 检查网络，以及“设置”的“来源”的“高级”中的代理
nameNotFoundAdvice = 检查地址，以及此网络的域名服务器（DNS）。Tidings 会继续重试
unreachableAdvice = 检查地址，以及服务是否在运行。Tidings 会继续重试
localAdvice = 先查看关于本机的各行
otherAdvice = 检查地址。如果地址正确，告知服务器的管理员
