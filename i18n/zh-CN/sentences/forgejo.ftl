### The Simplified Chinese sentences of Forgejo’s notifications.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target.

comment = { $actors } 评论了 { $target }
release = { $actors } 发布了 { $target }
transfer = { $actors } 已转让给你：{ $target }
update = { $actors } 更新了 { $target }
