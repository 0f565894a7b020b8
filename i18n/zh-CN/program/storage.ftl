### The Simplified Chinese texts of storage and files.

## Space, export and backup

compactNoRoom = 释放空间大约需要 { $needed }，但可用空间只有 { $free }。没有任何改变
restoreNoRoom = 恢复大约需要 { $needed } 空间，但可用空间只有 { $free }。没有任何改变
exported = 已导出 { $count } 条通知
backedUp = 备份已保存到 { $path }，{ $size }。其中不含令牌
restored = 已恢复 { $count } 条通知。之前的收件箱保存在旁边的 replica.db.before
notBackup = { $name } 不是 Tidings 的备份。没有任何改变
notRestored = 无法恢复备份：{ $why }。已有内容没有改变
clockNotMended = 时间未修正：{ $why }。没有任何改变
notWritten = 无法保存文件：{ $why }。其他内容没有改变
dataFolderUnusable = 此次运行无法使用数据文件夹。先解决此问题；没有任何改变

## Settings in a file

settingsWritten = 已导出设置。文件中不含令牌
notSettings = { $name } 不含 Tidings 的设置。没有任何改变
settingsAdded =
    { GIVEN($parts) ->
        [no] 已导入设置
       *[yes] 已导入设置。新增：{ LIST($parts, between: "、") }
    }
rulesAdded = { $count } 条规则
searchesAdded = { $count } 个搜索
sourcesAdded = { $count } 个需要登录的来源
othersNotAllowed = 仍不允许其他设备访问。可在“设置”的“本机”中允许
originsNotAllowed = 仍不允许浏览器中的网页访问。可在“设置”的“本机”的“高级”中允许
joinSentences = { $first }。{ $second }

## Titles of dialogs

titleExport = 导出收件箱
titleBackup = 保存备份
titleRestore = 恢复备份
titleSettingsExport = 导出设置
titleSettingsImport = 导入设置
titleSave = 保存文件
titleAttach = 添加文件
titleSound = 选择声音
soundRefused = 声音须为不超过 1 MiB 的文件。未做任何更改

## Files

fileGone = { $host } 上已没有此文件
fileLarge = 文件超过 { $most }，未获取
fileRedirected = 文件的地址重定向到另一个地址，不会自动跟随。文件未获取
noIcon = { $host } 上没有可用作图标的图片
fileDisk = 无法保存文件：{ $why }
fileSaved = 已保存
fileNotDownloaded = 文件尚未获取。先获取文件

## Files in messages

attachNoFiles = { BEFORE($source) }不支持在消息中发送文件。未添加任何文件
attachTooLarge = 文件超过服务器的上限 { $most }，未添加
attachTooMany = 已添加 { $most } 个文件。先发送这些文件
attachNoFile = 只能添加文件。文件夹须先打包成一个文件
attachFailed = 无法添加文件：{ $why }。你的文字已保留

## Links

linkUnknown = 此通知不在本机上
linkBad = Tidings 无法打开此链接
