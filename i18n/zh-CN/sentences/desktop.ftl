### The Simplified Chinese sentences of what was lost of other programs’ notifications.
### The name of each is its action, with - in place of a full stop. No sentence has other parameters than these:
### $count.

lost = 其他程序的 { $count } 条通知到达过快，未保留
