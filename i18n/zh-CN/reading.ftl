### The Simplified Chinese texts of the reading pane.

# $when (string)
newSince = { BEFORE($when) }之后的新内容
# $count (number)
earlierItems = 更早的 { $count } 条
# $count (number)
archivedItems = 已归档 { $count } 条
isArchived = 已归档
# $count (number)
earlierComments = 更早的 { $count } 条评论
# $count (number)
earlierMessages = 更早的 { $count } 条消息
# $host (string)
calls = 将向 { $host } 发送请求
# $host (string)
leadsTo = （链接到 { $host }）
# $label (string), $host (string)
confirmActionTitle = 向 { $host } 发送“{ $label }”？
# $method (string), $host (string), $from (string)
confirmActionText = 这会向 { $host } 发送 { $method } 请求，可能会更改那里的内容。此按钮来自“{ $from }”的通知。尚未发送任何内容。
confirmActionSend = 发送
# $host (string)
imageFrom = 来自 { $host } 的图片
# $who (string), $text (string)
cameIn = { $who }：{ $text }
# $count (number)
showAllImages = 全部显示（{ $count }）
copy = 复制
copied = 已复制
copyCode = 复制代码
attachment = 附件
# $count (number)
moreTags = 另有 { $count } 个
# $found (number), $of (number), $comments (boolean)
matchOf =
    { $comments ->
        [true] { $of } 条评论中 { $found } 条符合
       *[false] { $of } 条中 { $found } 条符合
    }
hide = 收起
saveAs = 保存…
cancelFetch = 取消
# $done (string)
fetched = 已获取 { $done }
# $done (string), $of (string)
fetchedOf = { $done } / { $of }
beginningOnly = 只显示开头部分。保存后可查看全部
# $name (string)
enlarge = 放大{ AFTER($name) }
cannotBeShown = 无法在这里显示此文件。保存后可打开
# $host (string)
imageFailed = 无法加载来自 { $host } 的图片
notifyMe = 提醒方式
notifyFrom = 最低优先级
notifySound = 声音
soundOn = 开
soundOff = 关
byDefault = 与来源相同
copyText = 复制文字
textCopied = 文字已复制
# $tag (string)
searchTag = 搜索标签“{ $tag }”
copyItemLink = 复制此条目的链接
unreadFrom = 从此处起标为未读
itemMenu = 此条目的菜单
deleteItem = 删除…
# $name (string)
deleteTitle = 删除“{ $name }”？
deleteText = 它会从所有设备上的此收件箱中删除。此操作无法撤销。
deleteNow = 删除
editItem = 编辑…
editTitle = 编辑已发送的内容
editText = 文字
editHint = 收到它的人会看到新的文字，也会看到它已被编辑。按 Ctrl+Enter 保存
editEmpty = 输入文字。要为所有人删除它，选择“撤回”
editDone = 已编辑
edited = 已编辑
recallItem = 撤回…
# $name (string)
recallTitle = 撤回“{ $name }”？
recallText = 它及其文件会从所有收到它的收件箱中删除。此操作无法撤销。
recallNow = 撤回
question = 问题
answers = 回答选项
answerText = 用自己的话回答
sendAnswer = 发送回答
# $count (number), $unit (choice)
timeLeft =
    { $unit ->
        [minute] 还剩 { $count } 分钟
        [hour] 还剩 { $count } 小时
       *[day] 还剩 { $count } 天
    }
# $answer (string)
answerDefault = 如果无人回答：{ $answer }
answerWaits = 恢复连接后发送
# $who (string)
answerWaitsPaused = { BEFORE($who) }恢复后发送
# $who (string)
answerWaitsSignIn = 登录{ AROUND($who) }后发送
sent = 已发送
# $read (number), $of (number)
readBy = { $read }/{ $of } 已读
# $count (number), $of (number)
arrivedWith = { $count }/{ $of } 已送达
draftKept = 草稿已保存
sendsOnceRead = 附件添加完成后发送
sendKeys = 按 Enter 发送，按 Shift+Enter 换行
sending = 正在发送
willWait = 离线。消息会在恢复连接后发送
# $why (string)
willWaitAfter = { $why }。消息会在恢复后发送
# $who (string)
willWaitPaused = { BEFORE($who) }已暂停。消息会在恢复后发送
# $who (string)
willWaitSignIn = { BEFORE($who) }需要登录。消息会在登录后发送
# $why (string)
notSent = 未发送：{ $why }
attachedFiles = 已添加的文件
# $name (string)
detach = 移除{ AFTER($name) }
# $who (string)
dropToAttach = 松开即可添加，发给{ AFTER($who) }
# $who (string)
takesNoFiles = { BEFORE($who) }不支持在消息中发送文件。未添加任何文件
# $name (string)
cancelSend = 取消发送{ AFTER($name) }
# $name (string)
sendingFile = 正在发送{ AFTER($name) }
retry = 重试
discard = 丢弃
# $count (number)
peopleRead = { $count } 人已读
# $count (number)
peopleReached = 已送达 { $count } 人
# $when (string)
readAt = { BEFORE($when) }已读
groupOwner = 群主
# $known (string)
groupOffline = { $known }。恢复连接后可更改群组
groupLeft = 你已不在这个群组中。此前的消息仍在这里。
groupEnded = 此群组已解散。此前的消息仍在这里，不能再发送消息。
# $name (string)
personRemoved = { BEFORE($name) }已不在此服务器上。此前的消息仍在这里，不能再发送消息。
# $name (string)
groupMemberMenu = 更多：{ $name }
groupMakeOwnerMenu = 设为群主…
groupRename = 重命名群组
groupRenameMenu = 重命名…
# $name (string)
groupRenamed = 已将群组重命名为“{ $name }”
groupAddMenu = 添加成员…
# $group (string)
groupAddTitle = 向“{ $group }”添加成员
groupAddHint = 输入用户名。新成员只能看到之后的消息
# $names (list)
groupAdded = 已添加：{ LIST($names, between: "、") }
groupNobody = 至少输入一个用户名
# $name (string), $group (string)
groupRemoveTitle = 将{ AROUND($name) }移出“{ $group }”？
groupRemoveText = 此人会保留此前的消息，但不再收到新消息。
# $name (string)
groupRemoved = 已将{ AROUND($name) }移出群组
groupHandOver = 设为群主
# $group (string), $name (string)
groupHandOverTitle = 将{ AROUND($name) }设为“{ $group }”的群主？
# $name (string)
groupHandOverText = 此后只有{ AROUND($name) }能重命名群组、添加和移出成员。你仍是成员，只有{ AROUND($name) }能将你重新设为群主。
# $name (string)
groupHandedOver = { BEFORE($name) }现在是群主
groupLeave = 离开
groupLeaveMenu = 离开群组…
# $group (string)
groupLeaveTitle = 离开“{ $group }”？
groupLeaveText = 此前的消息仍在这里。你不再收到新消息，也不能发送消息；只有群主能重新添加你。
groupLeaveOwner = 最早加入的成员将成为群主。
# $group (string)
groupYouLeft = 你已离开“{ $group }”
groupEnd = 解散
groupEndMenu = 解散群组…
# $group (string)
groupEndTitle = 解散“{ $group }”？
groupEndText = 所有成员都保留此前的消息，但不能再在这里发送消息。此操作无法撤销。
# $group (string)
groupYouEnded = 已解散“{ $group }”
composeGroup = 创建有名称的群组
# $count (number)
peopleIn = { $count } 人
you = 你
notYet = 尚未阅读
asking = 正在查询服务器
# $count (number)
andMore = 还有 { $count } 人
# $when (string or null)
asKnown =
    { GIVEN($when) ->
        [no] 离线。可能不是最新状态
       *[yes] 离线。上次更新于{ AFTER($when) }
    }

composeTo = 发给
composeToHint = 输入用户名。多个人会组成群组
composeToOneHint = 输入一个用户名
composeOnePerson = 此来源没有群组。只输入一个用户名
# $name (string)
composeTyped = 使用用户名“{ $name }”
# $name (string)
composeWithout = 移除{ AFTER($name) }
composeName = 群组名称
composeMessage = 第一条消息
composeNoServer = 要写消息，需要有其他用户的服务器。将一个 Tidings 服务器添加为来源
composeAlone = 此服务器上还没有其他人
composeAddPeople = 添加用户…
composeNobody = 至少输入一个用户名
composeNoName = 输入群组名称
composeNothing = 输入第一条消息
