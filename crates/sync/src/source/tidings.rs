//! A Tidings server as a source: API v1 over HTTP. Refuses to parse on the runtime's threads what may be megabytes.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::StreamExt;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder, StatusCode, header::ACCEPT};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::json;
use tidings_model::group::{Group, Member, Readers, ReceiptPage};
use tidings_model::{Catalog, Clock, MsgId, Stamp, wire};
use tidings_replica::{Outgoing, Skipped};
use url::Url;

use super::json::parse;
use super::skim::{self, Skim};
use super::{Fetched, Greeting, GroupAnswer, Head, Hint, Live, NewGroup, Since, Source, events};
use crate::{Error, Result, http, reach};

/// The server comments at least every 30 s; a connection that is silent for longer than this is dead.
const SILENCE: Duration = Duration::from_secs(45);
/// Counting stops here; it is the largest cap that the protocol knows.
const CAP: u32 = 1_000;
/// Items of the newest page.
const NEWEST: u32 = 50;
/// Pages of a group's members, or of the readers of a message, that are asked for at most: 100,000 people.
const MEMBER_PAGES: usize = 100;

/// One user's inbox on a Tidings server.
pub struct Tidings {
    base: Url,
    token: String,
    clock: Arc<dyn Clock>,
    silence: Duration,
}

impl Tidings {
    /// `url` is the server's address, with or without `/api/v1`; nothing is asked yet.
    pub fn new(url: &str, token: String, clock: Arc<dyn Clock>) -> Result<Self> {
        let wrong = || Error::Address(url.to_owned());
        let mut base: Url = url.trim_end_matches('/').parse().map_err(|_| wrong())?;
        if !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
            return Err(wrong());
        }
        let path = format!("{}/api/v1/", base.path().trim_end_matches('/').trim_end_matches("/api/v1"));
        base.set_path(&path);
        base.set_query(None);
        base.set_fragment(None);
        Ok(Self { base, token, clock, silence: SILENCE })
    }

    /// Takes the live channel for dead after so much silence, 45 s unless told.
    #[must_use]
    pub fn with_silence(self, silence: Duration) -> Self {
        Self { silence, ..self }
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder> {
        let url = self.base.join(path).map_err(|_| Error::Address(path.to_owned()))?;
        let client = http::client_for(&url)?;
        Ok(client.request(method, url).bearer_auth(&self.token))
    }

    fn sync(&self, since: Since, limit: usize) -> Result<RequestBuilder> {
        let mut query = vec![("limit", limit.to_string())];
        query.extend(since.cursor.map(|cursor| ("since", cursor)));
        query.extend(since.epoch.map(|epoch| ("epoch", epoch)));
        Ok(self.request(Method::GET, "sync")?.query(&query))
    }

    async fn answer<T: DeserializeOwned + Send + 'static>(&self, request: RequestBuilder) -> Result<T> {
        parse(http::body(http::send(request, self.clock.now()).await?).await?).await
    }

    async fn get<T: DeserializeOwned + Send + 'static>(&self, path: &str) -> Result<T> {
        self.answer(self.request(Method::GET, path)?).await
    }
}

/// A page with what is left after it, from a server that counts.
#[derive(Deserialize)]
struct Counted {
    items: Vec<IgnoredAny>,
    #[serde(default)]
    remaining: Option<u64>,
}

#[async_trait]
impl Source for Tidings {
    async fn greet(&self) -> Result<Greeting> {
        let (me, catalog) = tokio::join!(self.get::<wire::Me>("me"), self.get::<Catalog>("catalog"));
        // A server may keep its catalog to itself; who the reader is has to be known.
        let catalog = match catalog {
            Ok(catalog) => Some(catalog),
            Err(Error::Refused(_) | Error::SignIn | Error::AnswerTooLarge) => None,
            Err(error) => return Err(error),
        };
        let me = me?;
        Ok(Greeting { user: Some(me.id), name: Some(me.name), catalog })
    }

    async fn head(&self) -> Result<Option<Head>> {
        let unread = self.request(Method::GET, "unread")?.query(&[("cap", CAP)]);
        let newest = self.request(Method::GET, "inbox")?.query(&[("limit", NEWEST)]);
        let (unread, newest) = tokio::try_join!(self.answer(unread), self.answer::<wire::InboxPage>(newest))?;
        Ok(Some(Head { unread, newest: newest.items }))
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let request = self.sync(since.clone(), limit)?;
        let answer = http::send(request, self.clock.now()).await?;
        let from = answer.remote_addr();
        let body = http::body(answer).await?;
        let bytes = body.len();
        let before = since.cursor.as_deref().and_then(|cursor| cursor.parse::<Stamp>().ok());
        let page: wire::SyncPage = parse(body).await?;
        leads_on(before, page.next)?;
        reach::came_from(&self.base, from);
        Ok(Fetched { page: page.into(), bytes, skipped: None })
    }

    async fn pass_over(&self, since: Since) -> Result<Option<Fetched>> {
        let before = since.cursor.as_deref().and_then(|cursor| cursor.parse::<Stamp>().ok());
        let answer = http::send(self.sync(since, 1)?, self.clock.now()).await?;
        let Skim { items, marks, next, more, epoch } = skim::skim(answer).await?;
        leads_on(before, next)?;
        if items.count != 1 {
            // Not what was asked for: there is nothing that could be passed over.
            return Err(Error::AnswerTooLarge);
        }
        let skipped = Skipped { position: next.to_string(), msgid: MsgId(items.msgid) };
        let page = wire::SyncPage { items: Vec::new(), marks, next, more, epoch, forgotten_before: None };
        Ok(Some(Fetched { page: page.into(), bytes: 0, skipped: Some(skipped) }))
    }

    async fn remaining(&self, since: Since) -> Result<Option<u64>> {
        let counted: Counted = self.answer(self.sync(since, 1)?.query(&[("count", "true")])).await?;
        Ok(counted.remaining.map(|after| after + counted.items.len() as u64))
    }

    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>> {
        let request = self.request(Method::POST, "inbox/ops")?.json(&wire::Ops { ops });
        Ok(self.answer::<wire::OpsAnswer>(request).await?.results)
    }

    async fn send_message(&self, outgoing: &Outgoing) -> Result<MsgId> {
        let mut message = outgoing.message.clone();
        let request = match outgoing.conversation.split_once(':') {
            Some(("group", group)) => {
                message.to = None;
                self.request(Method::POST, &format!("groups/{group}/messages"))?
            }
            Some(("user", peer)) => {
                message.to = Some(peer.to_owned());
                self.request(Method::POST, "messages")?
            }
            _ => return Err(Error::Refused(400)),
        };
        let request = request.header("Idempotency-Key", &outgoing.id).json(&message);
        Ok(self.answer::<wire::Posted>(request).await?.msgid)
    }

    async fn receipts(&self, since: Option<Stamp>) -> Result<Option<ReceiptPage>> {
        let since = since.map(|since| ("since", since.to_string()));
        told(self.answer(self.request(Method::GET, "receipts")?.query(&Vec::from_iter(since))).await)
    }

    async fn ack_receipts(&self, through: Stamp) -> Result<()> {
        let request = self.request(Method::POST, "receipts/ack")?.json(&json!({ "through": through }));
        self.answer::<IgnoredAny>(request).await.map(drop)
    }

    async fn group(&self, gid: &str) -> Result<Option<Group>> {
        let Some(mut group): Option<Group> = told(self.get(&format!("groups/{gid}")).await)? else {
            return Ok(None);
        };
        for _ in 0..MEMBER_PAGES {
            let there = u32::try_from(group.members.len()).unwrap_or(u32::MAX);
            let Some(last) = group.members.last().filter(|_| there < group.member_count) else { break };
            let path = self.request(Method::GET, &format!("groups/{gid}/members"))?.query(&[("after", last)]);
            let page: Vec<Member> = self.answer(path).await?;
            if page.is_empty() {
                break;
            }
            for Member { id, name } in page {
                if name != id {
                    group.names.insert(id.clone(), name);
                }
                group.members.push(id);
            }
        }
        Ok(Some(group))
    }

    async fn make_group(&self, new: &NewGroup, key: &str) -> Result<Option<GroupAnswer>> {
        let request = self.request(Method::POST, "groups")?.header("Idempotency-Key", key).json(new);
        let answer = http::ask(request).await?;
        match answer.status() {
            status if status.is_success() => {
                parse(http::body(answer).await?).await.map(|group| Some(GroupAnswer::Made(group)))
            }
            StatusCode::NOT_FOUND => {
                let problem: Problem = parse(http::body(answer).await?).await?;
                Ok(Some(GroupAnswer::Unknown(named(&new.members, &problem.detail))))
            }
            _ => Err(http::no(&answer, self.clock.now())),
        }
    }

    async fn readers(&self, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        let msgid = utf8_percent_encode(msgid.as_str(), NON_ALPHANUMERIC);
        let path = format!("groups/{gid}/messages/{msgid}/receipts");
        let Some(mut readers): Option<Readers> = told(self.get(&path).await)? else { return Ok(None) };
        for _ in 0..MEMBER_PAGES {
            let Some(after) = readers.next.take() else { break };
            let page: Readers =
                self.answer(self.request(Method::GET, &path)?.query(&[("after", after)])).await?;
            readers.read.extend(page.read);
            readers.unread.extend(page.unread);
            readers.next = page.next;
        }
        readers.read.sort_by(|a, b| (a.at, &a.user).cmp(&(b.at, &b.user)));
        readers.unread.sort();
        Ok(Some(readers))
    }

    async fn listen(&self) -> Result<Option<Live>> {
        let request = self.request(Method::GET, "events")?.header(ACCEPT, "text/event-stream");
        let answer = http::send(request, self.clock.now()).await?;
        let bytes = events::bytes(answer, self.silence);
        let hints = bytes.eventsource().filter_map(|event| async {
            match event {
                Ok(event) if event.event == "hint" => Some(Ok(Hint::Changed)),
                // What can't be read is pulled: nothing is forgotten before it was acknowledged.
                Ok(event) if event.event == "receipts" => {
                    Some(Ok(serde_json::from_str(&event.data).map_or(Hint::Changed, Hint::Receipts)))
                }
                Ok(_) => None,
                Err(EventStreamError::Transport(error)) => Some(Err(error)),
                Err(_) => Some(Err(Error::Garbled)),
            }
        });
        Ok(Some(hints.boxed()))
    }
}

/// Why a server says no, as far as it is looked at.
#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    detail: String,
}

/// Those of the names that were sent which a server's words speak of. Its words themselves go no further.
fn named(sent: &[String], words: &str) -> Vec<String> {
    let quoted: Vec<&str> = words.split(['`', '"', '\'', '“', '”']).skip(1).step_by(2).collect();
    sent.iter().filter(|name| quoted.contains(&name.as_str())).cloned().collect()
}

/// A page never leads back before where it began.
fn leads_on(before: Option<Stamp>, next: Stamp) -> Result<()> {
    if before.is_some_and(|before| next < before) { Err(Error::Garbled) } else { Ok(()) }
}

/// What a server does not know, or keeps to itself, is not told.
fn told<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(told) => Ok(Some(told)),
        Err(Error::Refused(_) | Error::Forbidden) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use tidings_model::SystemClock;

    use super::*;

    fn base(url: &str) -> Result<String> {
        Tidings::new(url, String::new(), Arc::new(SystemClock)).map(|t| t.base.to_string())
    }

    #[test]
    fn a_server_names_whom_it_does_not_know_among_those_it_was_asked_for() {
        let sent = ["bo", "user", "chen.yu"].map(String::from);
        assert_eq!(named(&sent, "there is no user `bo`"), ["bo"]);
        assert_eq!(named(&sent, "“chen.yu” and “bo” are nobody"), ["bo", "chen.yu"]);
        assert!(named(&sent, "there is no such user, not even `bob`").is_empty());
    }

    #[test]
    fn an_address_may_be_written_in_several_ways() {
        for url in
            ["http://a.example", "http://a.example/", "http://a.example/api/v1", "http://a.example/api/v1/"]
        {
            assert_eq!(base(url).unwrap(), "http://a.example/api/v1/", "{url}");
        }
        assert_eq!(base("https://b.example/tidings").unwrap(), "https://b.example/tidings/api/v1/");
        for url in ["a.example", "ftp://a.example", "", "http://"] {
            assert!(base(url).is_err(), "{url}");
        }
    }
}
