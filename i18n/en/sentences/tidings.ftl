### The English sentences of a Tidings server’s notifications; `own` is for the user whom the target belongs to.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target, $target_type.

create = { $actors } created { $target }
comment = { $actors } commented on { $target }
    .own = { $actors } commented on your { $target_type } { $target }
reply = { $actors } replied to { $target }
    .own = { $actors } replied to your { $target_type } { $target }
like = { $actors } liked { $target }
    .own = { $actors } liked your { $target_type } { $target }
hate = { $actors } disliked { $target }
    .own = { $actors } disliked your { $target_type } { $target }
vote = { $actors } voted for { $target }
    .own = { $actors } voted for your { $target_type } { $target }
update = { $actors } updated { $target }
    .own = { $actors } updated your { $target_type } { $target }
mention = { $actors } mentioned you in { $target }
    .own = { $actors } mentioned you in your { $target_type } { $target }
follow = { $actors } followed { $target }
    .own = { $actors } followed you
share = { $actors } shared { $target }
    .own = { $actors } shared your { $target_type } { $target }
assign = { $actors } assigned you { $target }
publish = { $actors } published { $target }
    .own = { $actors } published your { $target_type } { $target }
