### The Simplified Chinese sentences of Mastodon’s notifications.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target.

mention = { $actors } 提到了你
status = { $actors } 发布了 { $target }
reblog = { $actors } 转发了 { $target }
favourite = { $actors } 喜欢了 { $target }
reaction = { $actors } 回应了 { $target }
quote = { $actors } 引用了你
follow = { $actors } 关注了你
follow_request = { $actors } 请求关注你
poll = 投票 { $target } 已结束
update = { $actors } 编辑了 { $target }
quoted_update = { $actors } 编辑了你引用的 { $target }
move = { $actors } 迁移到了另一个账号
severed_relationships = 你与 { $target } 的关注关系已中断
moderation_warning = 管理员向你发出了警告
annual_report = 你的年度总结已生成
admin-sign_up = { $actors } 在 { $target } 注册了
admin-report = { $actors } 举报了 { $target }
notification = { $actors } 通知了你
