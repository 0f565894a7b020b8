### The English texts of the digest that the window shows without opening it.

digest = Digest
openDigest = Open digest
keyDigest = Open the digest

# $span (string)
digestOf = Digest since: { $span }

# $items (number), $more (boolean), $when (string)
awayBanner = While you were away: { $items }{ PLUS($more) } new since { $when }

# $time (string)
yesterdayAt = yesterday { $time }

sinceEvening = yesterday evening
sinceDay = 24 hours ago
sinceDays = 3 days ago
sinceWeek = a week ago

# $count (number)
didArchiveItems =
    { $count ->
        [one] { $count } notification archived
       *[other] { $count } notifications archived
    }

# $count (number)
itemsAreBack =
    { $count ->
        [one] { $count } notification is back
       *[other] { $count } notifications are back
    }
