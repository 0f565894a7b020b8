//! Reads a mail apart, and says in SMTP's words why it is not taken. What exceeds a bound is refused for good, because
//! its sender would send it again for days. What could not be read is no less a mail, and shown as it came.

use axum::body::Bytes;
use tidings_sandbox::Failure;
use tidings_sandbox::marks::Kind;
use tidings_server_core::marks;

use super::mime;
use crate::ntfy::mail::{Mail, MailRefusal};

/// The text before a mail that is passed by.
const PASSED_BY: &str = "The server ended while it read this mail before, so it is shown as it came.";

/// Reads a mail to a topic. One that could not be read, now or before, has its beginning as its text.
///
/// # Errors
/// 554 for a mail that exceeds a bound, and 451 if too many are being read.
pub(super) async fn read(topic: &str, raw: Bytes) -> Result<Mail, MailRefusal> {
    let Ok(mark) = marks::begin(Kind::Mail, topic, raw.clone()).await else {
        return Ok(mime::as_text(&raw, PASSED_BY));
    };
    let read = tidings_sandbox::run(&mime::PARSER, topic, vec![raw.clone()]).await;
    let read = read.and_then(|answer| mime::read_answer(answer).ok_or(Failure::Crashed));
    let failure = match read {
        Ok(read) => {
            marks::end(mark).await;
            return read.map_err(|why| MailRefusal { code: 554, text: why.to_string() });
        }
        Err(failure) => failure,
    };
    if failure.is_of_input() {
        marks::pass_by(mark).await;
    } else {
        marks::end(mark).await;
    }
    if failure == Failure::Busy {
        let text = "too many mails are being read; try again later".to_owned();
        return Err(MailRefusal { code: 451, text });
    }
    Ok(mime::as_text(&raw, &format!("This mail could not be read ({failure}), so it is shown as it came.")))
}
