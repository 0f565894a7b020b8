//! Endpoints of conversations, and of the read marks of views.

use axum::extract::State;
use axum::routing::{get, put};
use serde::Deserialize;
use serde_json::json;
use tidings_model::wire::{Count, InboxPage};
use tidings_model::{MsgId, Problem, Stamp, View};
use utoipa::ToSchema;

use super::inbox::fan_in;
use super::{INBOX, parameters};
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::http::AppState;
use crate::http::auth::AuthContext;
use crate::http::input::{Json, Optional, Query, Segments};
use crate::http::openapi::endpoint::{Endpoint, parameter};
use crate::http::response::error::{ApiError, ApiResult, ok};
use crate::http::response::page as page_response;
use crate::store::{Conversation, ConversationQuery, InboxQuery, Visit};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let left = parameters::object(&json!({"unread": parameters::count()}));
    let looked = parameters::object(&json!({"at": parameters::time(), "unread": parameters::count()}));
    let earlier = parameters::moment("before", "Only conversations whose newest item was created before.");
    let limit = parameter(
        "limit",
        "The largest page, in conversations or messages.",
        &parameters::whole(limits::CONVERSATIONS as u64, limits::CONVERSATIONS_DEFAULT as u64),
    );
    let view = parameters::object(
        &json!({"at": {"type": ["string", "null"], "format": "date-time"}, "unread": parameters::count()}),
    );
    vec![
        Endpoint::new(
            "GET",
            "/conversations",
            "A page of the conversations, latest first. It ends at 4 MiB; the next one is before the last element's last item.",
            INBOX,
            get(self::conversations),
        )
        .query([earlier, limit, parameters::cap(), parameters::user()])
        .answers_many::<Conversation>(200),
        Endpoint::new(
            "GET",
            "/conversations/{id}/messages",
            "A conversation, newest first.",
            INBOX,
            get(self::messages),
        )
        .query([parameters::before(), parameters::list_limit(), parameters::user()])
        .answers::<InboxPage>(200),
        Endpoint::new(
            "PUT",
            "/conversations/{id}/read",
            "Marks a conversation as read up to a message.",
            INBOX,
            put(self::read_through),
        )
        .query([parameters::cap(), parameters::user()])
        .takes::<self::Through>()
        .answers_with(200, left),
        Endpoint::new(
            "GET",
            "/views/{code}/{id}",
            "The mark of a view and its unread count.",
            INBOX,
            get(self::view),
        )
        .query([parameters::cap(), parameters::user()])
        .answers_with(200, view),
        Endpoint::new(
            "PUT",
            "/views/{code}/{id}",
            "Visits a view: moves its mark forward, so that its items up to then are read.",
            INBOX,
            put(self::visit),
        )
        .query([parameters::cap(), parameters::user()])
        .may_take::<self::At>()
        .answers_with(200, looked),
    ]
}

pub(crate) async fn conversations(State(app): State<AppState>, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let wanted = ConversationQuery {
        before: query.time("before")?,
        limit: query.limit(limits::CONVERSATIONS_DEFAULT, limits::CONVERSATIONS)?,
        cap: query.cap()?,
    };
    fan_in(&app, user).await?;
    page_response::page(&app.load, user, app.store().conversations(user, wanted).await?).await
}

/// The conversation named in the path, `user:<id>` or `group:<id>`.
fn conversation(path: &Segments) -> Result<String, Problem> {
    let id = path.text("id")?;
    if !tidings_model::view::is_conversation(id) {
        return Err(Problem::invalid("id", "must be user:<id> or group:<id>"));
    }
    Ok(id.to_owned())
}

pub(crate) async fn messages(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let wanted = InboxQuery {
        before: query.time("before")?,
        limit: query.limit(limits::LIST_DEFAULT, limits::LIST)?,
        conversation: Some(conversation(&path)?),
        ..InboxQuery::default()
    };
    fan_in(&app, user).await?;
    page_response::page(&app.load, user, app.store().inbox(user, wanted).await?).await
}

/// The message up to which the conversation was read.
#[derive(Deserialize, ToSchema)]
#[schema(as = ReadThrough)]
pub(crate) struct Through {
    /// The msgid of the message.
    through: MsgId,
}

/// Moves a view's read mark forward, sends a hint to the user's clients, and signals new receipts to the senders of
/// group messages that became read. Gives the mark and the unread count of the view.
async fn advance(
    app: &AppState,
    user: UserKey,
    view: &View,
    visit: Visit,
    cap: u64,
) -> Result<(Stamp, Count), ApiError> {
    fan_in(app, user).await?;
    let (at, unread, affected) = app.store().visit(user, view, visit, cap).await?;
    let stamp = app.store().meta().await?.last_stamp;
    app.server.hub.hint(user, stamp);
    app.server.hub.messages_read(&affected, stamp);
    Ok((at, unread))
}

pub(crate) async fn read_through(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
    Json(body): Json<Through>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let view = View::Conversation(conversation(&path)?);
    let (_, unread) = advance(&app, user, &view, Visit::Item(body.through), query.cap()?).await?;
    ok(&json!({"unread": unread}))
}

fn view_of(path: &Segments) -> Result<View, Problem> {
    View::from_parts(path.text("code")?, path.text("id")?)
        .map_err(|e| Problem::invalid("view", e.to_string()))
}

pub(crate) async fn view(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let (view, cap) = (view_of(&path)?, query.cap()?);
    fan_in(&app, user).await?;
    let (at, unread) = app.store().view(user, &view, cap).await?;
    ok(&json!({"at": at, "unread": unread}))
}

/// The time up to which the view was visited.
#[derive(Deserialize, Default, ToSchema)]
pub(crate) struct At {
    /// Items of the view created up to this time become read; the server's time where it is missing.
    #[serde(default)]
    at: Option<Stamp>,
}

pub(crate) async fn visit(
    State(app): State<AppState>,
    auth: AuthContext,
    path: Segments,
    query: Query,
    body: Optional<At>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let view = view_of(&path)?;
    let visit = body.0.at.map_or(Visit::Now, Visit::At);
    let (at, unread) = advance(&app, user, &view, visit, query.cap()?).await?;
    ok(&json!({"unread": unread, "at": at}))
}
