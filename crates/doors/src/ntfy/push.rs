//! The requests of services that push to the programs of phones. The programs of `UnifiedPush` look for a server that
//! takes their messages; the servers of Matrix push through a gateway.
//!
//! Messages for programs are publications on a topic whose body is taken byte by byte. The topic and the query in a
//! push key stand for those of a request.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tidings_model::{Code, Problem};
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::http::input::{Query, bytes, parse_body, parse_value};
use tidings_server_core::http::public_url::public_url;
use tidings_server_core::http::response::error::json as json_response;
use tidings_server_core::state::AppState;

use super::auth::authorize;
use super::draft::PublishFields;
use super::error::{MATRIX_INVALID, MATRIX_TOO_LARGE, NOT_UTF8, NtfyError};
use super::fields::{Field, Fields};
use super::paths::no_such_method;
use super::publish::{publish, publisher};

/// The path of Matrix's push gateway.
pub(super) const MATRIX_PATH: &str = "/_matrix/push/v1/notify";
/// The methods of a topic that have a meaning without `up`.
const TOPIC_METHODS: HeaderValue = HeaderValue::from_static("PUT,POST");

/// `GET /<topic>?up=1`: that messages for programs can be sent here. Without `up` there is nothing to get.
pub(super) async fn discover(headers: HeaderMap, uri: Uri) -> Response {
    let query = Query::parse(uri.query().unwrap_or(""));
    let topic = uri.path().trim_start_matches('/');
    let is_asked = Fields::new(&headers, &query).flag(Field::UnifiedPush) == Some(true);
    if is_asked && super::check_topic(topic).is_ok() {
        return json_response(StatusCode::OK, &json!({"unifiedpush": {"version": 1}}));
    }
    let mut response = no_such_method(uri).await.into_response();
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, TOPIC_METHODS);
    }
    response
}

/// `GET /_matrix/push/v1/notify`: that there is a gateway here.
pub(super) async fn discover_matrix() -> Response {
    json_response(StatusCode::OK, &json!({"unifiedpush": {"gateway": "matrix"}}))
}

/// `POST /_matrix/push/v1/notify`: publishes all of the JSON on the topic whose address is the push key of its first
/// device. A push key that is no address of this server is rejected: Matrix's server never uses it again.
pub(super) async fn notify_matrix(app: AppState, request: Request) -> Result<Response, NtfyError> {
    let (parts, body) = request.into_parts();
    // Who publishes is said by the address in the body.
    let body = bytes(&app, &parts, Principal::Anonymous, body, limits::MATRIX_PUSH_BYTES).await;
    let body = body.map_err(|problem| instead(problem, Code::TooLarge, MATRIX_TOO_LARGE))?;
    let found = parse_body(&app, Principal::Anonymous, body.clone(), push_key).await;
    let push_key = found.map_err(|problem| instead(problem, Code::Invalid, MATRIX_INVALID))?;
    let Some((topic, query)) = own_address(&push_key, &public_url(&app, &parts)) else {
        return Ok(rejected(&[&push_key]));
    };
    super::check_topic(topic)?;
    let query = Query::parse(query);
    let bearer = authorize(&app, &parts, &query, true).await?;
    let publisher = publisher(&parts, bearer, topic).await;
    // The headers are about the request of Matrix's server, not about the message.
    let headers = HeaderMap::new();
    let fields = Fields::new(&headers, &query);
    let text = String::from_utf8(body.to_vec()).map_err(|_| NOT_UTF8)?;
    let message = PublishFields { message: Some(text), ..PublishFields::default() };
    publish(&app, publisher, topic, &fields, message, None).await?;
    Ok(rejected(&[]))
}

/// ntfy's error in place of a problem with this code.
fn instead(problem: Problem, code: Code, error: NtfyError) -> NtfyError {
    if problem.code == code { error } else { problem.into() }
}

/// The push key of the first device of a notification.
fn push_key(body: &Bytes) -> Result<String, Problem> {
    let value = parse_value(body)?;
    let found = value.pointer("/notification/devices/0/pushkey").and_then(|key| key.as_str());
    let given = found.filter(|key| !key.is_empty()).map(str::to_owned);
    given.ok_or_else(|| Problem::invalid("notification.devices[0].pushkey", "is missing"))
}

/// The topic and the query in an address of this server; `None` for any other address.
fn own_address<'a>(address: &'a str, own_url: &str) -> Option<(&'a str, &'a str)> {
    let path = address.strip_prefix(own_url)?.strip_prefix('/')?;
    let path = path.split('#').next().unwrap_or_default();
    Some(path.split_once('?').unwrap_or((path, "")))
}

/// The answer of a gateway, with the push keys that are not to be used again.
fn rejected(push_keys: &[&str]) -> Response {
    json_response(StatusCode::OK, &json!({"rejected": push_keys}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_key_is_an_address_under_the_servers_own() {
        let read = |key| own_address(key, "https://push.example.org");
        assert_eq!(read("https://push.example.org/upA1?up=1"), Some(("upA1", "up=1")));
        assert_eq!(read("https://push.example.org/upA1#x"), Some(("upA1", "")));
        for other in [
            "https://push.example.org.evil/upA1",
            "http://push.example.org/upA1",
            "upA1",
            "",
            "https://push.example.org",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn only_the_first_device_counts() {
        let read = |json: &str| push_key(&Bytes::copy_from_slice(json.as_bytes()));
        let two = r#"{"notification": {"devices": [{"pushkey": "a"}, {"pushkey": "b"}]}}"#;
        assert_eq!(read(two).unwrap(), "a");
        for bad in [
            "",
            "[]",
            "{}",
            r#"{"notification": null}"#,
            r#"{"notification": {"devices": [{"pushkey": ""}]}}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
