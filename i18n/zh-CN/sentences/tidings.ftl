### The Simplified Chinese sentences of a Tidings server’s notifications; `own` is for the user whom the target belongs to.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target, $target_type.

create = { $actors } 创建了 { $target }
comment = { $actors } 评论了 { $target }
    .own = { $actors } 评论了你的{ $target_type } { $target }
reply = { $actors } 回复了 { $target }
    .own = { $actors } 回复了你的{ $target_type } { $target }
like = { $actors } 喜欢了 { $target }
    .own = { $actors } 喜欢了你的{ $target_type } { $target }
hate = { $actors } 踩了 { $target }
    .own = { $actors } 踩了你的{ $target_type } { $target }
vote = { $actors } 投票给了 { $target }
    .own = { $actors } 投票给了你的{ $target_type } { $target }
update = { $actors } 更新了 { $target }
    .own = { $actors } 更新了你的{ $target_type } { $target }
mention = { $actors } 在 { $target } 中提到了你
    .own = { $actors } 在你的{ $target_type } { $target } 中提到了你
follow = { $actors } 关注了 { $target }
    .own = { $actors } 关注了你
share = { $actors } 分享了 { $target }
    .own = { $actors } 分享了你的{ $target_type } { $target }
assign = { $actors } 把 { $target } 分配给了你
publish = { $actors } 发布了 { $target }
    .own = { $actors } 发布了你的{ $target_type } { $target }
