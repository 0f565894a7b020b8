//! What Gotify's API knows of a message that a notification has no field for: its priority on Gotify's scale, and its
//! extras. Both are kept in the notification's `data` and come back as they were sent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tidings_model::{Content, Priority};

/// The member of a notification's `data` with the [`Original`].
const DATA_KEY: &str = "gotify";

/// The target type of Gotify's messages.
pub const APPLICATION_TARGET: &str = "application";

/// What a message was sent with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Original {
    /// The priority, usually 0 to 10.
    #[serde(default)]
    pub priority: i64,
    /// The extras: further values by names like `client::display`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extras: Map<String, Value>,
}

impl Original {
    /// What the message with this content was sent with; the default where that is not known.
    pub fn of(content: &Content) -> Self {
        let stored = content.data.get(DATA_KEY).cloned().unwrap_or_default();
        serde_json::from_value(stored).unwrap_or_default()
    }

    /// Keeps it in the content of its notification.
    pub fn keep_in(&self, content: &mut Content) {
        if let Ok(stored) = serde_json::to_value(self) {
            content.data.insert(DATA_KEY.to_owned(), stored);
        }
    }
}

/// The priority of a notification for one on Gotify's scale. A number beyond the scale counts as its end.
pub fn priority(gotify: i64) -> Priority {
    let number = match gotify {
        ..=0 => 1,
        1..=3 => 2,
        4..=7 => 3,
        8..=9 => 4,
        10.. => 5,
    };
    Priority::new(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn gotifys_eleven_priorities_are_five() {
        let numbers: Vec<u8> = (-1..=11).map(|n| priority(n).get()).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn what_was_sent_is_kept_beside_other_data() {
        let mut content = Content::default();
        content.data.insert("other".to_owned(), json!(1));
        assert_eq!(Original::of(&content), Original::default());
        let extras = json!({"home::lamp": {"on": true}, "n": 1.5}).as_object().cloned().unwrap();
        let original = Original { priority: 7, extras };
        original.keep_in(&mut content);
        assert_eq!((Original::of(&content), content.data.len()), (original, 2));
        content.data.insert(DATA_KEY.to_owned(), json!("damaged"));
        assert_eq!(Original::of(&content), Original::default());
    }
}
