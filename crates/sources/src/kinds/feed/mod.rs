//! Feeds: RSS, Atom and JSON Feed. A feed is one document, which is requested only if it changed; its entries are
//! announced by the feed and never changed from here.

pub(crate) mod apart;
mod charset;
mod cursor;
mod document;
mod entry;
mod guard;
mod headlines;
mod kept;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderMap};
use tidings_model::web_url::web_url;
use tidings_model::{Clock, Stamp};
use tidings_net::address::AddressKind;
use tidings_net::{Error, Result, egress};
use tidings_replica::{self as replica, NotifyLevel};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use self::cursor::{Cursor, PartialRead};
use self::document::{Contents, Parsed};
pub(crate) use self::headlines::{Headline, headlines};
use self::kept::{Document, KeptDocument};
use crate::bounds::Bounds;
use crate::cursors;
use crate::service::{Answer, Service, Validators};
use crate::source::{Abilities, Credential, Fetched, Protocol, ServerInfo, SignIn, Since, Source};

/// The shortest and the longest time between two requests that a feed can ask for.
const MIN_WAIT: Duration = Duration::from_secs(15 * 60);
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// The time for which a document that was too large is not requested again in smaller parts, which it does not have.
const TOO_LARGE_FOR: Duration = Duration::from_secs(60);
/// Media types of feeds; a page that names its feed will do.
const ACCEPTED: &str = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, \
                        text/xml;q=0.9, text/html;q=0.5, */*;q=0.1";

/// A feed.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "feed",
    label: "RSS, Atom, JSON Feed",
    default_url: None,
    example: "https://blog.example.org/feed.xml",
    address: AddressKind::Document,
    credential: Credential::None,
    sign_in: SignIn::None,
    abilities: Abilities { history: true, poll_interval: Duration::from_secs(30 * 60), ..Abilities::NONE },
    notify: NotifyLevel::Badge,
    reasons: &[],
    open: |row, _token, clock, bounds| Ok(Arc::new(Feed::new(row, clock, bounds)?)),
};

/// A feed, or a page of the web that names its feed.
struct Feed {
    /// Names the source of the document: its id, or its address if it is not stored.
    of: String,
    page: Url,
    /// The address of the feed that the page named with the last pull.
    document: Option<String>,
    clock: Arc<dyn Clock>,
    bounds: Bounds,
    known: Mutex<FeedState>,
    kept: KeptDocument,
}

/// The state of the feed since it was opened.
#[derive(Default)]
struct FeedState {
    title: Option<String>,
    /// The time at which the document was found to be too large.
    too_large: Option<Instant>,
}

/// The address of the feed that the page of a source named with its last pull.
pub(crate) fn document_of(row: &replica::Source) -> Option<String> {
    cursors::read::<Cursor>(row.cursor.as_deref()).at
}

impl Feed {
    fn new(row: &replica::Source, clock: Arc<dyn Clock>, bounds: Bounds) -> Result<Self> {
        let invalid = || Error::Address(row.url.clone());
        let mut page = web_url(&row.url).ok_or_else(invalid)?;
        page.set_fragment(None);
        page.set_username("").and_then(|()| page.set_password(None)).map_err(|()| invalid())?;
        let title = row.cursor.as_deref().map(|cursor| cursors::read::<Cursor>(Some(cursor)).title);
        let is_stored = row.id != replica::Source::default().id;
        let of = if is_stored { row.id.to_string() } else { page.to_string() };
        let document = document_of(row);
        let known = Mutex::new(FeedState { title, too_large: None });
        Ok(Self { of, page, document, clock, bounds, known, kept: KeptDocument::default() })
    }

    /// Requests the document of a cursor; `None` if it did not change since then.
    async fn fetch(&self, cursor: &Cursor) -> Result<Option<Document>> {
        let found = cursor.at.as_deref().and_then(|at| at.parse().ok()).filter(|at| *at != self.page);
        // A document of which not all entries were returned yet is needed whole.
        let validators =
            if cursor.walk.is_some() { Validators::default() } else { cursor.validators.clone() };
        if let Some(found) = found {
            match self.fetch_at(found, validators, false).await {
                // The page may name another feed by now.
                Err(Error::Refused(404 | 410) | Error::Malformed) => {}
                answer => return answer,
            }
            return self.fetch_at(self.page.clone(), Validators::default(), true).await;
        }
        // What was a feed before does not become a page: that is a network that asks for a sign-in.
        let is_new = cursor.digest.is_empty() && cursor.walk.is_none();
        self.fetch_at(self.page.clone(), validators, is_new).await
    }

    /// Requests the document at an address. A page there may name the feed instead, once, if `may_follow`.
    async fn fetch_at(
        &self,
        mut at: Url,
        mut validators: Validators,
        mut may_follow: bool,
    ) -> Result<Option<Document>> {
        loop {
            let Some(answer) = self.request(&at, &mut validators).await? else { return Ok(None) };
            let Answer { headers, body, mut room } = answer;
            let bytes = body.len();
            let charset = charset(&headers);
            match apart::read(body, charset.as_deref(), &at, &self.of, &mut room).await? {
                Contents::Feed(parsed) => {
                    let ttl = parsed.ttl.map(|minutes| Duration::from_secs(u64::from(minutes) * 60));
                    let wait = wait(&headers, ttl);
                    return Ok(Some(Document { at, validators, wait, bytes, parsed, room }));
                }
                Contents::Page(named) => {
                    let named = named.and_then(|named| named.parse().ok());
                    let named = named.filter(|named| may_follow && *named != at).ok_or(Error::Malformed)?;
                    (at, validators, may_follow) = (named, Validators::default(), false);
                }
            }
        }
    }

    async fn request(&self, at: &Url, validators: &mut Validators) -> Result<Option<Answer>> {
        let service = Service::new(at.as_str(), self.clock.clone())?.with_bounds(self.bounds);
        let request = if at.origin() == self.page.origin() {
            service.get(at.as_str())?
        } else {
            // A page must not direct requests into the reader's own network.
            egress::client(at, Some(&self.page)).await?.get(at.clone())
        };
        match service.if_changed(request.header(ACCEPT, ACCEPTED), validators).await {
            // The feed has ended; no history begins anew.
            Err(Error::Resync) => Err(Error::Refused(410)),
            answer => answer,
        }
    }

    /// As [`Feed::fetch`]. The document has no smaller parts, so one that was too large is not requested for each size
    /// of page that is tried.
    async fn fetch_once(&self, known: &mut FeedState, cursor: &Cursor) -> Result<Option<Document>> {
        if known.too_large.is_some_and(|at| at.elapsed() < TOO_LARGE_FOR) {
            return Err(Error::AnswerTooLarge);
        }
        let answer = self.fetch(cursor).await;
        let is_too_large = matches!(answer, Err(Error::AnswerTooLarge | Error::AnswerTooSlow));
        known.too_large = is_too_large.then(Instant::now);
        answer
    }
}

#[async_trait]
impl Source for Feed {
    fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The title. A feed that was pulled before is not requested for it; the document of a new one is kept for the
    /// first page.
    async fn server_info(&self) -> Result<ServerInfo> {
        let (ended, mut known) = (self.kept.ended(), self.known.lock().await);
        if known.title.is_none() {
            let document = self.fetch_once(&mut known, &Cursor::default()).await?.ok_or(Error::Malformed)?;
            known.title = Some(document.parsed.title.clone());
            self.kept.keep(document, ended);
        }
        let document = self.kept.of(|document| (document.at != self.page).then(|| document.at.to_string()));
        let document = document.flatten().or_else(|| self.document.clone());
        Ok(ServerInfo { name: known.title.clone(), document, ..ServerInfo::default() })
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let mut cursor: Cursor = cursors::read(since.cursor.as_deref());
        let (ended, mut known) = (self.kept.ended(), self.known.lock().await);
        let kept = self.kept.take();
        let mut document = match kept.filter(|document| cursor.may_continue(&document.parsed.digest)) {
            Some(document) => document,
            None => match self.fetch_once(&mut known, &cursor).await? {
                Some(document) => document,
                None => return fetched(&cursor, Vec::new(), false, 0),
            },
        };
        known.title = Some(document.parsed.title.clone());
        cursor.at = (document.at != self.page).then(|| document.at.to_string());
        cursor.title.clone_from(&document.parsed.title);
        cursor.wait = document.wait.map(|wait| wait.as_secs());
        let Parsed { title, digest, entries, .. } = &mut document.parsed;
        if cursor.walk.is_none() && cursor.digest == *digest {
            cursor.validators = document.validators;
            return fetched(&cursor, Vec::new(), false, document.bytes);
        }
        let times = cursor.times(entries.as_slice(), self.clock.now());
        let done = cursor.walk.take().filter(|walk| walk.digest == *digest).map_or(0, |walk| walk.done);
        let actor = entry::actor(title, &document.at);
        let newest_first = times.iter().skip(done).take(limit.max(1));
        let taken = newest_first.len();
        let done = done + taken;
        let more = done < times.len();
        let to_item = |(nth, at): &(usize, Stamp)| {
            let entry = entries.get_mut(*nth)?;
            let item = entry.item(actor.clone(), *at);
            if !more {
                // No page follows that needs it: the items take no more memory than their entries did.
                drop(std::mem::take(&mut entry.content));
            }
            item
        };
        let mut items: Vec<_> = newest_first.filter_map(to_item).collect();
        items.reverse();
        let room = document.room.clone();
        let bytes = document.bytes * taken / times.len().max(1);
        if more {
            cursor.walk = Some(PartialRead { digest: digest.clone(), done });
            self.kept.keep(document, ended);
        } else {
            cursor.digest.clone_from(digest);
            cursor.validators = document.validators;
        }
        Ok(Fetched { room, ..fetched(&cursor, items, more, bytes)? })
    }

    async fn remaining(&self, since: Since) -> Result<Option<u64>> {
        let _page = self.known.lock().await;
        let walk = cursors::read::<Cursor>(since.cursor.as_deref()).walk;
        let entries = self.kept.of(|document| document.parsed.entries.len());
        Ok(entries.zip(walk).map(|(entries, walk)| entries.saturating_sub(walk.done) as u64))
    }

    fn end_pull(&self) {
        self.kept.end_pull();
    }
}

fn fetched(
    cursor: &Cursor,
    service_items: Vec<replica::ServiceItem>,
    more: bool,
    bytes: usize,
) -> Result<Fetched> {
    let next = Some(cursors::write(cursor)?);
    let page = replica::Page { service_items, next, more, ..replica::Page::default() };
    let poll_after = cursor.wait.map(|seconds| Duration::from_secs(seconds).clamp(MIN_WAIT, MAX_WAIT));
    Ok(Fetched { page, bytes, poll_after, ..Fetched::default() })
}

/// The charset that an answer names.
fn charset(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let named = kind.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
    })?;
    Some(named).filter(|name| !name.is_empty())
}

/// The time to wait as the answer and the feed itself ask for it, whichever is longer; `None` if neither does.
fn wait(headers: &HeaderMap, ttl: Option<Duration>) -> Option<Duration> {
    let control = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let max_age = control.flat_map(|value| value.split(',')).find_map(|directive| {
        let (name, seconds) = directive.split_once('=')?;
        let is_age = name.trim().eq_ignore_ascii_case("max-age");
        is_age.then(|| seconds.trim().trim_matches('"').parse().ok()).flatten()
    });
    let wait = max_age.map(Duration::from_secs).max(ttl).filter(|wait| !wait.is_zero())?;
    Some(wait.clamp(MIN_WAIT, MAX_WAIT))
}

/// A time that a feed can mean: not before 1990, and not more than a year ahead. This machine's clock may be behind.
fn plausible(at: chrono::DateTime<chrono::Utc>, now: Stamp) -> Option<Stamp> {
    const EARLIEST: Stamp = Stamp::from_secs(631_152_000);
    let at = Stamp::from(at);
    (EARLIEST <= at && at <= now.plus_secs(366 * 24 * 60 * 60)).then_some(at)
}

#[cfg(test)]
mod tests;
