//! The source of a made-up protocol: the example of docs/new-source.md. A source of the program is such a file in
//! `crates/sources/src/kinds/`, where what is of `tidings_sources` here is of `crate`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Method;
use reqwest::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};
use tidings_model::{Actor, Mark, MsgId, Stamp, SystemClock, Target};
use tidings_net::address::AddressKind;
use tidings_net::{Error, Result};
use tidings_replica::{NotifyLevel, Page, ServiceItem};
use tidings_sources::{
    Abilities, Bounds, Credential, Fetched, Keeps, Protocol, ServerInfo, Service, SignIn, Since, Source,
    Validators,
};
use tidings_testkit::scripted::{ScriptedServer, response};

/// The most entries that the server puts into one answer.
const MAX_ENTRIES: usize = 100;

/// The protocol, as it would stand in the list of all protocols.
pub const PROTOCOL: Protocol = Protocol {
    name: "tally",
    label: "Tally",
    default_url: None,
    example: "tally.example.org",
    address: AddressKind::Server,
    credential: Credential::Token,
    sign_in: SignIn::None,
    abilities: Abilities {
        history: true,
        read: Keeps::Both,
        delete: true,
        poll_interval: Duration::from_secs(60),
        ..Abilities::NONE
    },
    notify: NotifyLevel::Toast,
    reasons: &[],
    open: |row, token, clock, bounds| {
        let service = Service::new(&row.url, clock)?.with_bounds(bounds);
        Ok(Arc::new(Tally { service: service.with_header(AUTHORIZATION, &format!("Bearer {token}"))? }))
    },
};

/// The entries of one user at a Tally server.
struct Tally {
    service: Service,
}

/// The cursor: all that a later pull has to know.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Cursor {
    /// The number of the last change that was pulled.
    change: u64,
    /// The server's state of the answer with nothing after that change.
    validators: Validators,
}

/// An answer to `GET entries`.
#[derive(Deserialize)]
struct Entries {
    entries: Vec<Entry>,
    more: bool,
}

#[derive(Deserialize)]
struct Entry {
    id: u64,
    change: u64,
    at: Stamp,
    text: String,
    read: bool,
    #[serde(default)]
    deleted: bool,
}

#[derive(Deserialize)]
struct Me {
    id: String,
    name: String,
}

impl Entry {
    fn into_item(self) -> ServiceItem {
        let id = self.id.to_string();
        if self.deleted {
            return ServiceItem::deleted(&*id);
        }
        let actor = Actor { id: "tally".to_owned(), name: "Tally".to_owned() };
        let mut item = ServiceItem::new(&*id, self.at, format!("entry:{id}#count"), actor);
        item.action = Some("count".to_owned());
        item.target = Some(Target { kind: "entry".to_owned(), id, ..Target::default() });
        item.content.title = self.text;
        item.read = Some(self.read);
        item
    }
}

impl Cursor {
    /// The cursor as it was stored. One that another version wrote is the beginning: what is known is not new again.
    fn of(since: &Since) -> Self {
        let cursor = since.cursor.as_deref();
        cursor.and_then(|cursor| serde_json::from_str(cursor).ok()).unwrap_or_default()
    }

    fn into_page(self, service_items: Vec<ServiceItem>, more: bool) -> Result<Page> {
        let next = serde_json::to_string(&self).map_err(|_| Error::Malformed)?;
        Ok(Page { service_items, next: Some(next), more, ..Page::default() })
    }
}

#[async_trait]
impl Source for Tally {
    fn bounds(&self) -> Bounds {
        self.service.bounds()
    }

    async fn server_info(&self) -> Result<ServerInfo> {
        let me: Me = self.service.json(self.service.get("me")?).await?;
        Ok(ServerInfo { user: Some(me.id), name: Some(me.name), ..ServerInfo::default() })
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let mut cursor = Cursor::of(&since);
        let query = [("since", cursor.change), ("limit", limit.min(MAX_ENTRIES) as u64)];
        let request = self.service.get("entries")?.query(&query);
        let Some(answer) = self.service.if_changed(request, &mut cursor.validators).await? else {
            return Ok(Fetched { page: cursor.into_page(Vec::new(), false)?, ..Fetched::default() });
        };
        let (bytes, poll_after) = (answer.body.len(), answer.poll_interval());
        let Entries { entries, more } = answer.json().await?;
        if more && entries.is_empty() {
            return Err(Error::Malformed);
        }
        if let Some(last) = entries.last() {
            // Another address is asked next time, of which these validators say nothing.
            cursor = Cursor { change: last.change, ..Cursor::default() };
        }
        let page = cursor.into_page(entries.into_iter().map(Entry::into_item).collect(), more)?;
        Ok(Fetched { page, bytes, poll_after, ..Fetched::default() })
    }

    async fn send_mark(&self, mark: Mark, msgid: &MsgId) -> Result<()> {
        let (method, path) = match mark {
            Mark::Read => (Method::PUT, format!("entries/{msgid}/read")),
            Mark::Unread => (Method::DELETE, format!("entries/{msgid}/read")),
            Mark::Delete => (Method::DELETE, format!("entries/{msgid}")),
            // The server knows no other marks: they stay on this device.
            _ => return Ok(()),
        };
        self.service.send(self.service.request(method, &path)?).await.map(drop)
    }
}

#[tokio::test]
async fn a_page_that_promises_more_and_has_nothing_is_refused() {
    let server = ScriptedServer::start().await;
    let row = tidings_replica::Source { url: server.url(), ..tidings_replica::Source::default() };
    let headers = "content-type: application/json\r\netag: \"1\"\r\n";
    server.always(response("200 OK", headers, r#"{"entries": [], "more": true}"#));
    let client = (PROTOCOL.open)(&row, "t".to_owned(), Arc::new(SystemClock), Bounds::default()).unwrap();
    let answer = client.page(Since::default(), 10).await;
    assert!(matches!(answer, Err(Error::Malformed)), "{answer:?}");
}
