//! Endpoints that change what was published. Whoever may not change a notification gets the answer of one that is not there.

use axum::extract::State;
use axum::routing::delete;
use tidings_model::MsgId;

use super::ANY_SCOPE;
use crate::http::AppState;
use crate::http::auth::AuthContext;
use crate::http::input::PathParams;
use crate::http::openapi::endpoint::Endpoint;
use crate::http::response::error::{ApiResult, no_content};
use crate::store::Editor;
use crate::traces::of_call;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "DELETE",
            "/notifications/{msgid}",
            "Takes a notification back, from every inbox; for whoever posted it.",
            ANY_SCOPE,
            delete(self::recall),
        )
        .no_content_response(),
    ]
}

pub(crate) async fn recall(State(app): State<AppState>, auth: AuthContext, path: PathParams) -> ApiResult {
    let msgid = MsgId(path.text("msgid")?.to_owned());
    let (store, by) = (app.store(), Editor::of(&auth.bearer));
    if let Some(post) = of_call(store, "recall", store.recall(&msgid, &by)).await? {
        app.server.hub.published(&[post]);
    }
    no_content()
}
