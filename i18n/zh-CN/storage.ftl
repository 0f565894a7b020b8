### The Simplified Chinese texts of the settings of storage and of this computer's server.

storageAdvanced = 单次获取上限和磁盘空间
# $items (number)
inboxItems = { $items } 条通知，含搜索索引
attachments = 已获取的附件
pullLimit = 单次获取上限
pullLimitHint = 每个来源每次获取的上限。其余内容下次继续获取。磁盘保留 512 MiB 的可用空间（小磁盘则更少）
compactRow = 释放空间
# $size (string or null)
compactHint =
    { GIVEN($size) ->
        [no] 没有可释放的空间
       *[yes] 约可释放 { $size }
    }
compactNow = 释放空间
compacting = 正在释放空间
# $size (string)
compacted = 已释放 { $size }
keep = 保留已归档的内容
keepHint = 更早的内容只从本机移除
# $hours (number)
keepHeld = 系统时间比上次运行时晚了一周以上，因此在再运行 { $hours } 小时之前不会移除任何内容。检查本机的日期。
keepAll = 全部
keepYear = 一年
# $days (number)
keepDays = { $days } 天
files = 文件
exportRow = 导出
exportHint = 导出全部通知，供其他程序使用
exportAs = 导出为
exporting = 正在导出
backupRow = 备份
backupHint = 将收件箱和服务器备份到一个文件
restoreRow = 恢复
restoreHint = 用备份替换现有内容
restoreMenu = 恢复…
restoring = 正在恢复
restoreTitle = 恢复备份？
restoreText = 备份会替换现有内容。现有内容的副本会保留在数据文件夹中，名为 replica.db.before 和 server.db.before，直到下一次恢复。
chooseFile = 选择文件…

serverRuns = 本机的程序无需令牌即可在这里发布
serverDown = 未运行
portHint = 留空则使用 7878；如果已被占用，则使用空闲端口
portWrong = 输入 1024 到 65535 之间的端口
others = 允许其他设备访问
othersHint = 位于同一网络并持有令牌的设备
addressForOthers = 供其他设备使用的地址
moreAddresses = 更多供其他设备使用的地址
origins = 浏览器中的网页
origin = 允许的网页
originHint = 网页的源（origin），例如 ntfy 网页应用的源。网页仍需要令牌。其他网页会被拒绝
originMissing = 输入网页的源，例如 https://ntfy.example
# $origin (string)
originAdded = 已允许 { $origin } 的网页
addOrigin = 添加
# $origin (string)
removeOrigin = 移除 { $origin }
# $what (string)
copyOf = 复制 { $what }
computerAdvanced = 端口、更多地址、网页访问
tokensLead = 供其他设备上的程序使用
noTokens = 无。其他设备上的程序需要令牌
makeToken = 新建令牌…
newToken = 新令牌
tokenFor = 用途
tokenForMissing = 输入用途
tokenMay = 权限
tokenPublishes = 仅发布
tokenReads = 发布并读取收件箱
# $reads (boolean), $when (string), $by (string or null)
tokenRow =
    { $reads ->
        [true] 发布并读取收件箱
       *[false] 仅发布
    }，{ GIVEN($by) ->
        [no] { "" }
       *[yes] 用“{ $by }”的令牌
    }创建于{ AFTER($when) }
make = 新建
# $label (string)
tokenMade = { $label } 的令牌
tokenOnce = 立即复制。令牌只显示这一次。
tokenCurl = 使用此令牌发布的命令
finish = 完成
revokeMenu = 吊销…
revoke = 吊销
# $label (string)
revokeOf = 吊销“{ $label }”的令牌
# $label (string)
revokeTitle = 吊销“{ $label }”的令牌？
# $made (number)
revokeText =
    { $made ->
        [0] 从现在起，使用它的程序会被拒绝。已发布的内容会保留。
       *[other] 从现在起，使用它的程序会被拒绝。已发布的内容会保留。用它新建的 { $made } 个令牌也会一并吊销。
    }
# $label (string)
revoked = 已吊销 { $label } 的令牌
# $count (number)
usersCount = { $count } 人
addUser = 添加…
newUser = 添加用户
userId = 用户名
userIdHint = 其他人用它向此人发送消息。用户名不会再分配给其他人
userIdMissing = 输入用户名
userName = 名称
userNameExample = 张伟
# $name (string)
userAdded = 已添加{ AFTER($name) }
userRename = 重命名…
# $name (string)
userRenameOf = 重命名{ AFTER($name) }
# $name (string)
userRenamed = 已重命名为{ AFTER($name) }
userExport = 导出…
# $name (string)
userExportOf = 导出{ AROUND($name) }的全部数据
userRemove = 移除…
# $name (string)
userRemoveOf = 移除{ AFTER($name) }
# $name (string)
userRemoveTitle = 永久移除{ AFTER($name) }？
userRemoveText = 其收件箱、令牌和文件会被删除，任何人都无法再向其发送消息，用户名也不会再分配给其他人。此操作无法撤销。
userRecalls = 同时从所有收件箱撤回其发送的全部内容
# $name (string)
userRemoved = 已移除{ AFTER($name) }
