### The Simplified Chinese texts of the own server.

## The own server

portTaken =
    端口 { $port } 已被其他程序使用{ GIVEN($at) ->
        [no] 。
       *[yes] 。服务器仍在 { $at } 运行。
    }
portDenied =
    Tidings 无权使用端口 { $port }{ GIVEN($at) ->
        [no] 。
       *[yes] 。服务器仍在 { $at } 运行。
    }
serverFailed =
    无法使用此地址：{ $why }{ GIVEN($at) ->
        [no] 。
       *[yes] 。服务器仍在 { $at } 运行。
    }
badOrigin = “{ $text }”不是网页的源。输入协议、主机和端口，不带路径，例如 https://ntfy.example
tooManyOrigins = 最多允许 { $most } 个网页。先移除一个
noServer = 本机服务器未运行
onlyHere = 此命令只能在本机使用。要在其他设备上使用，先打开“允许其他设备访问”
notDiscovered = 其他设备无法自动发现本机：{ $why }。其地址仍可使用
ownUnanswered = 本机服务器没有应答。这里的内容没有丢失，可以重试

## Users and tokens

userTaken = { $id } 已被使用，或曾属于已移除的用户。未添加任何用户；选择其他用户名
userIdNeeded = 用户名由 1 到 64 个不带重音符号的字母、数字、点、下划线和连字符组成
userNameNeeded = 输入名称，最多 64 个字符
userIsOwn = 这是你自己的用户。没有它，此收件箱就没有服务器。没有任何改变
userExported = 已导出 { $id } 的全部数据
titleUserExport = 导出用户
labelNeeded = 输入用途，最多 64 个字符
tokenInvalid = 这不是令牌。令牌只含字母、数字、-、_ 和 .

## Topics

topicInvalid = 主题由 1 到 64 个字符组成：英文字母（A–Z、a–z）、数字、- 和 _
topicReserved = 服务器自己使用“{ $topic }”。选择其他主题
topicExists = “{ $topic }”已在列表中。在那里编辑
topicNameWrong = 名称太长。输入较短的名称
topicIconWrong = 输入以 http:// 或 https:// 开头的地址，最多 2048 个字符
topicUsersWrong = 输入用户名，用空格分隔，最多 1000 个
topicExpectWrong = 输入时间，例如 26 小时或 2 天，从 1 分钟到 366 天
topicSecretWrong = 密钥太长。最多输入 1024 个字符
topicRefused = 服务器拒绝了更改（{ $status }）。没有任何改变，稍后重试
templateLine = 第 { $line } 行：{ $why }
templateWrong = 无法读取模板：{ $why }

## Test

exampleMessage = 备份完成
testMessage = 一条测试通知
testRefused = 服务器拒绝了此令牌。检查令牌是否完整，是否已被吊销
testFailed = 服务器拒绝了发布（{ $status }）。未发布任何内容
testUnanswered = 服务器没有应答。稍后重试
