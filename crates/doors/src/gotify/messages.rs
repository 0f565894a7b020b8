//! Lists of messages, and their deletion, which archives them in the inbox.

use axum::body::Body;
use axum::http::{StatusCode, Uri};
use serde::Serialize;
use serde_json::{Map, Value};
use tidings_model::{Content, Stamp};
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::http::input::Query;
use tidings_server_core::http::middleware::exchange::{MAX_RESPONSE_BYTES, attach_reservation};
use tidings_server_core::http::response::error::json_bytes;
use tidings_server_core::http::response::page::{self, Page};
use tidings_server_core::state::AppState;
use tidings_store::domain::account::UserKey;
use tidings_store::{Message, MessagePage, MessagePageSize, MessagePosition, Messages};

use super::auth::{ClientAuth, Id};
use super::error::{GotifyError, GotifyResult, NO_APPLICATION, NO_MESSAGE, bad_request, out_of_range};
use tidings_model::gotify::Original;

/// Estimated bytes of a message as JSON without its texts and extras.
const MESSAGE_BYTES: usize = 512;

/// A message as Gotify's clients get it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct MessageJson {
    id: i64,
    appid: i64,
    message: String,
    title: String,
    priority: i64,
    #[serde(skip_serializing_if = "Map::is_empty")]
    extras: Map<String, Value>,
    date: Stamp,
}

impl MessageJson {
    pub(super) fn new(id: i64, appid: i64, date: Stamp, content: Content) -> Self {
        let Original { priority, extras } = Original::of(&content);
        Self { id, appid, message: content.body, title: content.title, priority, extras, date }
    }
}

impl From<Message> for MessageJson {
    fn from(message: Message) -> Self {
        Self::new(message.id, message.application, message.created_at, message.content)
    }
}

/// A page of a list, newest first.
#[derive(Serialize)]
struct PagedMessages {
    paging: Paging,
    messages: Vec<MessageJson>,
}

#[derive(Serialize)]
struct Paging {
    /// The path and the query of the next page; missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    size: usize,
    /// The `since` of the next page; 0 on the last one.
    since: i64,
    limit: usize,
}

impl PagedMessages {
    fn new(page: MessagePage, path: &str, limit: usize) -> Self {
        let messages: Vec<MessageJson> = page.messages.into_iter().map(MessageJson::from).collect();
        let last = messages.last().filter(|_| page.more).map(|message| message.id);
        let next = last.map(|since| format!("{path}?limit={limit}&since={since}"));
        let paging = Paging { next, size: messages.len(), since: last.unwrap_or_default(), limit };
        Self { paging, messages }
    }
}

impl Page for PagedMessages {
    fn estimated_bytes(&self) -> usize {
        let texts = |message: &MessageJson| message.message.len() + message.title.len() + MESSAGE_BYTES;
        self.messages.iter().map(texts).sum()
    }
}

/// The parameters `limit` and `since` of a list.
fn paging(query: &Query) -> Result<(usize, i64), GotifyError> {
    let number = |name: &str| {
        let text = query.raw_text(name)?;
        let parse = |text: &str| match text.parse::<i64>() {
            Ok(number) => Ok(number),
            Err(_) if text.is_empty() => Ok(0),
            Err(_) => Err(bad_request(format!("Field '{name}' must be a whole number"))),
        };
        text.map(parse).transpose()
    };
    let (max, default) = (limits::GOTIFY_LIST_LIMIT, limits::DEFAULT_GOTIFY_LIST_LIMIT);
    let limit = match number("limit")?.map(usize::try_from) {
        None => default,
        Some(Err(_) | Ok(0)) => return Err(out_of_range("limit", "more", 1)),
        Some(Ok(limit)) if limit > max => return Err(out_of_range("limit", "less", max as u64)),
        Some(Ok(limit)) => limit,
    };
    let since = number("since")?.unwrap_or_default();
    if since < 0 { Err(out_of_range("since", "more", 0)) } else { Ok((limit, since)) }
}

/// `GET /message`.
pub(super) async fn list(
    app: AppState,
    ClientAuth(auth): ClientAuth,
    uri: Uri,
    query: Query,
) -> GotifyResult {
    respond(&app, auth.bearer.user, Messages::All, (&uri, &query)).await
}

/// `GET /application/{id}/message`.
pub(super) async fn list_of_application(
    app: AppState,
    ClientAuth(auth): ClientAuth,
    Id(id): Id,
    uri: Uri,
    query: Query,
) -> GotifyResult {
    let user = auth.bearer.user;
    app.store().application(user, id).await?.ok_or(NO_APPLICATION)?;
    respond(&app, user, Messages::OfApplication(id), (&uri, &query)).await
}

/// A page of messages; its memory is reserved before it is read.
async fn respond(
    app: &AppState,
    user: UserKey,
    which: Messages,
    (uri, query): (&Uri, &Query),
) -> GotifyResult {
    let (limit, since) = paging(query)?;
    let room = app.load_limits.responses.reserve(Principal::User(user), MAX_RESPONSE_BYTES).await?;
    let before = MessagePosition::Before(if since == 0 { i64::MAX } else { since });
    let size = MessagePageSize { messages: limit, bytes: limits::PAGE_BYTES };
    let found = app.store().messages(user, which, before, size).await?;
    let paged = PagedMessages::new(found, uri.path(), limit);
    let response = page::page(&app.load_limits, user, paged).await?;
    Ok(attach_reservation(room, response).await)
}

/// `DELETE /message`.
pub(super) async fn delete_all(app: AppState, ClientAuth(auth): ClientAuth) -> GotifyResult {
    archive(&app, auth.bearer.user, Messages::All).await?;
    Ok(done())
}

/// `DELETE /application/{id}/message`.
pub(super) async fn delete_of_application(
    app: AppState,
    ClientAuth(auth): ClientAuth,
    Id(id): Id,
) -> GotifyResult {
    let user = auth.bearer.user;
    app.store().application(user, id).await?.ok_or(NO_APPLICATION)?;
    archive(&app, user, Messages::OfApplication(id)).await?;
    Ok(done())
}

/// `DELETE /message/{id}`.
pub(super) async fn delete(app: AppState, ClientAuth(auth): ClientAuth, Id(id): Id) -> GotifyResult {
    match archive(&app, auth.bearer.user, Messages::One(id)).await? {
        0 => Err(NO_MESSAGE),
        _ => Ok(done()),
    }
}

/// Archives messages and sends a hint to the user's other clients; gives their number.
async fn archive(app: &AppState, user: UserKey, which: Messages) -> Result<usize, GotifyError> {
    let count = app.store().archive_messages(user, which).await?;
    if count > 0 {
        app.server.hub.hint(user, app.store().inbox_stamp(user).await?);
    }
    Ok(count)
}

/// The response to a deletion, which has no body with Gotify.
pub(super) fn done() -> axum::response::Response {
    json_bytes(StatusCode::OK, Body::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_gotifys_bounds() {
        let read = |query: &str| paging(&Query::parse(query));
        assert_eq!(read(""), Ok((100, 0)));
        assert_eq!(read("limit=200&since=7"), Ok((200, 7)));
        for odd in ["limit=0", "limit=", "limit=-1", "limit=201", "limit=x", "since=-1", "since=x"] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }
}
