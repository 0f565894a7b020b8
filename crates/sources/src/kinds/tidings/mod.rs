//! A Tidings server as a source: API v1 over HTTP.

mod client;
mod groups;
mod pages;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::StreamExt;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, StatusCode, header::ACCEPT};
use serde::de::IgnoredAny;
use serde_json::json;
use tidings_model::group::{Readers, ReceiptPage};
use tidings_model::web_url::web_url;
use tidings_model::wire::{self, AnnouncementReaders};
use tidings_model::{Actor, Catalog, Clock, MsgId, Stamp};
use tidings_net::address::AddressKind;
use tidings_net::{Error, Result, http};
use tidings_replica::{NotifyLevel, Outgoing, Skipped};
use url::Url;

use self::client::optional;
use self::pages::{CountedPage, check_cursor};
use crate::bounds::Bounds;
use crate::service::events;
use crate::service::json::parse;
use crate::service::outline::{self, Outline};
use crate::source::{
    Abilities, Ahead, ChangeAnswer, Credential, Fetched, GroupAnswer, GroupChange, GroupView, Hint, Keeps,
    Live, NewGroup, PreviewPage, Protocol, PublishedChange, ServerInfo, SignIn, Since, Source, Upload,
    upload,
};

/// The time of silence after which a connection counts as dead; the server sends a comment at least every 30 s.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(45);
/// The cap of counts, which is the protocol's maximum.
const COUNT_CAP: u32 = 1_000;
/// The number of items of the preview page.
const PREVIEW_ITEMS: u32 = 50;
/// The number of people who are asked for.
const PEOPLE: u32 = 20;
/// The limit in `GET /info` of a file in a message, in bytes.
const FILE_LIMIT: &str = "file_bytes";

/// A Tidings server.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "tidings",
    label: "Tidings",
    default_url: None,
    example: "tidings.example.org",
    address: AddressKind::Server,
    credential: Credential::Token,
    sign_in: SignIn::None,
    abilities: Abilities {
        live: true,
        history: true,
        read: Keeps::Both,
        archive: Keeps::Both,
        delete: true,
        reply: true,
        ..Abilities::NONE
    },
    notify: NotifyLevel::Toast,
    reasons: &[],
    open: |row, token, clock, bounds| Ok(Arc::new(Tidings::new(&row.url, token, clock)?.with_bounds(bounds))),
};

/// One user's inbox on a Tidings server.
pub struct Tidings {
    base: Url,
    token: String,
    clock: Arc<dyn Clock>,
    silence: Duration,
    bounds: Bounds,
}

impl Tidings {
    /// A client of the server at `url`, with or without `/api/v1`. Sends no request yet.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tidings_sources::Tidings;
    ///
    /// let clock = Arc::new(tidings_model::SystemClock);
    /// assert!(Tidings::new("https://tidings.example.org", "tdg_secret".into(), clock.clone()).is_ok());
    /// assert!(Tidings::new("tidings.example.org", "tdg_secret".into(), clock).is_err());
    /// ```
    ///
    /// # Errors
    /// [`Error::Address`] if `url` is not an http or https address.
    pub fn new(url: &str, token: String, clock: Arc<dyn Clock>) -> Result<Self> {
        let mut base = web_url(url.trim_end_matches('/')).ok_or_else(|| Error::Address(url.to_owned()))?;
        let path = format!("{}/api/v1/", base.path().trim_end_matches('/').trim_end_matches("/api/v1"));
        base.set_path(&path);
        base.set_query(None);
        base.set_fragment(None);
        Ok(Self { base, token, clock, silence: SILENCE_TIMEOUT, bounds: Bounds::default() })
    }

    /// Sets the silence after which the live channel counts as dead; 45 s by default.
    #[must_use]
    pub fn with_silence(self, silence: Duration) -> Self {
        Self { silence, ..self }
    }

    /// Sets the bounds of its pulls.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }
}

#[async_trait]
impl Source for Tidings {
    fn bounds(&self) -> Bounds {
        self.bounds
    }

    async fn server_info(&self) -> Result<ServerInfo> {
        let (me, catalog, info) =
            tokio::join!(self.get::<wire::Me>("me"), self.get::<Catalog>("catalog"), self.info());
        // The catalog is optional, the user is not.
        let catalog = match catalog {
            Ok(catalog) => Some(catalog),
            Err(Error::Refused(_) | Error::SignIn | Error::AnswerTooLarge) => None,
            Err(error) => return Err(error),
        };
        let (attachment_bytes, clock_offset) = match info {
            Ok((info, offset)) => {
                (info.limits.get(FILE_LIMIT).copied().filter(|bytes| *bytes > 0), Some(offset))
            }
            Err(
                Error::Refused(_)
                | Error::SignIn
                | Error::Forbidden
                | Error::Malformed
                | Error::AnswerTooLarge,
            ) => (None, None),
            Err(error) => return Err(error),
        };
        let me = me?;
        let (user, name) = (Some(me.id), Some(me.name));
        Ok(ServerInfo { user, name, catalog, attachment_bytes, clock_offset, ..ServerInfo::default() })
    }

    async fn preview_page(&self) -> Result<Option<PreviewPage>> {
        let unread = self.request(Method::GET, "unread")?.query(&[("cap", COUNT_CAP)]);
        let newest = self.request(Method::GET, "inbox")?.query(&[("limit", PREVIEW_ITEMS)]);
        let (unread, newest) = tokio::try_join!(self.answer(unread), self.answer::<wire::InboxPage>(newest))?;
        Ok(Some(PreviewPage { unread, newest: newest.items }))
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        self.page_ahead(since, limit, &mut Ahead::default()).await
    }

    async fn page_ahead(&self, since: Since, limit: usize, ahead: &mut Ahead) -> Result<Fetched> {
        self.read_page(since, limit, ahead).await
    }

    async fn skip_item(&self, since: Since) -> Result<Option<Fetched>> {
        let before = since.cursor.as_deref().and_then(|cursor| cursor.parse::<Stamp>().ok());
        let answer = http::send(self.sync(since, 1)?, self.clock.now()).await?;
        let Outline { items, marks, peer_marks, closed, groups, next, more, epoch } =
            outline::read(answer, self.bounds.chunks_ahead).await?;
        check_cursor(before, next)?;
        if items.count != 1 {
            // The page does not have exactly one item, so its cursor may not be the one after the large item.
            return Err(Error::AnswerTooLarge);
        }
        let skipped = Skipped { position: next.to_string(), msgid: MsgId(items.msgid), malformed: false };
        let page = wire::SyncPage {
            items: Vec::new(),
            marks,
            later_marks: Vec::new(),
            peer_marks,
            closed,
            groups,
            next,
            more,
            epoch,
            forgotten_before: None,
        };
        Ok(Some(Fetched { page: page.into(), skipped: vec![skipped], ..Fetched::default() }))
    }

    async fn remaining(&self, since: Since) -> Result<Option<u64>> {
        let counted: CountedPage = self.answer(self.sync(since, 1)?.query(&[("count", "true")])).await?;
        Ok(counted.remaining.map(|after| after + counted.items.len() as u64))
    }

    fn max_ops(&self) -> usize {
        self.bounds.ops
    }

    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>> {
        let request = self.request(Method::POST, "inbox/ops")?.json(&wire::Ops { ops });
        Ok(self.answer::<wire::OpsAnswer>(request).await?.results)
    }

    async fn send_message(&self, outgoing: &Outgoing) -> Result<MsgId> {
        let (request, message) = self.message_request(outgoing)?;
        Ok(self.answer::<wire::Posted>(request.json(&message)).await?.msgid)
    }

    async fn send_message_with_file(&self, outgoing: &Outgoing, file: Upload) -> Result<MsgId> {
        let (request, message) = self.message_request(outgoing)?;
        let answer = upload::send(request, &message, file, self.clock.now()).await?;
        Ok(parse::<wire::Posted>(http::body(answer).await?).await?.msgid)
    }

    async fn receipts(&self, since: Option<Stamp>) -> Result<Option<ReceiptPage>> {
        let since = since.map(|since| ("since", since.to_string()));
        optional(self.answer(self.request(Method::GET, "receipts")?.query(&Vec::from_iter(since))).await)
    }

    async fn ack_receipts(&self, through: Stamp) -> Result<()> {
        let request = self.request(Method::POST, "receipts/ack")?.json(&json!({ "through": through }));
        self.answer::<IgnoredAny>(request).await.map(drop)
    }

    async fn people(&self, typed: &str) -> Result<Option<Vec<Actor>>> {
        let request = self.request(Method::GET, "people")?.query(&[("q", typed)]).query(&[("limit", PEOPLE)]);
        Ok(optional(self.answer::<wire::People>(request).await)?.map(|found| found.people))
    }

    async fn group(&self, gid: &str) -> Result<GroupView> {
        self.group_with_members(gid).await
    }

    async fn make_group(&self, new: &NewGroup, key: &str) -> Result<Option<GroupAnswer>> {
        self.created_group(new, key).await
    }

    async fn change_group(&self, gid: &str, change: &GroupChange) -> Result<Option<ChangeAnswer>> {
        self.changed_group(gid, change).await
    }

    async fn change_published(
        &self,
        msgid: &MsgId,
        change: &PublishedChange,
    ) -> Result<Option<ChangeAnswer>> {
        let path = format!("notifications/{}", utf8_percent_encode(msgid.as_str(), NON_ALPHANUMERIC));
        let request = match change {
            PublishedChange::Edit(edit) => self.request(Method::PATCH, &path)?.json(edit),
            PublishedChange::Recall => self.request(Method::DELETE, &path)?,
        };
        let answer = http::ask(request).await?;
        match answer.status() {
            status if status.is_success() => Ok(Some(ChangeAnswer::Done)),
            StatusCode::NOT_FOUND => Ok(Some(ChangeAnswer::Unknown)),
            StatusCode::METHOD_NOT_ALLOWED => Ok(Some(ChangeAnswer::Unsupported)),
            _ => Err(http::status_error(&answer, self.clock.now())),
        }
    }

    async fn announcement_readers(&self, msgid: &MsgId) -> Result<Option<AnnouncementReaders>> {
        let msgid = utf8_percent_encode(msgid.as_str(), NON_ALPHANUMERIC);
        optional(self.get(&format!("announcements/{msgid}/readers")).await)
    }

    async fn readers(&self, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        self.all_readers(gid, msgid).await
    }

    async fn listen(&self) -> Result<Option<Live>> {
        let request = self.request(Method::GET, "events")?.header(ACCEPT, "text/event-stream");
        let answer = http::send(request, self.clock.now()).await?;
        let bytes = events::bytes(answer, self.silence);
        let hints = bytes.eventsource().filter_map(|event| async {
            match event {
                Ok(event) if event.event == "hint" => Some(Ok(Hint::Changed)),
                // Receipts that can't be parsed are pulled instead: the server keeps them until they are
                // acknowledged.
                Ok(event) if event.event == "receipts" => {
                    Some(Ok(serde_json::from_str(&event.data).map_or(Hint::Changed, Hint::Receipts)))
                }
                Ok(_) => None,
                Err(EventStreamError::Transport(error)) => Some(Err(error)),
                Err(_) => Some(Err(Error::Malformed)),
            }
        });
        Ok(Some(hints.boxed()))
    }
}

#[cfg(test)]
mod tests;
