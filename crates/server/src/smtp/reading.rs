//! Reads a mail apart, and says in SMTP's words why it is not taken. A mail that can't be read is refused for good, because its
//! sender would send it again for days.

use axum::body::Bytes;
use tidings_sandbox::Failure;
use tidings_sandbox::marks::Kind;

use super::mime;
use crate::http::mail::{Mail, MailRefusal};
use crate::http::marks;

/// Reads a mail to a topic. Where no process can be started for it, its beginning is taken as text.
///
/// # Errors
/// 554 for a mail that can't be read, or that is passed by, and 451 where too many are being read.
pub(super) async fn read(topic: &str, raw: Bytes) -> Result<Mail, MailRefusal> {
    let Ok(mark) = marks::begin(Kind::Mail, topic, raw.clone()).await else {
        return Err(refused("the server ended while it read this mail before, so it is not read again"));
    };
    let read = tidings_sandbox::run(&mime::PARSER, topic, vec![raw.clone()]).await;
    let failure = match read {
        Ok(answer) => {
            marks::end(mark).await;
            return match mime::read_answer(answer) {
                Some(read) => read.map_err(|why| refused(&why.to_string())),
                None => Err(refused("this mail can't be read: its parser failed")),
            };
        }
        Err(failure) => failure,
    };
    if failure.is_of_input() {
        marks::pass_by(mark).await;
    } else {
        marks::end(mark).await;
    }
    match failure {
        Failure::Busy => {
            Err(MailRefusal { code: 451, text: "too many mails are being read; try again later".to_owned() })
        }
        Failure::NoChild => Ok(mime::as_text(&raw)),
        failure => Err(refused(&format!("this mail can't be read: {failure}"))),
    }
}

/// A refusal for good.
fn refused(why: &str) -> MailRefusal {
    MailRefusal { code: 554, text: why.to_owned() }
}
