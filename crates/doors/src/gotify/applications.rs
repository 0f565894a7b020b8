//! `/application`: what publishes. The text of an application's token is only in the response that makes it.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tidings_model::Problem;
use tidings_model::wire::Scope;
use tidings_server_core::budgets::Principal;
use tidings_server_core::http::middleware::exchange::{MAX_RESPONSE_BYTES, attach_reservation};
use tidings_server_core::http::response::error::json as json_response;
use tidings_server_core::state::AppState;
use tidings_store::domain::draft::check_name;
use tidings_store::domain::msgid::base62;
use tidings_store::{Application, ApplicationFields};

use super::auth::{ClientAuth, Id, Key};
use super::error::{GotifyError, GotifyResult, no_such};
use super::messages::done;
use super::params::Params;

/// Bytes of a sort key, as with Gotify.
const MAX_SORT_KEY_BYTES: usize = 255;

/// An application as Gotify's clients get it.
pub(super) fn to_json(application: &Application, token: &str) -> Value {
    let Application { id, fields, created_at, last_used, image, .. } = application;
    let sort_key = if fields.sort_key.is_empty() { default_sort_key(*id) } else { fields.sort_key.clone() };
    json!({
        "id": id,
        "token": token,
        "name": fields.name,
        "description": fields.description,
        "internal": false,
        // Relative to the server's root.
        "image": format!("static/{}", image.as_deref().unwrap_or("defaultapp.png")),
        "defaultPriority": fields.default_priority,
        "createdAt": created_at,
        "lastUsed": last_used,
        "sortKey": sort_key,
    })
}

/// The key that sorts an application by its number, in Gotify's form: a letter that says how many digits follow, and
/// the digits to the base of 62.
fn default_sort_key(id: i64) -> String {
    let (mut number, mut digits, mut keys) = (u64::try_from(id).unwrap_or_default(), 1_u8, 62_u64);
    while number >= keys {
        number -= keys;
        digits += 1;
        keys = keys.saturating_mul(62);
    }
    format!("{}{}", char::from(b'a' + digits - 1), base62(number, digits.into()))
}

/// What a request says about an application.
fn fields(params: &Params) -> Result<ApplicationFields, GotifyError> {
    let fields = ApplicationFields {
        name: params.required_text("name")?,
        description: params.text("description")?,
        default_priority: params.integer("defaultPriority")?.unwrap_or_default(),
        sort_key: params.text("sortKey")?,
    };
    check_name("name", &fields.name)?;
    check_name("description", &fields.description)?;
    if fields.sort_key.len() > MAX_SORT_KEY_BYTES {
        return Err(Problem::invalid("sortKey", format!("may have {MAX_SORT_KEY_BYTES} bytes")).into());
    }
    Ok(fields)
}

/// The response with an application, or that the user has none of this number.
pub(super) fn respond(id: i64, application: Option<Application>) -> GotifyResult {
    let application = application.ok_or_else(|| no_such("app", id))?;
    Ok(json_response(StatusCode::OK, &to_json(&application, "")))
}

/// `GET /application`.
pub(super) async fn list(app: AppState, ClientAuth(auth): ClientAuth) -> GotifyResult {
    let user = auth.bearer.user;
    let room = app.load_limits.responses.reserve(Principal::User(user), MAX_RESPONSE_BYTES).await?;
    let applications = app.store().applications(user).await?;
    let list: Vec<Value> = applications.iter().map(|application| to_json(application, "")).collect();
    Ok(attach_reservation(room, json_response(StatusCode::OK, &list)).await)
}

/// `POST /application`. The new token publishes for its own user alone, unless the token of the request publishes, and goes
/// with that.
pub(super) async fn add(
    app: AppState,
    ClientAuth(auth): ClientAuth,
    Key(key): Key,
    params: Params,
) -> GotifyResult {
    let fields = fields(&params)?;
    let scopes = Some(Scope::Publish).filter(|scope| auth.bearer.has_scope(*scope)).into_iter().collect();
    let (token, text, salt) = key.new_token(fields.name.clone(), scopes);
    let idempotency = key.idempotency_with_token(StatusCode::OK, salt, |made| to_json(made, ""));
    let outcome = app.store().add_application(&auth.bearer.id, fields, token, idempotency).await;
    Ok(key.respond(outcome, StatusCode::OK, |made| to_json(made, &text))?)
}

/// `PUT /application/{id}`.
pub(super) async fn update(
    app: AppState,
    ClientAuth(auth): ClientAuth,
    Id(id): Id,
    params: Params,
) -> GotifyResult {
    let user = auth.bearer.user;
    app.store().application(user, id).await?.ok_or_else(|| no_such("app", id))?;
    respond(id, app.store().update_application(user, id, fields(&params)?).await?)
}

/// `DELETE /application/{id}`.
pub(super) async fn remove(app: AppState, ClientAuth(auth): ClientAuth, Id(id): Id) -> GotifyResult {
    let removed = app.store().remove_application(&auth.bearer, id).await;
    // Its token is revoked even if the removal has to be repeated.
    app.server.access.invalidate();
    if removed? { Ok(done()) } else { Err(no_such("app", id)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_sort_keys_have_the_order_of_the_numbers() {
        for (id, key) in [(1, "a1"), (61, "az"), (62, "b00"), (62 + 3_843, "bzz"), (62 + 3_844, "c000")] {
            assert_eq!(default_sort_key(id), key);
        }
        let keys: Vec<String> = (0..5_000).map(default_sort_key).collect();
        assert!(keys.is_sorted());
    }
}
