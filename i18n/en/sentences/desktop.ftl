### The English sentences of what was lost of other programs’ notifications.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $count.

lost = { $count } notifications of other programs arrived too fast to be kept
