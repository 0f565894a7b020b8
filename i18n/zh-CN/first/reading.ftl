### The Simplified Chinese texts of a thread that the list and the commands have, too.

readingPane = 阅读窗格

# $what (string)
recalled = 已撤回{ $what }

# $answer (string)
answerWith = 回答“{ $answer }”

# $answers (list)
asks =
    { GIVEN($answers) ->
        [no] 等待回答
       *[yes] 提问：{ LIST($answers, between: "、") }
    }

waits = 待发送

# $text (string)
draftOf = 草稿：{ $text }

# $who (string)
writeTo = 写给{ AFTER($who) }

send = 发送
attachFile = 添加文件

# $name (string)
attached = 已添加{ AFTER($name) }

# $name (string)
unreadable = 无法读取{ AFTER($name) }。只能添加文件；文件夹须先打包成一个文件

newConversation = 新建聊天
composeConversation = 新建聊天…
