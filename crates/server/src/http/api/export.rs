//! The endpoint that exports one user, as JSON lines that are written while they are read.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::stream;
use tidings_model::wire::Scope;
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::export::UserExport;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::PathParams;
use tidings_server_core::http::response::error::ApiResult;
use tidings_server_core::state::AppState;
use tidings_store::Error;
use utoipa::ToSchema;

/// A line: an object with one member, which says what it is.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes the lines, which are written without it")]
pub(crate) struct ExportLine {
    /// The user.
    profile: Option<serde_json::Value>,
    /// A token, without its secret.
    token: Option<serde_json::Value>,
    /// A subscription.
    subscription: Option<serde_json::Value>,
    /// A follow.
    follow: Option<serde_json::Value>,
    /// A preference.
    preference: Option<serde_json::Value>,
    /// An item of the inbox, with its state.
    item: Option<serde_json::Value>,
    /// What the user published.
    written: Option<serde_json::Value>,
    /// What the user published to be delivered later.
    scheduled: Option<serde_json::Value>,
}

pub(crate) async fn export(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    let id = path.id("id")?;
    auth.require_scope(Scope::Inbox)?;
    if id != auth.id() {
        auth.require_scope(Scope::Admin)?;
    }
    let export = UserExport::begin(app.server.store.clone(), id).await?;
    // The room of a page in the share of the user who asks, as long as the export goes on.
    let room = app.load_limits.streams.reserve(Principal::User(auth.bearer.user), limits::PAGE_BYTES).await?;
    let lines = stream::try_unfold((export, app, auth, room), |(mut export, app, auth, room)| async move {
        // It ends with the token, as every stream.
        if !app.server.access.is_still_valid(&auth.bearer, &auth.token).await {
            return Err(Error::not_found("token"));
        }
        let lines = export.lines().await?;
        Ok(lines.map(|lines| (lines, (export, app, auth, room))))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
