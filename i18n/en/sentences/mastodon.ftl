### The English sentences of Mastodon’s notifications.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target.

mention = { $actors } mentioned you
status = { $actors } posted { $target }
reblog = { $actors } boosted { $target }
favourite = { $actors } favourited { $target }
reaction = { $actors } reacted to { $target }
quote = { $actors } quoted you
follow = { $actors } followed you
follow_request = { $actors } asked to follow you
poll = The poll { $target } has ended
update = { $actors } edited { $target }
quoted_update = { $actors } edited { $target }, which you quoted
move = { $actors } moved to another account
severed_relationships = Your follows with { $target } have ended
moderation_warning = The moderators warned you
annual_report = Your annual report is ready
admin-sign_up = { $actors } signed up on { $target }
admin-report = { $actors } reported { $target }
notification = { $actors } notified you
