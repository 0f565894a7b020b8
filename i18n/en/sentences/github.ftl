### The English sentences of GitHub’s notifications, by their reason.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target.

approval_requested = { $actors } asked you to approve { $target }
assign = { $actors } assigned { $target } to you
author = { $actors } updated { $target }, which you opened
ci_activity = { $actors } reports: { $target }
comment = { $actors } updated { $target }, where you commented
invitation = { $actors } invites you: { $target }
manual = { $actors } updated { $target }, which you follow
member_feature_requested = { $actors } has a request of a member: { $target }
mention = { $actors } mentioned you in { $target }
release = { $actors } released { $target }
review_requested = { $actors } requested your review on { $target }
security_advisory_credit = { $actors } credited you for { $target }
security_alert = { $actors } has a security alert: { $target }
state_change = { $actors } changed the state of { $target }
subscribed = { $actors } updated { $target }
team_mention = { $actors } mentioned your team in { $target }
update = { $actors } updated { $target }
your_activity = { $actors } updated { $target }, where you took part
