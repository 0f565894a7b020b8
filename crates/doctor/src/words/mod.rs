//! Findings in words.

mod en;
mod zh_cn;

use tidings_ipc::FindingPart;
use tidings_model::{Lang, Stamp};

use crate::Found;

/// What was found, and what to do.
type Words = (String, Option<&'static str>);

/// The words of a finding.
pub(super) fn of(found: &Found, lang: Lang) -> Words {
    match lang {
        Lang::En => en::words(found),
        Lang::ZhCn => zh_cn::words(found),
    }
}

/// The name of a part.
pub(super) const fn name(part: FindingPart, lang: Lang) -> &'static str {
    match lang {
        Lang::En => en::name(part),
        Lang::ZhCn => zh_cn::name(part),
    }
}

/// A time as it is written everywhere.
fn time(at: Stamp) -> String {
    at.to_datetime().with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M").to_string()
}

/// A duration in the largest unit of which it has at least two: days, hours or minutes.
enum Span {
    Days(u64),
    Hours(u64),
    Minutes(u64),
}

impl Span {
    const fn of(seconds: u64) -> Self {
        match seconds {
            172_800.. => Self::Days(seconds / 86_400),
            7_200.. => Self::Hours(seconds / 3_600),
            _ => Self::Minutes(seconds / 60),
        }
    }
}
