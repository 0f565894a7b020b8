//! The newest release that a feed lists: its version and its link, and nothing else of the feed. The feed is asked for by the
//! same rules as a source, with the proxy, the certificates and the waits of this program.
//!
//! A feed is Atom, RSS or JSON Feed, or the list of releases that GitHub, Forgejo, Gitea and GitLab give as JSON.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::ACCEPT;
use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tidings_model::Clock;
use tidings_model::web_url::web_url;
use tidings_net::http::body_within;
use tidings_net::{Error, Result};
use url::Url;

use crate::kinds::feed::{Headline, headlines};
use crate::service::{Answer, Service};

/// The largest feed of releases, in bytes, unpacked.
pub const MAX_RELEASES_BYTES: usize = 1 << 20;
/// The time within which the feed has to arrive and to be read.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest version and the longest link, in bytes.
const MAX_VERSION_BYTES: usize = 64;
const MAX_LINK_BYTES: usize = 2 << 10;
/// The media types of feeds and of lists.
const ACCEPTED: &str = "application/atom+xml, application/json;q=0.9, application/feed+json;q=0.9, */*;q=0.1";

/// A release that a feed lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Its version, such as `0.2.0`.
    pub version: String,
    /// The page about it, at an address of the web.
    pub link: String,
}

impl Release {
    /// Whether it is later than a version; `false` if one of the two is no version.
    ///
    /// ```
    /// use tidings_sources::releases::Release;
    ///
    /// let release = Release { version: "0.10.0".into(), link: "https://example.org/0.10.0".into() };
    /// assert!(release.is_newer_than("0.9.1"));
    /// assert!(!release.is_newer_than("0.10.0"));
    /// ```
    pub fn is_newer_than(&self, version: &str) -> bool {
        match (Version::parse(&self.version), Version::parse(version)) {
            (Ok(this), Ok(other)) => this > other,
            _ => false,
        }
    }
}

/// A release in the lists of GitHub, Forgejo, Gitea and GitLab.
#[derive(Deserialize)]
struct Listed {
    tag_name: String,
    html_url: Option<String>,
    #[serde(rename = "_links")]
    links: Option<Links>,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    prerelease: bool,
    #[serde(default)]
    upcoming_release: bool,
}

/// The links of a release at GitLab.
#[derive(Deserialize)]
struct Links {
    #[serde(rename = "self")]
    page: Option<String>,
}

/// The newest release that a feed lists, drafts and early versions such as `1.0.0-rc.1` aside; `None` if it lists none.
///
/// # Errors
/// [`Error::Address`] if `feed` is no address of the web, else the error of the request. [`Error::AnswerTooLarge`],
/// [`Error::Slow`], [`Error::TooComplex`] or [`Error::Malformed`] for the document.
pub async fn newest(feed: &str, clock: Arc<dyn Clock>) -> Result<Option<Release>> {
    let listed = tokio::time::timeout(TIMEOUT, listed(feed, clock)).await.map_err(|_| Error::Slow)??;
    let newest = listed.into_iter().max_by(|(one, _), (other, _)| one.cmp(other));
    Ok(newest.map(|(version, link)| Release { version: version.to_string(), link: link.into() }))
}

async fn listed(feed: &str, clock: Arc<dyn Clock>) -> Result<Vec<(Version, Url)>> {
    let url = web_url(feed).ok_or_else(|| Error::Address(String::new()))?;
    let service = Service::new(url.as_str(), clock)?;
    let answer = service.send(service.get(url.as_str())?.header(ACCEPT, ACCEPTED)).await?;
    let headers = answer.headers().clone();
    let body = body_within(answer, MAX_RELEASES_BYTES).await?;
    let is_list = body.trim_ascii_start().first() == Some(&b'[');
    let answer = Answer { headers, body, room: None };
    if is_list {
        // One that can't be read costs only itself.
        let listed: Vec<Value> = answer.json().await?;
        Ok(listed.into_iter().filter_map(|one| of_list(serde_json::from_value(one).ok()?)).collect())
    } else {
        Ok(headlines(answer, &url).await?.iter().filter_map(of_feed).collect())
    }
}

fn of_list(listed: Listed) -> Option<(Version, Url)> {
    if listed.draft || listed.prerelease || listed.upcoming_release {
        return None;
    }
    let page = listed.html_url.or_else(|| listed.links?.page)?;
    Some((version_in(&listed.tag_name)?, link(&page)?))
}

/// The release of an entry: its version is that of its link, which ends with a tag, else that of its title.
fn of_feed(headline: &Headline) -> Option<(Version, Url)> {
    let link = link(&headline.link)?;
    let tag = link.path_segments().and_then(|mut segments| segments.next_back()).and_then(version_in);
    Some((tag.or_else(|| version_in(&headline.title))?, link))
}

fn link(text: &str) -> Option<Url> {
    web_url(text).filter(|url| url.as_str().len() <= MAX_LINK_BYTES)
}

/// The version in a text such as `v0.2.0`, `tidings-0.2.0` or `Tidings 0.2.0: quiet hours`; early ones do not count.
fn version_in(text: &str) -> Option<Version> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let word = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let version = Version::parse(word).ok().filter(|_| word.len() <= MAX_VERSION_BYTES)?;
        version.pre.is_empty().then_some(version)
    })
}

#[cfg(test)]
mod tests {
    use tidings_model::SystemClock;
    use tidings_testkit::scripted::{ScriptedServer, response};

    use super::*;

    async fn asked(body: impl AsRef<[u8]>) -> Result<Option<Release>> {
        let server = ScriptedServer::start().await;
        let url = format!("{}/releases", server.url());
        server.always(response("200 OK", "", body));
        newest(&url, Arc::new(SystemClock)).await
    }

    fn atom(entries: &[(&str, &str)]) -> String {
        let entry = |(title, link): &(&str, &str)| {
            format!("<entry><id>{link}</id><title>{title}</title><link href=\"{link}\"/></entry>")
        };
        let entries: String = entries.iter().map(entry).collect();
        format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Releases</title>{entries}</feed>")
    }

    #[tokio::test]
    async fn the_latest_version_counts_whatever_the_order_and_the_form_of_the_feed() {
        let tag = |version: &str| format!("https://forge.example/o/tidings/releases/tag/{version}");
        let (old, new, early) = (tag("v0.9.0"), tag("v0.10.0"), tag("v1.0.0-rc.1"));
        let feed = atom(&[("0.9.0", &old), ("Quiet hours, with SQLite 3.51.0", &new), ("1.0", &early)]);
        let expected = Some(Release { version: "0.10.0".into(), link: new.clone() });
        assert_eq!(asked(feed).await.unwrap(), expected);

        let named = atom(&[("Tidings 0.10.0: quiet hours", "https://forge.example/news/7")]);
        let named = asked(named).await.unwrap().unwrap();
        assert_eq!((named.version.as_str(), named.link.as_str()), ("0.10.0", "https://forge.example/news/7"));

        let list = serde_json::json!([
            {"tag_name": "v2.0.0", "html_url": tag("v2.0.0"), "draft": true},
            {"tag_name": "v1.1.0", "html_url": tag("v1.1.0"), "prerelease": true},
            {"tag_name": 7},
            {"tag_name": "v0.9.0", "html_url": old},
            {"tag_name": "v0.10.0", "html_url": new},
        ]);
        assert_eq!(asked(list.to_string()).await.unwrap(), expected);
        let gitlab = serde_json::json!([{"tag_name": "0.10.0", "_links": {"self": new}}]);
        assert_eq!(asked(gitlab.to_string()).await.unwrap(), expected);
    }

    #[tokio::test]
    async fn a_feed_names_no_release_by_an_address_of_another_kind_and_is_read_only_up_to_its_bound() {
        let elsewhere = atom(&[("0.2.0", "file:///etc/passwd"), ("0.3.0", "javascript:alert(1)")]);
        assert_eq!(asked(elsewhere).await.unwrap(), None);
        assert_eq!(asked("[]").await.unwrap(), None);
        assert!(matches!(asked("<html>sign in</html>").await, Err(Error::Malformed)));
        let endless = atom(&[("0.2.0", "https://e.org/0.2.0")]) + &" ".repeat(MAX_RELEASES_BYTES);
        assert!(matches!(asked(endless).await, Err(Error::AnswerTooLarge)));
        let nowhere = newest("file:///releases.atom", Arc::new(SystemClock)).await;
        assert!(matches!(nowhere, Err(Error::Address(_))));
    }
}
