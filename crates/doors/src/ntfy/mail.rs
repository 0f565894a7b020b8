//! Publishes mail on a topic: as a request with the same title, message and file, with the authorization, the limits and
//! the errors of one.

use std::fmt::Write;
use std::net::SocketAddr;

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Request, header};
use futures_util::stream;
use sha2::{Digest, Sha256};
use tidings_model::{Code, Problem, text};
use tidings_server_core::budgets::{Principal, RequestReservations, SMALL_BODY_BYTES};
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::client_address::ClientAddress;
use tidings_server_core::http::input::Query;
use tidings_server_core::http::middleware::guards;
use tidings_server_core::peer_user::PeerConnection;
use tidings_server_core::state::AppState;

use super::auth::{authenticate, authorize};
use super::draft::PublishFields;
use super::error::NtfyError;
use super::fields::Fields;
use super::publish::{publish, publish_file, publisher};
use super::upload::{Incoming, PartialBody};

/// What a mail says.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Mail {
    /// Its subject.
    pub(crate) subject: String,
    /// Its text.
    pub(crate) text: String,
    /// Its `Message-ID`, by which a repeated delivery is known.
    pub(crate) message_id: Option<String>,
    /// Its attachments.
    pub(crate) files: Vec<MailFile>,
}

/// An attachment of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MailFile {
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
}

/// The other end of a connection that brings mail.
#[derive(Clone)]
pub(crate) struct MailOrigin {
    pub(crate) peer: SocketAddr,
    /// The address of this end, at which the sender reaches the server.
    pub(crate) local: SocketAddr,
    pub(crate) connection: PeerConnection,
}

/// The topic of a mail, with the request that stands for it.
pub(crate) struct MailRecipient {
    topic: String,
    parts: Parts,
    principal: Principal,
}

/// Why mail is not taken, as SMTP says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MailRefusal {
    /// The code of the reply: from 500 on, the sender does not try again.
    pub(crate) code: u16,
    pub(crate) text: String,
}

impl From<NtfyError> for MailRefusal {
    fn from(e: NtfyError) -> Self {
        let code = match e.status() {
            413 => 552,
            429 => 450,
            500.. => 451,
            _ => 550,
        };
        Self { code, text: e.text().to_owned() }
    }
}

impl From<Problem> for MailRefusal {
    fn from(problem: Problem) -> Self {
        NtfyError::from(problem).into()
    }
}

impl MailOrigin {
    /// A request of this origin, counted by its address.
    ///
    /// # Errors
    /// `rate_limited` for an address with too many requests.
    fn request(&self, app: &AppState, token: Option<&str>) -> Result<Parts, Problem> {
        let (mut parts, ()) = Request::new(()).into_parts();
        parts.extensions.insert(ConnectInfo(self.peer));
        parts.extensions.insert(self.connection.clone());
        parts.extensions.insert(RequestReservations::default());
        let caller = ClientAddress::of(&parts.extensions, &parts.headers, &app.server.config);
        guards::count_address(app, caller, &mut parts.extensions)?;
        // The address of files is the one at which the sender has found this machine.
        let ip = if app.address.ip().is_unspecified() { self.local.ip() } else { app.address.ip() };
        insert(&mut parts.headers, "host", &SocketAddr::new(ip, app.address.port()).to_string());
        if let Some(token) = token {
            let credentials = HeaderValue::from_str(&format!("Bearer {token}"));
            let refused = |_| Problem::new(Code::Unauthorized, "unauthorized");
            parts.headers.insert(header::AUTHORIZATION, credentials.map_err(refused)?);
        }
        Ok(parts)
    }

    /// Checks a token that was given by itself, and not for a topic.
    pub(crate) async fn check_token(&self, app: &AppState, token: &str) -> Result<(), MailRefusal> {
        let parts = self.request(app, Some(token))?;
        authenticate(app, &parts, &Query::default()).await?;
        Ok(())
    }
}

impl MailRecipient {
    /// A topic that this origin may publish on, with the token or without one.
    pub(crate) async fn accept(
        app: &AppState,
        origin: &MailOrigin,
        topic: &str,
        token: Option<&str>,
    ) -> Result<Self, MailRefusal> {
        super::check_topic(topic)?;
        let parts = origin.request(app, token)?;
        let bearer = authorize(app, &parts, &Query::default(), true).await?;
        app.settings_for(bearer.as_ref(), topic).await.map_err(NtfyError::from)?;
        let principal = bearer.map_or(Principal::Anonymous, |bearer| Principal::User(bearer.user));
        Ok(Self { topic: topic.to_owned(), parts, principal })
    }

    /// Its topic.
    pub(crate) fn topic(&self) -> &str {
        &self.topic
    }

    /// Whose share of the budgets a mail to it uses.
    pub(crate) fn principal(&self) -> Principal {
        self.principal
    }

    /// Publishes a mail, durably. The first file goes with it if it fits; the others are named in the text. A mail
    /// that was published on this topic, with the same `Message-ID` and text, is not published again.
    pub(crate) async fn publish(&self, app: &AppState, mail: &Mail) -> Result<(), MailRefusal> {
        let Self { topic, parts, .. } = self;
        let query = Query::default();
        let bearer = authorize(app, parts, &query, true).await?;
        let publisher = publisher(parts, bearer, topic).await;
        let mut headers = parts.headers.clone();
        if let (Some(_), Some(id)) = (&publisher.idempotency_owner, &mail.message_id) {
            insert(&mut headers, "idempotency-key", &delivery_key(topic, id, mail));
        }
        if let Some((first, others)) = mail.files.split_first() {
            let mut headers = headers.clone();
            insert(&mut headers, "x-filename", &first.name);
            let fields = Fields::new(&headers, &query);
            let incoming = Incoming { app, parts, fields: &fields, user: publisher.user() };
            let body = PartialBody::new(in_parts(&first.bytes));
            let named = fields_of(mail, others);
            match publish_file(&incoming, publisher.clone(), topic, named, body).await {
                Err(e) if e.is_about_file() => {}
                published => return Ok(published.map(drop)?),
            }
        }
        let fields = Fields::new(&headers, &query);
        publish(app, publisher, topic, &fields, fields_of(mail, &mail.files), None).await?;
        Ok(())
    }
}

/// A header, unless its value can't be one.
fn insert(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
        headers.insert(name, value);
    }
}

/// A body that comes in parts, as one from a network does.
fn in_parts(bytes: &Bytes) -> Body {
    let starts = (0..bytes.len()).step_by(SMALL_BODY_BYTES);
    let parts: Vec<_> = starts
        .map(|start| bytes.slice(start..bytes.len().min(start + SMALL_BODY_BYTES)))
        .map(Ok::<_, std::convert::Infallible>)
        .collect();
    Body::from_stream(stream::iter(parts))
}

/// The key under which a mail is published once on a topic. What it says is part of it, because some programs give all
/// their mails the same `Message-ID`.
fn delivery_key(topic: &str, message_id: &str, mail: &Mail) -> String {
    let mut hash = Sha256::new();
    for part in [topic, message_id, &mail.subject, &mail.text] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().fold("mail-".to_owned(), |mut key, byte| {
        let _ = write!(key, "{byte:02x}");
        key
    })
}

/// Title and message, with the names of files that do not go with it. As with ntfy, a subject without a text is the
/// message.
fn fields_of(mail: &Mail, files: &[MailFile]) -> PublishFields {
    let named = file_names(files);
    let room = limits::TEXT_BYTES.saturating_sub(named.len() + 2);
    let body = text::cut(&mail.text, room).trim();
    if body.is_empty() && mail.files.is_empty() {
        return PublishFields { message: Some(mail.subject.clone()), ..PublishFields::default() };
    }
    let gap = if body.is_empty() || named.is_empty() { "" } else { "\n\n" };
    PublishFields {
        title: Some(mail.subject.clone()),
        message: Some(format!("{body}{gap}{named}")),
        ..PublishFields::default()
    }
}

fn file_names(files: &[MailFile]) -> String {
    let mut lines: Vec<String> = files
        .iter()
        .take(limits::MAIL_FILE_NAMES)
        .map(|file| format!("Not kept: {} ({} KB)", file.name, file.bytes.len().div_ceil(1000)))
        .collect();
    let more = files.len().saturating_sub(lines.len());
    if more > 0 {
        lines.push(format!("Not kept: {more} more files"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> MailFile {
        MailFile { name: name.to_owned(), bytes: Bytes::from_static(b"12345") }
    }

    #[test]
    fn a_subject_alone_is_the_message_and_files_that_are_not_kept_are_named() {
        let mail = Mail { subject: "S".to_owned(), text: " T ".to_owned(), ..Mail::default() };
        let said = |mail: &Mail, files: &[MailFile]| {
            let fields = fields_of(mail, files);
            (fields.title, fields.message.unwrap())
        };
        assert_eq!(said(&mail, &[]), (Some("S".to_owned()), "T".to_owned()));
        assert_eq!(said(&Mail { text: String::new(), ..mail.clone() }, &[]), (None, "S".to_owned()));
        let files = [file("a.pdf"), file("b.pdf")];
        let with_files = Mail { files: files.to_vec(), ..mail.clone() };
        assert_eq!(said(&with_files, &files[1..]).1, "T\n\nNot kept: b.pdf (1 KB)");
        let many = vec![file("c"); limits::MAIL_FILE_NAMES + 3];
        assert!(said(&with_files, &many).1.ends_with("Not kept: c (1 KB)\nNot kept: 3 more files"));
        let long = Mail { text: "\u{e9}".repeat(limits::TEXT_BYTES), ..with_files };
        assert!(said(&long, &files).1.len() <= limits::TEXT_BYTES);
    }

    #[test]
    fn a_delivery_has_a_key_of_its_own_on_each_topic_and_for_each_text() {
        let mail = Mail { subject: "S".to_owned(), text: "T".to_owned(), ..Mail::default() };
        let other = Mail { text: "U".to_owned(), ..mail.clone() };
        let key = delivery_key("a", "1@x", &mail);
        assert_eq!(key, delivery_key("a", "1@x", &mail));
        for different in [("b", "1@x", &mail), ("a", "2@x", &mail), ("a", "1@x", &other)] {
            assert_ne!(key, delivery_key(different.0, different.1, different.2));
        }
        assert!(key.len() <= limits::KEY_BYTES);
    }
}
