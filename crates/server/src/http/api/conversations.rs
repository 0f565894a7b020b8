//! Endpoints of conversations, and of the read marks of views.

use serde::Deserialize;
use serde_json::json;
use tidings_model::wire::{Count, InboxPage};
use tidings_model::{MsgId, Problem, Stamp, View};
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{Json, OptionalJson, PathParams, Query};
use tidings_server_core::http::response::error::{ApiError, ApiResult, ok};
use tidings_server_core::http::response::page as page_response;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::UserKey;
use tidings_store::trace::of_call;
use tidings_store::{Conversation, ConversationQuery, InboxQuery, Visit};
use utoipa::ToSchema;

use super::inbox::fan_in;
use super::{INBOX, parameters};
use crate::http::openapi::endpoint::{Endpoint, parameter};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let unread_schema = parameters::object(&json!({"unread": parameters::count()}));
    let visit_schema = parameters::object(&json!({"at": parameters::time(), "unread": parameters::count()}));
    let before_parameter =
        parameters::time_parameter("before", "Only conversations whose newest item was created before.");
    let limit = parameter(
        "limit",
        "The largest page, in conversations or messages.",
        &parameters::integer(limits::CONVERSATIONS_LIMIT as u64, limits::DEFAULT_CONVERSATIONS_LIMIT as u64),
    );
    let view_schema = parameters::object(
        &json!({"at": {"type": ["string", "null"], "format": "date-time"}, "unread": parameters::count()}),
    );
    vec![
        Endpoint::get("/conversations", INBOX, self::conversations)
            .about(
                "A page of the conversations, latest first. It ends at 4 MiB; the next one is before the \
                 last element's last item.",
            )
            .query([before_parameter, limit, parameters::cap(), parameters::user()])
            .list_response::<Conversation>(200),
        Endpoint::get("/conversations/{id}/messages", INBOX, self::messages)
            .about("A conversation, newest first.")
            .query([parameters::before(), parameters::list_limit(), parameters::user()])
            .response::<InboxPage>(200),
        Endpoint::put("/conversations/{id}/read", INBOX, self::read_through)
            .about("Marks a conversation as read up to a message.")
            .query([parameters::cap(), parameters::user()])
            .request_body::<self::Through>()
            .response_schema(200, unread_schema),
        Endpoint::get("/views/{code}/{id}", INBOX, self::view)
            .about("The mark of a view and its unread count.")
            .query([parameters::cap(), parameters::user()])
            .response_schema(200, view_schema),
        Endpoint::put("/views/{code}/{id}", INBOX, self::visit)
            .about("Visits a view: moves its mark forward, so that its items up to then are read.")
            .query([parameters::cap(), parameters::user()])
            .optional_request_body::<self::At>()
            .response_schema(200, visit_schema),
    ]
}

pub(crate) async fn conversations(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let conversation_query = ConversationQuery {
        before: query.time("before")?,
        limit: query.limit(limits::DEFAULT_CONVERSATIONS_LIMIT, limits::CONVERSATIONS_LIMIT)?,
        cap: query.cap()?,
    };
    fan_in(&app, user).await?;
    let store = app.store();
    let page = of_call(store, "conversations", store.conversations(user, conversation_query)).await?;
    page_response::page(&app.load_limits, user, page).await
}

/// The conversation named in the path, `user:<id>` or `group:<id>`.
fn conversation_id(path: &PathParams) -> Result<String, Problem> {
    let id = path.text("id")?;
    if !tidings_model::view::is_conversation(id) {
        return Err(Problem::invalid("id", "must be user:<id> or group:<id>"));
    }
    Ok(id.to_owned())
}

pub(crate) async fn messages(app: AppState, auth: AuthContext, path: PathParams, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let inbox_query = InboxQuery {
        before: query.time("before")?,
        limit: query.limit(limits::DEFAULT_LIST_LIMIT, limits::LIST_LIMIT)?,
        conversation: Some(conversation_id(&path)?),
        ..InboxQuery::default()
    };
    fan_in(&app, user).await?;
    let store = app.store();
    let page = of_call(store, "list", store.inbox(user, inbox_query)).await?;
    page_response::page(&app.load_limits, user, page).await
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
async fn advance_mark(
    app: &AppState,
    user: UserKey,
    view: &View,
    visit: Visit,
    cap: u64,
) -> Result<(Stamp, Count), ApiError> {
    fan_in(app, user).await?;
    let store = app.store();
    let (at, unread, affected) = of_call(store, "visit", store.visit(user, view, visit, cap)).await?;
    let stamp = app.store().inbox_stamp(user).await?;
    app.server.hub.hint(user, stamp);
    app.server.hub.messages_read(&affected, stamp);
    Ok((at, unread))
}

pub(crate) async fn read_through(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    query: Query,
    Json(body): Json<Through>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let view = View::Conversation(conversation_id(&path)?);
    let (_, unread) = advance_mark(&app, user, &view, Visit::Item(body.through), query.cap()?).await?;
    ok(&json!({"unread": unread}))
}

fn path_view(path: &PathParams) -> Result<View, Problem> {
    View::from_parts(path.text("code")?, path.text("id")?)
        .map_err(|e| Problem::invalid("view", e.to_string()))
}

pub(crate) async fn view(app: AppState, auth: AuthContext, path: PathParams, query: Query) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let (view, cap) = (path_view(&path)?, query.cap()?);
    fan_in(&app, user).await?;
    let store = app.store();
    let (at, unread) = of_call(store, "unread of view", store.view(user, &view, cap)).await?;
    ok(&json!({"at": at, "unread": unread}))
}

/// The time up to which the view was visited.
#[derive(Deserialize, Default, ToSchema)]
pub(crate) struct At {
    /// Items of the view created up to this time become read; the server's time if it is missing.
    #[serde(default)]
    at: Option<Stamp>,
}

pub(crate) async fn visit(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    query: Query,
    body: OptionalJson<At>,
) -> ApiResult {
    let user = auth.inbox_of(&app, &query).await?;
    let view = path_view(&path)?;
    let visit = body.0.at.map_or(Visit::Now, Visit::At);
    let (at, unread) = advance_mark(&app, user, &view, visit, query.cap()?).await?;
    ok(&json!({"unread": unread, "at": at}))
}
