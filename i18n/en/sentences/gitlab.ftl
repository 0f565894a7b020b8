### The English sentences of GitLab’s to-dos.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target.

added_approver = { $actors } made you an approver of { $target }
approval_required = { $actors } asked you to approve { $target }
assigned = { $actors } assigned { $target } to you
build_failed = The pipeline of { $target } failed
directly_addressed = { $actors } mentioned you directly in { $target }
marked = { $actors } put { $target } on the to-do list
member_access_requested = { $actors } asked for access to { $target }
mentioned = { $actors } mentioned you in { $target }
merge_train_removed = { $target } left the merge train
okr_checkin_requested = { $actors } asked you for a check-in on { $target }
review_requested = { $actors } requested your review on { $target }
review_submitted = { $actors } reviewed { $target }
ssh_key_expired = The SSH key { $target } has expired
ssh_key_expiring_soon = The SSH key { $target } expires soon
unmergeable = { $target } can't be merged
update = { $actors } has a to-do for you: { $target }
