### The Simplified Chinese texts about kinds of sources, by protocol, and about how much sources send.

# $name (string), $label (string)
kindName =
    { $name ->
        [tidings] Tidings 服务器
        [feed] 订阅源（RSS、Atom、JSON）
        [desktop] 其他程序
       *[other] { $label }
    }
# $name (string), $label (string)
kindShort =
    { $name ->
        [tidings] Tidings 服务器
        [feed] 订阅源
        [desktop] 其他程序
       *[other] { $label }
    }
# $kinds (list)
kindList = { LIST($kinds, between: "、", last: " 或") }
# $name (string), $label (string)
kindListed =
    { $name ->
        [tidings] Tidings 服务器
        [feed] 订阅源（RSS、Atom、JSON）
        [desktop] 其他程序
       *[other] { $label }
    }
# $protocol (string)
kindAddress =
    { $protocol ->
        [ntfy] 服务器，不含主题
        [gotify] 浏览器中打开的服务器地址
        [github] 使用 github.com 时不用改。使用 GitHub Enterprise 时，输入类似 https://github.example.org/api/v3 的地址
        [forgejo] 浏览器中打开的服务器地址，也支持 Gitea
        [gitlab] 浏览器中打开的服务器地址
        [mastodon] 你的账号所在的服务器，也可以是与 Mastodon 兼容的服务器
        [feed] 订阅源（RSS、Atom、JSON Feed）的地址，或链接到订阅源的网页的地址
       *[other] { "" }
    }
sourceTopicsHint = 多个主题用逗号隔开：alerts,backups。主题由英文字母、数字、- 和 _ 组成
# $protocol (string)
kindToken =
    { $protocol ->
        [tidings] 向服务器的管理员索取，须有读取收件箱的权限
        [ntfy] 令牌，或“用户名:密码”。对于所有人都能读取的主题，留空
        [gotify] 在 Gotify 的“客户端”中创建的客户端令牌。应用的令牌不能读取通知
        [github] 在 GitHub 的“Settings › Developer settings”中创建的经典令牌，权限选“notifications”；要显示私有仓库的内容，再选“repo”。细粒度令牌不能读取通知
        [forgejo] 在“设置 › 应用”中创建，需要读取用户、读写通知、读取工单和仓库的权限
        [gitlab] 在“偏好设置”中创建的个人访问令牌，权限选“api”。如果只选“read_api”，则不会在那里标为已完成
        [mastodon] 在“偏好设置 › 开发 › 新建应用”中创建，权限选“read:accounts”和“read:notifications”
       *[other] { "" }
    }
# $protocol (string)
kindClient =
    { $protocol ->
        [github] 你自己的 OAuth 应用的 ID：在“Settings › Developer settings › OAuth Apps”中新建，并启用“Device Flow”。主页和回调地址可以任意填写，不需要客户端密钥
        [gitlab] 你自己的应用的 ID：在“偏好设置 › 应用程序”中新建，不勾选“机密”，权限选“read_api”；如需在那里标为已完成，则选“api”。重定向地址可以任意填写
       *[other] 你自己的应用的 ID，在该服务中创建
    }
# $read (choice)
kindKeeps =
    { $read ->
        [here] 已读和归档状态只保存在本机
        [sent] 在这里阅读后，那里也会标为已读
       *[both] 在这里阅读后，那里也会标为已读，反之亦然
    }
kindBadge = 新内容计入角标，默认不显示弹窗
# $source (string)
sourceReasons = { BEFORE($source) }的哪些通知显示弹窗
# $action (string), $otherwise (string)
reasonName =
    { $action ->
        [added_approver] 你成为批准人
        [approval_requested] 请你批准
        [approval_required] 请你批准
        [assign] 分配给你
        [assigned] 分配给你
        [author] 你发起的内容有更新
        [build_failed] 流水线失败
        [ci_activity] 检查和工作流
        [comment] 评论
        [directly_addressed] 直接提到你
        [invitation] 邀请
        [manual] 你关注的内容
        [marked] 你自己添加的待办
        [member_access_requested] 访问请求
        [member_feature_requested] 成员的请求
        [mention] 提到你
        [mentioned] 提到你
        [merge_train_removed] 移出合并队列
        [okr_checkin_requested] 请你更新进展
        [release] 发布
        [review_requested] 请你评审
        [review_submitted] 评审
        [security_advisory_credit] 安全通告致谢
        [security_alert] 安全警报
        [ssh_key_expired] SSH 密钥已过期
        [ssh_key_expiring_soon] SSH 密钥即将过期
        [state_change] 你关闭或合并的内容
        [subscribed] 你关注的仓库
        [team_mention] 提到你的团队
        [transfer] 转让给你的仓库
        [unmergeable] 无法合并
        [update] 其他更新
        [your_activity] 你参与过的内容
       *[other] { $otherwise }
    }
# $reason (string)
reasonToast = 弹窗：{ $reason }
sourcesAdvanced = 代理和证书
# $name (string)
sourceNotify = “{ $name }”的通知
sourceNotifyMenu = 其通知
otherProgramsHint = 保留其通知，导入其来源
desktopKeep = 保留其他程序的通知
desktopKeepHint = 保留其他程序在此桌面上显示的通知文字，夜里的通知早上也能找到。内容只保存在本机，不会上传，也不会为此联网
desktopOff = 不再保留新的通知。之前的通知仍在收件箱中；要删除，移除上面的来源
desktopNobody = 打开此项后，还没有程序显示过通知。显示通知的程序会列在这里，由你打开后才会保留
desktopApps = 要保留通知的程序
desktopAppsHint = 对于已关闭的程序，只保存其名称。音量、进度等短暂提示从不保留，Tidings 自己的通知也不保留
# $name (string)
desktopApp = 保留{ AROUND($name) }的通知
desktopRemove = Tidings 不再保留其他程序的通知，并清除你选择的程序。
# $programs (number)
desktopKept =
    { $programs ->
        [0] 还没有程序
       *[other] { $programs } 个程序
    }
signInBrowser = 用浏览器登录
signInMay = 用浏览器登录后，Tidings 可以：
# $host (string)
signInEnter = 打开 { $host } 的页面，输入这个代码。同意前，先在页面上核对代码
# $host (string)
signInAgree = 在浏览器打开的 { $host } 页面上同意
signInCode = 代码
signInOpen = 打开页面
signInStop = 停止
signInWaiting = 正在等待你在页面上同意
client = 客户端 ID
clientMissing = 先输入客户端 ID，或在下面输入令牌
orToken = 或者使用令牌
noiseLead = 各来源发送了多少通知，你读了多少
noNoise = 最近 30 天没有收到通知
# $items (number), $percent (number)
noiseTold =
    { $items } 条通知，{ $percent ->
        [0] { $items ->
            [1] 未读
           *[other] 全部未读
        }
        [100] { $items ->
            [1] 已读
           *[other] 全部已读
        }
       *[other] 已读 { $percent }%
    }
# $origin (string), $source (string)
noiseOf = { BEFORE($source) }的{ AFTER($origin) }
# $name (string)
noiseMute = 静音：{ $name }
# $name (string)
noiseUnmute = 取消静音：{ $name }
# $since (string)
noiseHint = 从{ AROUND($since) }起统计，已归档的通知也算已读
proxyHint = 用于连接其他计算机。连接本机、打开通知中的链接时不使用
proxyDesktop = 跟随系统
proxyNone = 不使用
proxyThis = 自定义
proxyAddress = 代理地址
proxyAddressMissing = 输入代理的地址，例如 http://proxy.example:3128 或 socks5://127.0.0.1:1080
proxyUser = 用户名
proxyPassword = 密码
proxyPasswordKept = 留空则继续使用已保存的密码
proxySave = 使用此代理
# $choice (choice), $address (string)
proxySet =
    { $choice ->
        [desktop] 从现在起使用桌面的代理设置
        [none] 从现在起不使用代理
       *[this] 从现在起使用 { $address }
    }
certificateAddress = 证书用于
certificateHint = 填写本机不信任的服务器（例如公司或家里的），或要求客户端证书的服务器的地址。证书只用于此地址，客户端证书的私钥保存在密钥环中
certificateAddressMissing = 输入服务器的地址，例如 https://git.example:8443
certificateAuthority = 证书颁发机构…
certificateClient = 客户端证书…
# $client (boolean), $issuer (string or null), $until (string), $valid (boolean)
certificateAbout =
    { $client ->
        [true] 客户端证书
       *[false] 证书颁发机构
    }，{ GIVEN($issuer) ->
        [no] 自签名
       *[yes] 由 { $issuer } 签发
    }。{ $valid ->
        [true] 有效期至 { $until }
       *[false] 已过期或尚未生效，有效期至 { $until }
    }
# $subject (string), $origin (string)
certificateRemove = 移除 { $origin } 的 { $subject }
# $subject (string), $origin (string)
certificateRemoved = 已移除 { $origin } 的 { $subject }
importAndExport = 导入和导出
importOnly = 导入
importRow = 导入来源
importHint = 来自 Gitify、gotify-tray、ntfy 的 client.yml，或订阅列表（OPML）
importMenu = 导入…
# $file (string)
importFrom = 从 { $file } 导入
importEmpty = 此文件中没有来源
importIntro = 选中的来源会先测试，再添加
# $count (number)
importAll = 全部 { $count } 个
importPrivate = 位于本机或本地网络：只有选中才会测试
# $name (string)
importKnown = 已存在，名为“{ $name }”
# $name (string)
importToken = { BEFORE($name) }的令牌
importTokenMissing = 文件中没有可读取的令牌
importAsking = 正在测试
# $name (string)
importAdded = 已添加，名为“{ $name }”
# $count (number)
importAdd =
    { $count ->
        [0] 添加
       *[other] 添加 { $count } 个
    }
# $added (number), $refused (number)
importDone =
    { $refused ->
        [0] 已添加 { $added } 个
       *[other] 已添加 { $added } 个，{ $refused } 个未添加
    }
# $names (list), $more (number)
importLeftOut =
    { $more ->
        [0] 已跳过（不是来源）：{ LIST($names, between: "、") }
       *[other] { GIVEN($names) ->
            [no] 已跳过（不是来源）：另有 { $more } 项
           *[yes] 已跳过（不是来源）：{ LIST($names, between: "、") }，另有 { $more } 项
        }
    }
exportFeeds = 导出订阅源
exportFeedsHint = 可供其他阅读器导入的列表（OPML）
# $all (list)
sentences = { LIST($all, between: "。") }
