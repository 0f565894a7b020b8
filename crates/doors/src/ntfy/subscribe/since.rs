//! The parameters of a subscription: from which point on, and which messages.

use tidings_model::{MsgId, Stamp};
use tidings_store::domain::msgid;

use crate::ntfy::draft::{comma_separated, priority};
use crate::ntfy::error::{NtfyError, PRIORITY_INVALID, SINCE_INVALID};
use crate::ntfy::fields::{Field, Fields};

/// Bytes that a text of a filter takes beside its own: its place in a list, and what the allocator adds.
const TEXT_OVERHEAD: usize = 64;

/// From which point on a subscription wants messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Since {
    /// All that are there.
    All,
    /// Only what comes from now on.
    None,
    /// The newest one of each topic.
    Latest,
    /// Those published at or after a time.
    Time(Stamp),
    /// Those after the message with this id, which encodes this stamp.
    Id(MsgId, Stamp),
}

impl Since {
    /// Reads the parameter `since`; without it all for a poll, none for a stream.
    pub(super) fn read(fields: &Fields<'_>, poll: bool, now: Stamp) -> Result<Self, NtfyError> {
        let Some(text) = fields.get(Field::Since) else {
            return Ok(if poll { Self::All } else { Self::None });
        };
        match text.as_str() {
            "all" => return Ok(Self::All),
            "none" => return Ok(Self::None),
            "latest" => return Ok(Self::Latest),
            _ => {}
        }
        if let Some(stamp) = msgid::stamp_of(&text) {
            return Ok(Self::Id(MsgId(text), stamp));
        }
        if let Ok(secs) = text.parse() {
            return Ok(Self::Time(Stamp::from_secs(secs)));
        }
        let micros = parse_duration(&text).ok_or(SINCE_INVALID)?;
        // Whole seconds, as those of messages.
        Ok(Self::Time(Stamp::from_secs(now.plus_micros(-micros).as_secs())))
    }
}

/// Parses a duration in Go's notation, such as `1h30m` or `1.5h`, in microseconds.
fn parse_duration(text: &str) -> Option<i64> {
    let (mut rest, mut total) = (text, 0.0);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(end);
        let letters = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let micros = match unit {
            "ns" => 0.001,
            "us" | "µs" | "μs" => 1.0,
            "ms" => 1e3,
            "s" => 1e6,
            "m" => 60e6,
            "h" => 3_600e6,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * micros;
        rest = tail;
    }
    #[allow(clippy::cast_possible_truncation, reason = "it is below the bound, which is exact")]
    (total < 9e15).then_some(total as i64)
}

/// Which messages a subscription wants; events other than messages always pass.
#[derive(Debug, Default)]
pub(super) struct Filters {
    id: Option<String>,
    message: Option<String>,
    title: Option<String>,
    priorities: Vec<u8>,
    tags: Vec<String>,
}

impl Filters {
    /// Reads the filters of a request.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, NtfyError> {
        let list = |field| comma_separated(&fields.get(field).unwrap_or_default());
        let mut priorities = Vec::new();
        // Browsers send a header of this name for themselves (RFC 9218).
        for text in list(Field::Priority).iter().filter(|text| !text.starts_with("u=") && *text != "i") {
            priorities.push(priority(text).map_err(|_| PRIORITY_INVALID)?.get());
        }
        Ok(Self {
            id: fields.get(Field::Id),
            message: fields.get(Field::Message),
            title: fields.get(Field::Title),
            priorities,
            tags: list(Field::Tags),
        })
    }

    /// The bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        let texts = [&self.id, &self.message, &self.title].into_iter().flatten().chain(&self.tags);
        texts.map(|text| text.len() + TEXT_OVERHEAD).sum::<usize>() + self.priorities.len()
    }

    /// Whether a message passes; `message` is as it is sent.
    pub(super) fn pass(&self, message: &serde_json::Value) -> bool {
        if message["event"] != "message" {
            return true;
        }
        let is = |name: &str, wanted: &Option<String>| wanted.as_ref().is_none_or(|w| message[name] == **w);
        let priority = message["priority"].as_u64().unwrap_or(3);
        let has_tag = |tag: &String| {
            message["tags"].as_array().is_some_and(|tags| tags.iter().any(|known| known == tag))
        };
        is("id", &self.id)
            && is("message", &self.message)
            && is("title", &self.title)
            && (self.priorities.is_empty() || self.priorities.iter().any(|p| u64::from(*p) == priority))
            && self.tags.iter().all(has_tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_read_as_go_writes_it() {
        for (text, micros) in
            [("30s", 30_000_000), ("1h30m", 5_400_000_000), ("1.5h", 5_400_000_000), ("500ms", 500_000)]
        {
            assert_eq!(parse_duration(text), Some(micros), "{text}");
        }
        for odd in ["", "1", "1d", "h", "1h-", "-5m", "soon", "99999999999h"] {
            assert_eq!(parse_duration(odd), None, "{odd}");
        }
    }
}
