### The English sentences of Forgejo’s notifications.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $actors, $target.

comment = { $actors } commented on { $target }
release = { $actors } released { $target }
transfer = { $actors } was transferred to you: { $target }
update = { $actors } updated { $target }
