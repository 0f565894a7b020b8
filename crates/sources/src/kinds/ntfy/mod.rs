//! Topics of an ntfy server as a source: polls bring cached messages, the JSON stream brings new ones. The service
//! keeps no state of a reader, so marks stay here, but a publisher may revise, clear or delete what it published.

mod channel;
mod cursor;
mod event;
mod poll;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use data_encoding::BASE64;
use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tidings_model::Clock;
use tidings_net::address::AddressKind;
use tidings_net::http::Body;
use tidings_net::{Error, Result};
use tidings_replica::{NotifyLevel, Page};
use tokio::sync::OnceCell;

use self::channel::Channel;
use self::cursor::{Cursor, PollByTime};
use self::event::Event;
use self::poll::Poll;
use super::address_topics::split;
use crate::bounds::Bounds;
use crate::cursors;
use crate::service::lines::Lines;
use crate::service::{MAX_SERVICE_ANSWER_BYTES, Service};
use crate::source::{
    Abilities, Credential, Fetched, Live, Protocol, Publication, ServerInfo, SignIn, Since, Source,
};

/// The time of silence after which a stream counts as dead; the server sends a line at least every 45 to 55 s.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(90);
/// The longest text of a publication, in bytes: a server makes a file of a longer one, or refuses it.
const MAX_TEXT_BYTES: usize = 4_096;
/// The name that ntfy gives a client without an account.
const NOBODY: &str = "*";

/// An ntfy server.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "ntfy",
    label: "ntfy",
    default_url: None,
    example: "ntfy.example.org/backups,doorbell",
    address: AddressKind::Server,
    credential: Credential::Optional,
    sign_in: SignIn::None,
    abilities: Abilities {
        live: true,
        history: true,
        publish_bytes: Some(MAX_TEXT_BYTES),
        ..Abilities::NONE
    },
    notify: NotifyLevel::Toast,
    reasons: &[],
    open: |row, token, clock, bounds| Ok(Arc::new(Ntfy::new(&row.url, &token, clock, bounds)?)),
};

/// Some topics of a server.
struct Ntfy {
    service: Service,
    /// The names of the topics, separated by commas.
    topics: String,
    login: Login,
    channel: Arc<Channel>,
    /// Requested once: a pull asks again as long as it knows no user.
    info: OnceCell<ServerInfo>,
    silence: Duration,
}

/// The account as far as it is known without a request.
enum Login {
    /// None.
    Nobody,
    /// A token, whose user the server knows.
    Token,
    /// The user of this name.
    User(String),
}

impl Ntfy {
    /// A client of the topics at `url`, `https://host/topic,topic`, with a token, `user:password` or nothing. Sends no
    /// request.
    fn new(url: &str, credential: &str, clock: Arc<dyn Clock>, bounds: Bounds) -> Result<Self> {
        let (base, topics) = split(url).ok_or_else(|| Error::Address(url.to_owned()))?;
        let service = Service::new(base.as_str(), clock)?.with_bounds(bounds);
        let (service, login) = match credential.split_once(':') {
            Some((user, _)) => {
                let encoded = BASE64.encode(credential.as_bytes());
                (
                    service.with_header(AUTHORIZATION, &format!("Basic {encoded}"))?,
                    Login::User(user.to_owned()),
                )
            }
            None if credential.is_empty() => (service, Login::Nobody),
            None => (service.with_header(AUTHORIZATION, &format!("Bearer {credential}"))?, Login::Token),
        };
        let (channel, info) = (Arc::new(Channel::new(bounds)), OnceCell::new());
        Ok(Self { service, topics: topics.join(","), login, channel, info, silence: SILENCE_TIMEOUT })
    }

    /// Asks whether the topics may be read, and who reads them.
    async fn ask_info(&self) -> Result<ServerInfo> {
        let request = self.service.get(&format!("{}/auth", self.topics))?;
        match self.service.json::<TopicAuth>(request).await {
            Ok(TopicAuth { success: false }) => return Err(Error::Forbidden),
            // Not every server that speaks ntfy's protocol has this request; the poll shows it.
            Ok(TopicAuth { success: true }) | Err(Error::Refused(404 | 405)) => {}
            Err(error) => return Err(error),
        }
        let name = match &self.login {
            Login::Nobody => None,
            Login::User(name) => Some(name.clone()),
            Login::Token => self.ask_name().await?,
        };
        Ok(ServerInfo { user: name.clone(), name, ..ServerInfo::default() })
    }

    /// The name of the token's user; `None` if the server does not say.
    async fn ask_name(&self) -> Result<Option<String>> {
        match self.service.json::<Account>(self.service.get("v1/account")?).await {
            Ok(account) => Ok(Some(account.username).filter(|name| !name.is_empty() && name != NOBODY)),
            Err(Error::Refused(_) | Error::Forbidden | Error::Malformed | Error::AnswerTooLarge) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Polls from a cursor, at most `limit` new lines and the rest of their second.
    async fn poll(&self, cursor: &Cursor, limit: usize) -> Result<Poll> {
        let request = self.service.get(&format!("{}/json", self.topics))?;
        let request = request.query(&[("poll", "1"), ("since", cursor.since().as_str())]);
        let mut body = Body::of(self.service.send(request).await?);
        let mut poll = Poll::default();
        let mut lines = Lines::default();
        while let Some(chunk) = body.chunk().await? {
            poll.bytes += chunk.len();
            lines.push(&chunk);
            while let Some(line) = lines.take_line() {
                poll.accept(line, cursor, limit)?;
                if poll.is_cut {
                    return Ok(poll);
                }
            }
            if poll.bytes > MAX_SERVICE_ANSWER_BYTES {
                return Err(Error::AnswerTooLarge);
            }
        }
        if let Some(line) = lines.take_rest() {
            poll.accept(line, cursor, limit)?;
        }
        Ok(poll)
    }
}

/// The answer to `GET /<topics>/auth`.
#[derive(Deserialize)]
struct TopicAuth {
    success: bool,
}

/// The part of `GET /v1/account` that is read.
#[derive(Deserialize)]
struct Account {
    username: String,
}

#[async_trait]
impl Source for Ntfy {
    fn bounds(&self) -> Bounds {
        self.service.bounds()
    }

    async fn server_info(&self) -> Result<ServerInfo> {
        self.info.get_or_try_init(|| self.ask_info()).await.cloned()
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let mut before = Cursor::read(since.cursor.as_deref(), &self.topics);
        let was_open = self.channel.is_open();
        self.channel.forget(|id| before.has_seen(id));
        let poll = match self.poll(&before, limit).await {
            // The id is of another kind of server that was at this address.
            Err(Error::Refused(400)) if before.is_by_id() => {
                before.id = None;
                self.poll(&before, limit).await?
            }
            answer => answer?,
        };
        let Poll { mut events, last, skipped, bytes, is_cut, .. } = poll;
        let (mut next, most) = (before.clone(), self.bounds().seen_lines);
        let is_beginning = before.is_beginning();
        if let Some((id, time)) = last {
            (next.id, next.time) = (Some(id), time);
        }
        let covers = before.walk.map_or(is_beginning, |walk| walk.covers);
        next.walk = if is_cut {
            Some(PollByTime { from: next.time, covers })
        } else if covers || self.channel.is_complete() {
            None
        } else {
            Some(before.covering_walk())
        };
        if next.walk.is_none() {
            next.covered = next.time;
            if covers && was_open {
                self.channel.set_caught_up();
            }
        }
        let too_long = skipped.iter().filter(|one| !one.malformed).map(|one| &one.msgid.0);
        for id in events.iter().map(|event| &event.id).chain(too_long) {
            next.see(id, most);
        }
        // What a poll has brought comes with it again should this page be lost.
        self.channel.forget(|id| events.iter().any(|event| event.id == id));
        if next.walk.is_none() {
            let live = self.channel.events();
            for event in &live {
                next.see(&event.id, most);
            }
            events.extend(live);
            events.sort_by_key(|event| event.time);
        }
        let stored = cursors::write(&next)?;
        let page = Page {
            service_items: event::items(&events),
            next: Some(stored),
            more: next.walk.is_some(),
            ..Page::default()
        };
        Ok(Fetched { page, bytes, skipped, ..Fetched::default() })
    }

    async fn listen(&self) -> Result<Option<Live>> {
        // What packs a stream may hold lines back.
        let request = self.service.get(&format!("{}/json", self.topics))?.header(ACCEPT_ENCODING, "identity");
        let answer = self.service.send(request).await?;
        Ok(Some(channel::hints(answer, self.channel.clone(), self.silence)))
    }

    async fn publish(&self, publication: &Publication) -> Result<()> {
        let request = self.service.request(Method::POST, "")?.json(&written(publication));
        // If another page answers with a success, the server did not get the publication.
        let answer = Event::parse(&self.service.answer(request).await?.body)?;
        if answer.kind().is_some() { Ok(()) } else { Err(Error::Malformed) }
    }
}

/// A publication as ntfy's JSON has it. What goes into the body of the request is in no log of a server.
fn written(publication: &Publication) -> Map<String, Value> {
    let Publication { key, topic, title, text, is_markdown, priority, tags, click } = publication;
    let always = [
        ("topic", json!(topic)),
        ("message", json!(text)),
        ("priority", json!(priority.get())),
        // Servers before 2.16 ignore it, and show a publication that is sent again twice.
        ("sequence_id", json!(key)),
    ];
    let title = title.as_ref().map(|title| ("title", json!(title)));
    let tags = (!tags.is_empty()).then(|| ("tags", json!(tags)));
    let click = click.as_ref().map(|click| ("click", json!(click)));
    let markdown = is_markdown.then_some(("markdown", json!(true)));
    let fields = always.into_iter().chain(title).chain(tags).chain(click).chain(markdown);
    fields.map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests;
