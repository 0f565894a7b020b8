use super::*;

/// A week in November 2026, from a Monday.
const WEEK: Window = Window { from: 1_795_392_000, to: 1_795_392_000 + 7 * 86_400 };

/// A calendar with these events, each in lines.
fn calendar(events: &[&str]) -> String {
    let events = events.iter().map(|event| format!("BEGIN:VEVENT\n{event}\nEND:VEVENT\n"));
    let text = format!(
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test\n{}END:VCALENDAR\n",
        events.collect::<String>()
    );
    text.replace('\n', "\r\n")
}

/// The busy times as text: local ones end with `local`.
fn times(events: &[&str]) -> Vec<String> {
    let shown = |secs| chrono::DateTime::from_timestamp(secs, 0).unwrap().format("%a %H:%M").to_string();
    let text = |time: BusyTime| {
        format!("{}–{}{}", shown(time.from), shown(time.to), if time.local { " local" } else { "" })
    };
    busy(&calendar(events), WEEK).unwrap().into_iter().map(text).collect()
}

#[test]
fn what_is_free_cancelled_or_takes_no_time_is_not_busy() {
    let at = |more: &str| {
        format!("UID:{more}\nDTSTART:20261124T090000Z\nDTEND:20261124T100000Z\nSUMMARY:x\n{more}")
    };
    let one = |more: &str| times(&[&at(more)]);
    assert_eq!(one("LOCATION:here"), ["Tue 09:00–Tue 10:00"]);
    assert_eq!(one("STATUS:TENTATIVE"), ["Tue 09:00–Tue 10:00"]);
    for free in ["TRANSP:TRANSPARENT", "STATUS:CANCELLED", "X-MICROSOFT-CDO-BUSYSTATUS:FREE"] {
        assert_eq!(one(free), Vec::<String>::new(), "{free}");
    }
    assert_eq!(times(&["UID:a\nDTSTART:20261124T090000Z"]), Vec::<String>::new());
    assert_eq!(times(&["UID:a\nDTSTART:20261224T090000Z\nDURATION:PT1H"]), Vec::<String>::new(), "later");
}

#[test]
fn whole_days_and_times_without_a_zone_are_the_readers() {
    assert_eq!(times(&["UID:a\nDTSTART;VALUE=DATE:20261125"]), ["Wed 00:00–Thu 00:00 local"]);
    let days = "UID:a\nDTSTART;VALUE=DATE:20261125\nDTEND;VALUE=DATE:20261128";
    assert_eq!(times(&[days]), ["Wed 00:00–Sat 00:00 local"]);
    let wall = "UID:a\nDTSTART:20261125T090000\nDURATION:PT90M";
    assert_eq!(times(&[wall]), ["Wed 09:00–Wed 10:30 local"]);
    let zoned =
        "UID:a\nDTSTART;TZID=America/New_York:20261125T090000\nDTEND;TZID=America/New_York:20261125T093000";
    assert_eq!(times(&[zoned]), ["Wed 14:00–Wed 14:30"]);
}

#[test]
fn a_meeting_that_recurs_is_busy_but_for_what_was_moved_or_left_out() {
    // In summer it is at another time of UTC.
    let daily = "UID:standup\nSEQUENCE:1\nDTSTART;TZID=Europe/Berlin:20200601T090000
DTEND;TZID=Europe/Berlin:20200601T091500\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR
EXDATE;TZID=Europe/Berlin:20261124T090000";
    let moved = "UID:standup\nSEQUENCE:3\nRECURRENCE-ID;TZID=Europe/Berlin:20261125T090000
DTSTART;TZID=Europe/Berlin:20261125T150000\nDTEND;TZID=Europe/Berlin:20261125T160000";
    let cancelled =
        "UID:standup\nSEQUENCE:2\nSTATUS:CANCELLED\nRECURRENCE-ID;TZID=Europe/Berlin:20261126T090000
DTSTART;TZID=Europe/Berlin:20261126T090000\nDTEND;TZID=Europe/Berlin:20261126T091500";
    // Another event with an exception at the same moment.
    let other = "UID:other\nSEQUENCE:1\nDTSTART;TZID=Europe/Berlin:20261123T090000
DTEND;TZID=Europe/Berlin:20261123T100000\nRRULE:FREQ=DAILY;COUNT=2";
    let expected =
        ["Mon 08:00–Mon 09:00", "Tue 08:00–Tue 09:00", "Wed 14:00–Wed 15:00", "Fri 08:00–Fri 08:15"];
    assert_eq!(times(&[daily, moved, cancelled, other]), expected);
}

/// A description of a zone, with a long comment.
fn zone(name: &str, location: &str) -> String {
    let comment = "x".repeat(5_000);
    format!(
        "BEGIN:VTIMEZONE\r\nTZID:{name}\r\nX-LIC-LOCATION:{location}\r\nCOMMENT:{comment}\r\nEND:VTIMEZONE\r\n"
    )
}

#[test]
fn an_event_comes_with_the_zones_that_it_names_and_no_others() {
    let zones: String = (0..100)
        .map(|n| zone(&format!("Office {n}"), "America/New_York"))
        .chain([zone("Asia/Tokyo", "UTC")])
        .collect();
    let at = |n: usize, zone: &str| {
        format!("UID:{n}\nDTSTART;TZID={zone}:20261125T090000\nDTEND;TZID={zone}:20261125T093000")
    };
    let named: Vec<String> = (0..100)
        .map(|n| at(n, &format!("Office {n}")))
        .chain([at(100, "Asia/Tokyo"), at(101, "Nowhere")])
        .collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let text = calendar(&named).replacen("BEGIN:VEVENT", &format!("{zones}BEGIN:VEVENT"), 1);
    let parsed = calendars(&text).unwrap();
    let sizes: Vec<usize> = events(&parsed[0])
        .map(|event| {
            assert!(event.components.len() <= 2, "an event and its zone");
            event
                .components
                .iter()
                .flat_map(|component| &component.entries)
                .map(|entry| entry.values.len())
                .sum()
        })
        .collect();
    assert_eq!(sizes.len(), 102);
    assert!(sizes.iter().all(|values| *values <= 5), "{sizes:?}");
    let found = busy(&text, WEEK).unwrap();
    let starts: Vec<(bool, i64)> =
        found.iter().map(|time| (time.local, (time.from - WEEK.from) / 3_600)).collect();
    assert_eq!(starts, [(false, 48), (true, 57), (false, 62)], "in Tokyo, in no known zone, in New York");
}

#[test]
fn what_is_no_calendar_or_has_no_end_is_refused_or_bounded() {
    for none in ["", "<html>sign in</html>", "BEGIN:VCARD\r\nFN:x\r\nEND:VCARD\r\n"] {
        assert_eq!(busy(none, WEEK), Err(Unreadable::Malformed), "{none}");
    }
    let minutely = "UID:a\nDTSTART:20261123T000000Z\nDURATION:PT1S\nRRULE:FREQ=MINUTELY";
    assert_eq!(busy(&calendar(&[minutely]), WEEK).unwrap().len(), MAX_TIMES);
    let many: Vec<String> = (0..20)
        .map(|n| format!("UID:{n}\nDTSTART:19700101T000000Z\nDURATION:PT1S\nRRULE:FREQ=SECONDLY"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(busy(&calendar(&many), WEEK), Err(Unreadable::Excess));
}

#[test]
fn whatever_a_calendar_says_its_busy_times_are_few_and_in_order() {
    tidings_testkit::fuzz::run("calendar", 100, |input| {
        let Ok(times) = busy(&String::from_utf8_lossy(input), WEEK) else { return };
        assert!(times.len() <= MAX_TIMES && times.is_sorted_by_key(|time| time.from));
        for time in times {
            assert!(time.from < time.to && time.to > WEEK.from && time.from < WEEK.to, "{time:?}");
        }
    });
}
