//! Tests of quiet hours, also in the night in which the clock is set forward or back.

use chrono::{FixedOffset, MappedLocalTime, Offset};

use super::*;

/// Central European time in 2026: UTC+1, and UTC+2 from 29 March 01:00 to 25 October 01:00 UTC.
#[derive(Debug, Clone, Copy)]
struct Berlin;

const SPRING: &str = "2026-03-29T01:00:00";
const AUTUMN: &str = "2026-10-25T01:00:00";

fn naive(text: &str) -> NaiveDateTime {
    text.parse().unwrap()
}

fn hours(n: i32) -> FixedOffset {
    FixedOffset::east_opt(n * 3_600).unwrap()
}

impl TimeZone for Berlin {
    type Offset = FixedOffset;

    fn from_offset(_: &FixedOffset) -> Self {
        Self
    }

    fn offset_from_local_date(&self, _: &NaiveDate) -> MappedLocalTime<FixedOffset> {
        MappedLocalTime::None
    }

    fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> MappedLocalTime<FixedOffset> {
        let fits = |offset: FixedOffset| {
            let utc = *local - Duration::seconds(offset.fix().local_minus_utc().into());
            self.offset_from_utc_datetime(&utc) == offset
        };
        match (fits(hours(2)), fits(hours(1))) {
            (true, true) => MappedLocalTime::Ambiguous(hours(2), hours(1)),
            (true, false) => MappedLocalTime::Single(hours(2)),
            (false, true) => MappedLocalTime::Single(hours(1)),
            (false, false) => MappedLocalTime::None,
        }
    }

    fn offset_from_utc_date(&self, _: &NaiveDate) -> FixedOffset {
        hours(1)
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> FixedOffset {
        hours(if (naive(SPRING)..naive(AUTUMN)).contains(utc) { 2 } else { 1 })
    }
}

const ZONE: ChronoZone<Berlin> = ChronoZone(Berlin);

fn at(utc: &str) -> Stamp {
    Stamp::from_micros(naive(utc).and_utc().timestamp_micros())
}

const EVERY_DAY: [bool; 7] = [true; 7];
/// Monday to Friday.
const WORK: [bool; 7] = [true, true, true, true, true, false, false];

fn quiet(days: [bool; 7], from: u16, to: u16, passes: Option<u8>) -> QuietHours {
    QuietHours { on: true, days, from: from * 60, to: to * 60, passes, ..QuietHours::default() }
}

fn until(hours: &[QuietHours], utc: &str) -> Option<Stamp> {
    in_force(hours, &ZONE, at(utc)).map(|quiet| quiet.until)
}

#[test]
fn quiet_hours_last_over_midnight_and_belong_to_the_day_on_which_they_begin() {
    // Friday 20 November 2026; local time is an hour ahead of UTC.
    let nights = [quiet(WORK, 22, 7, None)];
    assert_eq!(until(&nights, "2026-11-20T20:59:59"), None);
    assert_eq!(until(&nights, "2026-11-20T21:00:00"), Some(at("2026-11-21T06:00:00")));
    assert_eq!(until(&nights, "2026-11-21T05:59:59"), Some(at("2026-11-21T06:00:00")), "Friday's night");
    assert_eq!(until(&nights, "2026-11-21T06:00:00"), None);
    assert_eq!(until(&nights, "2026-11-21T23:00:00"), None, "none begins on a Saturday");
    let off = [QuietHours { on: false, ..nights[0].clone() }];
    assert_eq!(until(&off, "2026-11-20T22:00:00"), None);
}

#[test]
fn the_moments_at_which_it_changes_are_known() {
    let nights = [quiet(WORK, 22, 7, None)];
    let next = |utc: &str| next_change(&nights, &ZONE, at(utc));
    assert_eq!(next("2026-11-20T12:00:00"), Some(at("2026-11-20T21:00:00")));
    assert_eq!(next("2026-11-20T21:00:00"), Some(at("2026-11-21T06:00:00")));
    assert_eq!(next("2026-11-21T06:00:00"), Some(at("2026-11-23T21:00:00")), "over the weekend");
    assert_eq!(next_change(&[], &ZONE, at("2026-11-20T12:00:00")), None);
}

#[test]
fn a_night_in_which_the_clock_is_set_is_an_hour_shorter_or_longer() {
    let nights = [quiet(EVERY_DAY, 22, 7, None)];
    // Set forward: 22:00 at +1 is 21:00 UTC, 07:00 at +2 is 05:00.
    assert_eq!(until(&nights, "2026-03-28T21:00:00"), Some(at("2026-03-29T05:00:00")));
    // Set back: 22:00 at +2 is 20:00 UTC, 07:00 at +1 is 06:00.
    assert_eq!(until(&nights, "2026-10-24T19:59:00"), None);
    assert_eq!(until(&nights, "2026-10-24T20:00:00"), Some(at("2026-10-25T06:00:00")));
    // 02:30 does not exist on one of the days, so the hours begin with the change; on the other it occurs twice.
    let early = [QuietHours { from: 150, to: 240, ..quiet(EVERY_DAY, 0, 0, None) }];
    assert_eq!(until(&early, "2026-03-29T00:59:00"), None);
    assert_eq!(until(&early, "2026-03-29T01:00:00"), Some(at("2026-03-29T02:00:00")));
    assert_eq!(until(&early, "2026-10-25T00:30:00"), Some(at("2026-10-25T03:00:00")));
}

#[test]
fn hours_that_follow_one_another_are_one_and_what_passes_must_pass_all() {
    let both = [quiet(EVERY_DAY, 22, 7, Some(4)), quiet(EVERY_DAY, 6, 9, Some(5))];
    let quiet_at = |utc: &str| in_force(&both, &ZONE, at(utc)).unwrap();
    assert_eq!(
        quiet_at("2026-11-20T22:00:00"),
        ActiveQuietHours { until: at("2026-11-21T08:00:00"), passes: Some(4) }
    );
    assert_eq!(quiet_at("2026-11-21T05:30:00").passes, Some(5));
    let strict = [both[0].clone(), quiet(EVERY_DAY, 22, 7, None)];
    assert_eq!(in_force(&strict, &ZONE, at("2026-11-20T22:00:00")).unwrap().passes, None);
    // Equal times make a whole day.
    let always = [quiet(EVERY_DAY, 8, 8, None)];
    assert!(in_force(&always, &ZONE, at("2026-11-20T07:00:00")).unwrap().until > at("2026-11-27T00:00:00"));
}

#[test]
fn tomorrow_begins_at_eight_on_the_wall() {
    assert_eq!(tomorrow_morning(&ZONE, at("2026-11-20T22:30:00")), at("2026-11-21T07:00:00"));
    assert_eq!(
        tomorrow_morning(&ZONE, at("2026-11-20T23:30:00")),
        at("2026-11-22T07:00:00"),
        "it is past midnight there"
    );
    assert_eq!(
        tomorrow_morning(&ZONE, at("2026-03-28T12:00:00")),
        at("2026-03-29T06:00:00"),
        "the clock is set in between"
    );
    assert_eq!(clock_time(&ZONE, at("2026-07-01T08:00:00")), "10:00");
}
