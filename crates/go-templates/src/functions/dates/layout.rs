//! Go's layouts of times: an example of how the second of January 2006, 15:04:05, would be written.

use std::fmt::Write;

use chrono::format::{Fixed, Item, Numeric, Pad, Parsed, parse};
use chrono::{FixedOffset, Local, TimeZone, Timelike};

use super::Moment;

/// A piece of a layout.
#[derive(Debug, Clone, PartialEq)]
enum Piece<'a> {
    /// Stands for itself.
    Text(&'a str),
    /// A part of a time.
    Part(Item<'static>),
    /// The abbreviation of the zone's name.
    ZoneName,
    /// A part of a second with the dot, or comma, before it, and its number of digits.
    Fraction { digits: usize, drops_zeros: bool },
}

const fn number(of: Numeric, pad: Pad) -> Piece<'static> {
    Piece::Part(Item::Numeric(of, pad))
}

const fn fixed(of: Fixed) -> Piece<'static> {
    Piece::Part(Item::Fixed(of))
}

/// What the examples stand for; one that begins as another does comes before it.
static EXAMPLES: [(&str, Piece<'static>); 29] = [
    ("January", fixed(Fixed::LongMonthName)),
    ("Jan", fixed(Fixed::ShortMonthName)),
    ("Monday", fixed(Fixed::LongWeekdayName)),
    ("Mon", fixed(Fixed::ShortWeekdayName)),
    ("MST", Piece::ZoneName),
    ("2006", number(Numeric::Year, Pad::Zero)),
    ("002", number(Numeric::Ordinal, Pad::Zero)),
    ("__2", number(Numeric::Ordinal, Pad::Space)),
    ("01", number(Numeric::Month, Pad::Zero)),
    ("02", number(Numeric::Day, Pad::Zero)),
    ("03", number(Numeric::Hour12, Pad::Zero)),
    ("04", number(Numeric::Minute, Pad::Zero)),
    ("05", number(Numeric::Second, Pad::Zero)),
    ("06", number(Numeric::YearMod100, Pad::Zero)),
    ("_2", number(Numeric::Day, Pad::Space)),
    ("15", number(Numeric::Hour, Pad::Zero)),
    ("PM", fixed(Fixed::UpperAmPm)),
    ("pm", fixed(Fixed::LowerAmPm)),
    ("-07:00:00", fixed(Fixed::TimezoneOffsetDoubleColon)),
    ("-07:00", fixed(Fixed::TimezoneOffsetColon)),
    ("-0700", fixed(Fixed::TimezoneOffset)),
    ("-07", fixed(Fixed::TimezoneOffsetTripleColon)),
    ("Z07:00", fixed(Fixed::TimezoneOffsetColonZ)),
    ("Z0700", fixed(Fixed::TimezoneOffsetZ)),
    ("1", number(Numeric::Month, Pad::None)),
    ("2", number(Numeric::Day, Pad::None)),
    ("3", number(Numeric::Hour12, Pad::None)),
    ("4", number(Numeric::Minute, Pad::None)),
    ("5", number(Numeric::Second, Pad::None)),
];

/// The piece at the start of a layout, with its length in bytes.
fn first_piece(layout: &str) -> Option<(Piece<'static>, usize)> {
    if let Some(found) = fraction(layout) {
        return Some(found);
    }
    let (example, piece) = EXAMPLES.iter().find(|(example, _)| layout.starts_with(example))?;
    let after = layout.get(example.len()..)?;
    // `Month` begins with no name of a day, and in `_2006` the line stands for itself.
    let is_other = match *example {
        "Jan" | "Mon" => after.starts_with(|c: char| c.is_ascii_lowercase()),
        "_2" => after.starts_with("006"),
        _ => false,
    };
    (!is_other).then(|| (piece.clone(), example.len()))
}

/// `.000` or `,999`, with no further digit after it.
fn fraction(layout: &str) -> Option<(Piece<'static>, usize)> {
    let rest = layout.strip_prefix(['.', ','])?;
    let digit = rest.chars().next().filter(|digit| matches!(digit, '0' | '9'))?;
    let digits = rest.len() - rest.trim_start_matches(digit).len();
    let ends = !rest.chars().nth(digits).is_some_and(|c| c.is_ascii_digit());
    ends.then_some((Piece::Fraction { digits, drops_zeros: digit == '9' }, digits + 1))
}

fn pieces(layout: &str) -> Vec<Piece<'_>> {
    let (mut found, mut text_from, mut at) = (Vec::new(), 0, 0);
    while let Some(rest) = layout.get(at..).filter(|rest| !rest.is_empty()) {
        let Some((piece, length)) = first_piece(rest) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        found.extend(layout.get(text_from..at).filter(|text| !text.is_empty()).map(Piece::Text));
        found.push(piece);
        at += length;
        text_from = at;
    }
    found.extend(layout.get(text_from..).filter(|text| !text.is_empty()).map(Piece::Text));
    found
}

/// A time in a layout.
pub(super) fn written(layout: &str, moment: &Moment) -> String {
    let mut out = String::new();
    for piece in pieces(layout) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::ZoneName => out.push_str(&moment.zone),
            Piece::Fraction { digits, drops_zeros } => {
                out.push_str(&fraction_of(moment.at.nanosecond(), digits, drops_zeros));
            }
            Piece::Part(item) => {
                let _ = write!(out, "{}", moment.at.format_with_items(std::iter::once(item)));
            }
        }
    }
    out
}

/// The part of a second, with a dot before it; nothing if zeros are dropped and there are no others.
fn fraction_of(nanos: u32, digits: usize, drops_zeros: bool) -> String {
    let all = format!("{:0<digits$}", format!("{:09}", nanos % 1_000_000_000));
    let kept = all.get(..digits).unwrap_or(&all);
    let kept = if drops_zeros { kept.trim_end_matches('0') } else { kept };
    if kept.is_empty() { String::new() } else { format!(".{kept}") }
}

/// Reads a text in a layout. Seconds may have a fraction, even if the layout has none.
pub(super) fn read(layout: &str, text: &str) -> Option<Moment> {
    let pieces = pieces(layout);
    let (mut items, mut has_zone_name) = (Vec::new(), false);
    for piece in &pieces {
        match piece {
            Piece::Text(text) => items.push(Item::Literal(text)),
            Piece::Fraction { .. } => {}
            Piece::ZoneName => {
                has_zone_name = true;
                items.push(Item::Fixed(Fixed::TimezoneName));
            }
            Piece::Part(item) => {
                items.push(item.clone());
                if matches!(item, Item::Numeric(Numeric::Second, _)) {
                    items.push(Item::Fixed(Fixed::Nanosecond));
                }
            }
        }
    }
    let mut parsed = Parsed::new();
    parse(&mut parsed, text, items.iter()).ok()?;
    add_defaults(&mut parsed);
    let local = parsed.to_naive_date().ok()?.and_time(parsed.to_naive_time().ok()?);
    let at = match parsed.offset() {
        Some(seconds) => FixedOffset::east_opt(seconds)?.from_local_datetime(&local).single()?,
        // As in Go, a name that says nothing is that of UTC.
        None if has_zone_name => FixedOffset::east_opt(0)?.from_local_datetime(&local).single()?,
        None => Local.from_local_datetime(&local).earliest()?.fixed_offset(),
    };
    Some(Moment::with_offset(at))
}

/// What a layout does not say: the year 0, the first of January, midnight. What was said stays.
fn add_defaults(parsed: &mut Parsed) {
    if parsed.year().is_none() && parsed.year_mod_100().is_none() {
        let _ = parsed.set_year(0);
    }
    if parsed.ordinal().is_none() {
        let _ = parsed.set_month(1);
        let _ = parsed.set_day(1);
    }
    if parsed.hour_mod_12().is_none() {
        let _ = parsed.set_hour12(12);
    }
    if parsed.hour_div_12().is_none() {
        let _ = parsed.set_ampm(false);
    }
    let _ = parsed.set_minute(0);
    let _ = parsed.set_second(0);
}
