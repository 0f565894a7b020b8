//! The times in which a calendar is busy. It is asked for at an address, in iCalendar's format, by the same rules as a source:
//! proxy, certificates, waits, and the size of an answer.

pub(crate) mod apart;
mod busy;

use std::sync::Arc;

use tidings_model::Clock;
use tidings_model::web_url::web_url;
use tidings_net::{Error, Result};
use url::Url;

pub use self::busy::{BusyTime, Window};
use crate::service::Service;
pub use crate::service::Validators;

/// The largest calendar, in bytes.
pub const MAX_CALENDAR_BYTES: usize = 8 << 20;

/// The address of a calendar, as it was typed or copied; `webcal:` stands for `https:`.
///
/// ```
/// use tidings_sources::calendar::address;
///
/// let url = address(" webcal://cal.example.org/ana.ics?key=1 ").unwrap();
/// assert_eq!(url.as_str(), "https://cal.example.org/ana.ics?key=1");
/// assert!(address("file:///etc/passwd").is_none());
/// ```
pub fn address(text: &str) -> Option<Url> {
    let text = text.trim();
    let secure = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("webcal") => Some(format!("https://{rest}")),
        _ => None,
    };
    web_url(secure.as_deref().unwrap_or(text))
}

/// The busy times of a calendar within a window; `None` if it did not change since the answer of `validators`, which become
/// those of this one.
///
/// # Errors
/// [`Error::Address`] if it is no address, else the error of the request, or [`Error::Malformed`], [`Error::AnswerTooLarge`]
/// and [`Error::TooComplex`] for the document.
pub async fn fetch(
    calendar: &str,
    validators: &mut Validators,
    window: Window,
    clock: Arc<dyn Clock>,
) -> Result<Option<Vec<BusyTime>>> {
    let url = address(calendar).ok_or_else(|| Error::Address(String::new()))?;
    let service = Service::new(url.as_str(), clock)?;
    let Some(answer) = service.if_changed(service.get(url.as_str())?, validators).await? else {
        return Ok(None);
    };
    if answer.body.len() > MAX_CALENDAR_BYTES {
        return Err(Error::AnswerTooLarge);
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    apart::read(answer.body, &host, window).await.map(Some)
}
