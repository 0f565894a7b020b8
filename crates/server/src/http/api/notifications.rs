//! Endpoints that change what was published. A user who may not change a notification gets the same answer as if it
//! were not there.

use axum::Extension;
use serde::Serialize;
use tidings_model::wire::{AnnouncementReaders, Edited, NotificationEdit};
use tidings_model::{Answer, MsgId, QuestionState};
use tidings_server_core::connections::ClientPresence;
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{Json, PathParams, Query};
use tidings_server_core::http::response::error::{ApiResult, no_content, ok};
use tidings_server_core::state::AppState;

use super::{ANY_SCOPE, parameters};
use crate::http::answers::wait_for_answer;
use crate::http::openapi::endpoint::Endpoint;
use utoipa::ToSchema;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::delete("/notifications/{msgid}", ANY_SCOPE, self::recall)
            .about("Takes a notification back, from every inbox; for whoever posted it.")
            .no_content_response(),
        Endpoint::patch("/notifications/{msgid}", ANY_SCOPE, self::edit)
            .about(
                "Edits a notification, in every inbox that has it; for whoever posted it. What is absent \
                 or null stays.",
            )
            .request_body::<NotificationEdit>()
            .response::<Edited>(200),
        Endpoint::get("/notifications/{msgid}/answer", ANY_SCOPE, self::answer)
            .about(
                "What became of a question, at once or as soon as it is no longer open; for whoever \
                 posted it.",
            )
            .query([parameters::wait()])
            .response::<QuestionOutcome>(200),
        Endpoint::get("/announcements/{msgid}/readers", ANY_SCOPE, self::readers)
            .about(
                "How many users have read an announcement, of those who got it; for whoever posted it. A \
                 count is given again for twenty times as long as it took, so it may be that old.",
            )
            .response::<AnnouncementReaders>(200),
    ]
}

pub(crate) async fn readers(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    let msgid = MsgId(path.text("msgid")?.to_owned());
    let by = app.editor(&auth.bearer).await?;
    let created_at = app.store().own_announcement(&msgid, &by).await?;
    ok(&app.reader_counts.get(created_at, app.store().announcement_readers(created_at)).await?)
}

/// The outcome of a question.
#[derive(Serialize, ToSchema)]
struct QuestionOutcome {
    /// Open, answered or expired.
    state: QuestionState,
    /// The answer that counts: the first one, or the default of a question whose time is over.
    answer: Option<Answer>,
}

pub(crate) async fn answer(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    query: Query,
    client: Option<Extension<ClientPresence>>,
) -> ApiResult {
    let msgid = MsgId(path.text("msgid")?.to_owned());
    let wait = query.seconds("wait", limits::ANSWER_WAIT_SECS)?;
    let question = wait_for_answer(&app, &msgid, &auth, client.as_deref(), wait).await?;
    ok(&QuestionOutcome { state: question.state, answer: question.answer })
}

pub(crate) async fn edit(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    Json(edit): Json<NotificationEdit>,
) -> ApiResult {
    let msgid = MsgId(path.text("msgid")?.to_owned());
    let by = app.editor(&auth.bearer).await?;
    ok(&app.server.edit(&msgid, &edit, &by).await?)
}

pub(crate) async fn recall(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    let msgid = MsgId(path.text("msgid")?.to_owned());
    let by = app.editor(&auth.bearer).await?;
    app.server.recall(&msgid, &by).await?;
    no_content()
}
