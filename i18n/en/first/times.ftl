### The English words for times and sizes.

# From 0 for Sunday.
# $day (number)
weekdayName =
    { $day ->
        [0] Sun
        [1] Mon
        [2] Tue
        [3] Wed
        [4] Thu
        [5] Fri
       *[6] Sat
    }
# $month (number)
monthShort =
    { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sept
        [10] Oct
        [11] Nov
       *[12] Dec
    }
# $day (number), $month (number)
dayAndMonth = { $day } { monthShort }
# $day (number), $month (number), $year (string)
dayMonthYear = { $day } { monthShort } { $year }
# A time of a clock with 12 hours, which are counted from 0.
# $hours (number), $minutes (string), $morning (boolean)
halfDayTime =
    { $hours ->
        [0] 12
       *[other] { $hours }
    }:{ $minutes } { $morning ->
        [true] AM
       *[false] PM
    }
# $count (number)
bytes =
    { $count ->
        [one] { $count } byte
       *[other] { $count } bytes
    }
# $names (list)
names = { LIST($names, between: ", ") }
