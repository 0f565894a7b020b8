//! What fits no sender and no template: a payload as pretty-printed JSON, and any other body as text. What is longer than
//! a text may be is cut, and the whole goes along as a file.

use std::io;

use serde_json::Value;
use tidings_server_core::domain::limits;
use tidings_server_core::files::UploadError;
use tidings_server_core::http::files::ReceiveError;

use super::notice::Notice;

/// Bytes of a notification's JSON that are left to all but the text.
const ENVELOPE_BYTES: usize = 64 * 1024;
/// Bytes of the sentence that says what was cut, and of the marks around a block of code.
const NOTE_BYTES: usize = 512;

/// A body of which only the beginning is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// JSON.
    Json,
    /// Text, or bytes that are none.
    Text,
}

impl Whole {
    /// The name of its file.
    pub(super) fn file_name(self) -> &'static str {
        match self {
            Self::Json => "payload.json",
            Self::Text => "payload.txt",
        }
    }

    /// The sentence that says that something is left out, and where it is.
    pub(super) fn note(self, bytes: usize, error: Option<&ReceiveError>) -> String {
        let begins = format!("\n\nOnly the beginning of {bytes} bytes is shown here;");
        match error {
            None => format!("{begins} all of it is in the attached file {}.", self.file_name()),
            Some(error) => format!("{begins} the rest was not kept: {}.", reason(error)),
        }
    }
}

/// Why a file was not stored, for those who read the notification.
fn reason(error: &ReceiveError) -> &'static str {
    match error {
        ReceiveError::Upload(UploadError::TooLarge) => {
            "it is larger than the server takes, or the room for files is used up"
        }
        ReceiveError::Upload(UploadError::Busy) => "too many files were being uploaded",
        ReceiveError::Upload(UploadError::NoRoom) => "the server's disk has no room for files",
        ReceiveError::Upload(UploadError::Io(_)) | ReceiveError::Request(_) | ReceiveError::Store(_) => {
            "the server could not store it"
        }
    }
}

/// A payload as a block of code, after an introduction if there is one; and whether it had to be cut.
pub(super) fn of_json(title: &str, introduction: &str, payload: &Value) -> (Notice, Option<Whole>) {
    let pretty = beginning(payload);
    let shown = cut(&pretty, introduction.len());
    let whole = (shown.len() < pretty.len()).then_some(Whole::Json);
    let introduction = if introduction.is_empty() { String::new() } else { format!("{introduction}\n\n") };
    (Notice::new(title).markdown(format!("{introduction}```json\n{shown}\n```")), whole)
}

/// A payload, pretty-printed as far as a text may go: of a longer one there is more here than [`cut`] leaves.
fn beginning(payload: &Value) -> String {
    let mut beginning = Beginning(Vec::new());
    // An error says that it is longer.
    let _ = serde_json::to_writer_pretty(&mut beginning, payload);
    String::from_utf8(beginning.0).unwrap_or_default()
}

/// Takes writes until it has more than a text may have.
struct Beginning(Vec<u8>);

impl io::Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > limits::TEXT_BYTES {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A body that is not JSON, as text, after an introduction if there is one; and whether it had to be cut.
pub(super) fn of_text(title: &str, introduction: &str, body: &[u8]) -> (Notice, Option<Whole>) {
    let text = String::from_utf8_lossy(body).replace('\0', "\u{fffd}");
    let shown = cut(text.trim(), introduction.len());
    let is_whole = shown.len() == text.trim().len() && std::str::from_utf8(body).is_ok();
    let introduction = if introduction.is_empty() { String::new() } else { format!("{introduction}\n\n") };
    (Notice::new(title).body(format!("{introduction}{shown}")), (!is_whole).then_some(Whole::Text))
}

/// The beginning of a text that a notification has room for, in bytes and as JSON, beside `taken` bytes.
pub(super) fn cut(text: &str, taken: usize) -> &str {
    let reserved = NOTE_BYTES + taken;
    let mut bytes = limits::TEXT_BYTES.saturating_sub(reserved);
    let mut json = limits::NOTIFICATION_BYTES.saturating_sub(ENVELOPE_BYTES + reserved);
    for (at, character) in text.char_indices() {
        let (plain, escaped) = (character.len_utf8(), json_bytes(character));
        let (Some(left), Some(json_left)) = (bytes.checked_sub(plain), json.checked_sub(escaped)) else {
            return text.get(..at).unwrap_or_default();
        };
        (bytes, json) = (left, json_left);
    }
    text
}

/// The bytes of a character in a JSON text.
fn json_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        control if control < ' ' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tidings_store::domain::draft::Draft;

    fn fits(notice: Notice, whole: Whole) {
        let mut draft: Draft = notice.draft("t", None, "", "");
        draft.content.body.push_str(&whole.note(usize::MAX, None));
        draft.check().unwrap();
        assert!(draft.content.body.len() <= limits::TEXT_BYTES, "{}", draft.content.body.len());
    }

    #[test]
    fn what_is_short_is_whole() {
        let (notice, whole) = of_json("t", "", &json!({"a": [1, 2]}));
        assert_eq!(whole, None);
        assert_eq!(notice.body, "```json\n{\n  \"a\": [\n    1,\n    2\n  ]\n}\n```");
        let (notice, whole) = of_text("t", "", b"plain\n");
        assert_eq!((notice.body.as_str(), whole), ("plain", None));
    }

    #[test]
    fn no_more_is_written_of_a_long_payload_than_is_shown_and_one_piece() {
        let texts = json!(vec!["x".repeat(1_000); 10_000]);
        let written = beginning(&texts);
        assert!(
            (limits::TEXT_BYTES + 1..limits::TEXT_BYTES + 2_000).contains(&written.len()),
            "{}",
            written.len()
        );
        assert!(serde_json::to_string_pretty(&texts).unwrap().starts_with(&written));
        let (_, whole) = of_json("t", "", &texts);
        assert_eq!(whole, Some(Whole::Json));
    }

    #[test]
    fn what_is_long_is_cut_so_that_it_can_be_published() {
        for text in ["x", "\"", "ä", "\u{1}"] {
            let long = text.repeat(limits::TEXT_BYTES);
            let (notice, whole) = of_json("t", "An introduction.", &json!({"text": long}));
            fits(notice, whole.expect("it is cut"));
            let (notice, whole) = of_text("t", "", long.as_bytes());
            fits(notice, whole.expect("it is cut"));
        }
        let (notice, whole) = of_text("t", "", b"\xff\x00");
        assert_eq!((notice.body.as_str(), whole), ("\u{fffd}\u{fffd}", Some(Whole::Text)));
    }
}
