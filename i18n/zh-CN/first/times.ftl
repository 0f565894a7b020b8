### The Simplified Chinese words for times and sizes.

# $day (number)
weekdayName =
    { $day ->
        [0] 周日
        [1] 周一
        [2] 周二
        [3] 周三
        [4] 周四
        [5] 周五
       *[6] 周六
    }
# $month (number)
monthShort = { $month }月
# $day (number), $month (number)
dayAndMonth = { $month }月{ $day }日
# $day (number), $month (number), $year (string)
dayMonthYear = { $year }年{ $month }月{ $day }日
# $hours (number), $minutes (string), $morning (boolean)
halfDayTime =
    { $morning ->
        [true] 上午{ $hours }:{ $minutes }
       *[false] 下午{ $hours }:{ $minutes }
    }
# $count (number)
bytes = { $count } 字节
# $names (list)
names = { LIST($names, between: "、") }
