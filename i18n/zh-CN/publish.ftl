### The Simplified Chinese texts of the settings for publishers.

publishLead = 适用于各种工具的命令，以及供手机扫描的二维码
topic = 主题
topicHint = 只能使用英文字母、数字、- 和 _。同一主题的通知属于一个会话
runsOn = 程序运行在
runsHere = 本机
runsElsewhere = 另一台设备
runsAddress = 该设备能访问的地址
tool = 工具
# $tool (choice)
toolName =
    { $tool ->
        [curl] curl
        [apprise] Apprise
        [ntfy] ntfy
        [gotify] Gotify
        [systemd] systemd
        [cron] cron
        [shell] Shell 函数
        [powershell] PowerShell
        [github_actions] GitHub Actions
        [home_assistant] Home Assistant
        [node_red] Node-RED
        [alertmanager] Alertmanager
       *[grafana] Grafana
    }
# $tool (choice)
toolHint =
    { $tool ->
        [curl] 用于终端或脚本
        [apprise] 其中的地址适用于所有使用 Apprise 的程序
        [ntfy] ntfy 的命令
        [gotify] Gotify 的命令，使用应用的令牌
        [systemd] 供其他单元在 OnFailure= 中引用的单元
        [cron] crontab -e 中的一行
        [shell] 放入 .bashrc 或 .zshrc。耗时的命令结束后会通知你
        [powershell] 用于终端或脚本
        [github_actions] 工作流中的一个步骤。GitHub 必须能访问此地址。将令牌保存为名为 TIDINGS 的 secret
        [home_assistant] 放入 configuration.yaml
        [node_red] 从剪贴板导入的流程
        [alertmanager] alertmanager.yml 中的接收者
       *[grafana] 联络点，放入 provisioning/alerting 中的文件
    }
applicationToken = 应用的令牌
tokenNeeded = 新建或输入令牌。离开此页后不会保留
tokenNotNeeded = 在本机上不需要
makePublisherToken = 新建令牌…
makeApplication = 新建应用…
newApplication = 新应用
applicationNameHint = 其通知显示此名称
# $name (string)
publisherMade = { BEFORE($name) }的令牌已写入命令，只显示这一次
# $tool (string)
lineOf = { $tool } 的命令
showToken = 显示令牌
hideToken = 隐藏令牌
sendTest = 发送测试
testSent = 已发送测试，很快会出现在收件箱中
testNeedsToken = 先新建一个令牌
othersShutOut = 不允许其他设备访问
othersShutOutMenu = 允许…
othersShutOutHint = 允许后，它们可以用令牌发布和读取
phoneApps = 手机应用
# $app (choice)
phoneApp =
    { $app ->
        [ntfy] ntfy
       *[gotify] Gotify
    }
# $app (choice)
phoneHint =
    { $app ->
        [ntfy] 用 Android 手机扫描，即可打开此主题
       *[gotify] 在应用中输入此地址
    }
# $app (choice), $link (string)
phoneCode = { phoneApp } 的二维码：{ $link }
phoneSignIn = 登录应用时，用户名可任意输入，密码为可以读取收件箱的令牌
phonesNone = 还没有供手机使用的地址
tokensMenu = 令牌…

# $topic (string), $source (string)
topicAt = { $topic }（{ $source }）
publicationTitle = 标题
publicationTitleHint = 留空则使用主题名称
# $most (number)
publicationTitleLong = 标题最多 { $most } 个字符
publicationText = 正文
# $keys (string)
publicationKeys = 按 { $keys } 发布
# $left (number)
publicationLeft = 还可输入 { $left } 字节
# $over (number)
publicationLong = 超出 { $over } 字节。缩短正文，否则服务器会将其转为文件
publicationEmpty = 输入正文
publicationMarkdown = 正文使用 Markdown
publicationPriority = 优先级
publicationTags = 标签
publicationTagsHint = 像 warning 这样的标签会显示为表情符号
# $most (number), $chars (number)
publicationTagsMany = 最多 { $most } 个标签，每个最多 { $chars } 个字符
publicationClick = 点击后打开的地址
publicationClickWrong = 输入以 https://、http:// 或 mailto: 开头的地址
publishing = 正在发布
# $topic (string)
published = 已发布到 { $topic }
