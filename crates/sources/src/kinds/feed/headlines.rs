//! The entries of a feed in one line each, for what only links to them.

use serde::Deserialize;
use tidings_net::{Error, Result};
use url::Url;

use super::document::Contents;
use super::{apart, charset};
use crate::service::Answer;

/// An entry in one line.
#[derive(Deserialize)]
pub(crate) struct Headline {
    /// Its title; empty if it has none.
    #[serde(default)]
    pub(crate) title: String,
    /// The address that it links to.
    #[serde(rename = "url")]
    pub(crate) link: String,
}

/// The entries of a feed that link to something. `answer` is that of `at`.
///
/// # Errors
/// Those of [`apart::read`], and [`Error::Malformed`] for a page of the web.
pub(crate) async fn headlines(answer: Answer, at: &Url) -> Result<Vec<Headline>> {
    let Answer { headers, body, mut room } = answer;
    let of = at.host_str().unwrap_or_default();
    match apart::read(body, charset(&headers).as_deref(), at, of, &mut room).await? {
        Contents::Feed(feed) => {
            let entries = feed.entries.iter();
            Ok(entries.filter_map(|entry| serde_json::from_str(entry.content.get()).ok()).collect())
        }
        Contents::Page(_) => Err(Error::Malformed),
    }
}
