### The Simplified Chinese sentences of GitLab’s to-dos.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target.

added_approver = { $actors } 把你设为 { $target } 的批准人
approval_required = { $actors } 请你批准 { $target }
assigned = { $actors } 把 { $target } 分配给了你
build_failed = { $target } 的流水线失败了
directly_addressed = { $actors } 在 { $target } 中直接提到了你
marked = { $actors } 把 { $target } 加入了待办
member_access_requested = { $actors } 请求访问 { $target }
mentioned = { $actors } 在 { $target } 中提到了你
merge_train_removed = { $target } 已移出合并队列
okr_checkin_requested = { $actors } 请你更新 { $target } 的进展
review_requested = { $actors } 请你评审 { $target }
review_submitted = { $actors } 评审了 { $target }
ssh_key_expired = SSH 密钥 { $target } 已过期
ssh_key_expiring_soon = SSH 密钥 { $target } 即将过期
unmergeable = { $target } 无法合并
update = { $actors } 有一项待办给你：{ $target }
