### The Simplified Chinese sentences of GitHub’s notifications, by their reason.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target.

approval_requested = { $actors } 请你批准 { $target }
assign = { $actors } 把 { $target } 分配给了你
author = { $actors } 更新了你发起的 { $target }
ci_activity = { $actors } 报告：{ $target }
comment = { $actors } 更新了你评论过的 { $target }
invitation = { $actors } 邀请你：{ $target }
manual = { $actors } 更新了你关注的 { $target }
member_feature_requested = { $actors } 有一项成员请求：{ $target }
mention = { $actors } 在 { $target } 中提到了你
release = { $actors } 发布了 { $target }
review_requested = { $actors } 请你评审 { $target }
security_advisory_credit = { $actors } 因 { $target } 向你致谢
security_alert = { $actors } 有一条安全警报：{ $target }
state_change = { $actors } 更改了 { $target } 的状态
subscribed = { $actors } 更新了 { $target }
team_mention = { $actors } 在 { $target } 中提到了你的团队
update = { $actors } 更新了 { $target }
your_activity = { $actors } 更新了你参与过的 { $target }
