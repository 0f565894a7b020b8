//! Errors with the codes that ntfy's clients know.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tidings_model::{Code, Problem};
use tidings_server_core::files::UploadError;
use tidings_server_core::http::files::ReceiveError;
use tidings_server_core::http::response::error::{ApiError, json as json_response};
use tidings_store::Error;

/// An error with ntfy's code, HTTP status, text and link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NtfyError {
    /// The code; its first three digits are the HTTP status.
    code: u16,
    text: std::borrow::Cow<'static, str>,
    /// Its page below `https://ntfy.sh/docs/`; empty for none.
    link: &'static str,
}

const fn fixed(code: u16, text: &'static str, link: &'static str) -> NtfyError {
    NtfyError { code, text: std::borrow::Cow::Borrowed(text), link }
}

const DOCS: &str = "publish/";
const DELAY: &str = "publish/#scheduled-delivery";
const AUTH: &str = "publish/#authentication";
const LIMITATIONS: &str = "publish/#limitations";
const TEMPLATES: &str = "publish/#message-templating";
const JSON: &str = "publish/#publish-as-json";

pub(super) const DELAY_NO_CACHE: NtfyError = fixed(40002, "cannot disable cache for delayed message", DELAY);
pub(super) const DELAY_UNPARSABLE: NtfyError =
    fixed(40004, "invalid delay parameter: unable to parse delay", DELAY);
pub(super) const DELAY_TOO_SMALL: NtfyError =
    fixed(40005, "invalid delay parameter: too small, please refer to the docs", DELAY);
pub(super) const DELAY_TOO_LARGE: NtfyError =
    fixed(40006, "invalid delay parameter: too large, please refer to the docs", DELAY);
pub(super) const PRIORITY_INVALID: NtfyError =
    fixed(40007, "invalid priority parameter", "publish/#message-priority");
pub(super) const SINCE_INVALID: NtfyError =
    fixed(40008, "invalid since parameter", "subscribe/api/#fetch-cached-messages");
pub(super) const TOPIC_INVALID: NtfyError = fixed(
    40009,
    "invalid request: topic invalid; a topic is 1 to 64 characters: the letters A to Z and a to z, digits, - and _",
    "",
);
pub(super) const TOPIC_DISALLOWED: NtfyError = fixed(40010, "invalid request: topic name is not allowed", "");
pub(super) const NOT_UTF8: NtfyError = fixed(40011, "invalid message: message must be UTF-8 encoded", "");
pub(super) const ATTACH_URL_INVALID: NtfyError =
    fixed(40013, "invalid request: attachment URL is invalid", "publish/#attachments");
pub(super) const FILES_DISALLOWED: NtfyError =
    fixed(40014, "invalid request: this server does not accept files", "config/#attachments");
pub(super) const FILE_EXPIRES_TOO_EARLY: NtfyError = fixed(
    40015,
    "invalid request: the file would be deleted before the message is delivered",
    "publish/#scheduled-delivery",
);
pub(super) const NOT_A_WEBSOCKET: NtfyError =
    fixed(40016, "invalid request: client not using the websocket protocol", "subscribe/api/#websockets");
pub(super) const JSON_INVALID: NtfyError =
    fixed(40017, "invalid request: request body must be message JSON", JSON);
pub(super) const MATRIX_INVALID: NtfyError =
    fixed(40019, "invalid request: Matrix JSON invalid", "publish/#matrix-gateway");
pub(super) const ICON_INVALID: NtfyError =
    fixed(40021, "invalid request: icon URL is invalid", "publish/#icons");
pub(super) const TEMPLATE_TOO_LARGE: NtfyError =
    fixed(40041, "invalid request: message or title is too large after replacing template", TEMPLATES);
pub(super) const TEMPLATE_SOURCE_NOT_JSON: NtfyError =
    fixed(40042, "invalid request: message body must be JSON if templating is enabled", TEMPLATES);
pub(super) const TEMPLATE_DISALLOWED: NtfyError = fixed(
    40044,
    "invalid request: template contains disallowed function calls, e.g. template, call, or define",
    TEMPLATES,
);
pub(super) const TEMPLATE_NOT_FOUND: NtfyError = fixed(
    40047,
    "invalid request: template not found; there are yes, github, grafana and alertmanager",
    TEMPLATES,
);
pub(super) const SEQUENCE_INVALID: NtfyError =
    fixed(40049, "invalid request: sequence ID invalid", "publish/#updating-deleting-notifications");
pub(super) const NOT_FOUND: NtfyError = fixed(40401, "page not found", "");
const UNAUTHORIZED: NtfyError = fixed(40101, "unauthorized", AUTH);
const FORBIDDEN: NtfyError = fixed(40301, "forbidden", AUTH);
const FILE_TOO_LARGE: NtfyError =
    fixed(41301, "the file is too large, or the room for files is used up", LIMITATIONS);
pub(super) const MATRIX_TOO_LARGE: NtfyError =
    fixed(41302, "Matrix request is larger than the max allowed length", "");
const TOO_LARGE: NtfyError = fixed(41303, "JSON body too large", JSON);
const TOO_MANY: NtfyError = fixed(42901, "limit reached: too many requests", LIMITATIONS);
const TOO_MANY_UPLOADS: NtfyError =
    fixed(42905, "limit reached: too many files are being uploaded", LIMITATIONS);
pub(super) const TOO_MANY_STREAMS: NtfyError =
    fixed(42903, "limit reached: too many active subscriptions", LIMITATIONS);
const NO_ROOM_FOR_FILES: NtfyError =
    fixed(50301, "the server's disk has no room for files; nothing was stored", "");
const INTERNAL: NtfyError = fixed(50301, "the server cannot do this now; try again later", "");

/// The error for an invalid list of buttons; `why` is appended to its text.
pub(super) fn actions_invalid(why: &str) -> NtfyError {
    NtfyError {
        code: 40018,
        text: format!("invalid request: actions invalid; {why}").into(),
        link: "publish/#action-buttons",
    }
}

/// The error for a template that can't be parsed.
pub(super) fn template_invalid(why: &str) -> NtfyError {
    let text = format!("invalid request: could not parse template; {why}").into();
    NtfyError { code: 40043, text, link: TEMPLATES }
}

/// The error for a template that can't be filled in.
pub(super) fn template_failed(why: &str) -> NtfyError {
    let text = format!("invalid request: template execution failed; {why}").into();
    NtfyError { code: 40045, text, link: TEMPLATES }
}

/// The error for a field that exceeds a limit of this server.
pub(super) fn bad_request(why: &str) -> NtfyError {
    NtfyError { code: 40000, text: format!("invalid request: {why}").into(), link: DOCS }
}

/// The error for a publication that the store has refused. Too many waiting ones get ntfy's code for a limit on messages,
/// and a file for which there is no room any more that for a file.
pub(super) fn not_stored(e: Error) -> NtfyError {
    match e {
        Error::Refused(problem) if problem.code == Code::RateLimited => {
            NtfyError { code: 42908, text: format!("limit reached: {}", problem.detail).into(), link: DELAY }
        }
        Error::Refused(problem) if problem.code == Code::TooLarge => FILE_TOO_LARGE,
        e => e.into(),
    }
}

impl NtfyError {
    /// The status of its response.
    pub(super) fn status(&self) -> u16 {
        self.code / 100
    }

    /// What it says.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it refuses a file that would be refused again: the rest of its publication may do without it.
    pub(super) fn is_about_file(&self) -> bool {
        [FILE_TOO_LARGE, FILES_DISALLOWED, NO_ROOM_FOR_FILES].contains(self)
    }

    #[cfg(test)]
    pub(super) fn code(&self) -> u16 {
        self.code
    }
}

impl From<Problem> for NtfyError {
    fn from(problem: Problem) -> Self {
        match problem.code {
            Code::Unauthorized => UNAUTHORIZED,
            Code::Forbidden => FORBIDDEN,
            Code::TooLarge => TOO_LARGE,
            Code::RateLimited => TOO_MANY,
            Code::Unavailable => INTERNAL,
            _ => bad_request(&problem.detail),
        }
    }
}

impl From<ApiError> for NtfyError {
    fn from(refusal: ApiError) -> Self {
        refusal.0.into()
    }
}

impl From<Error> for NtfyError {
    fn from(e: Error) -> Self {
        ApiError::from(e).into()
    }
}

impl From<ReceiveError> for NtfyError {
    fn from(e: ReceiveError) -> Self {
        match e {
            ReceiveError::Upload(e) => e.into(),
            ReceiveError::Request(problem) => problem.into(),
            ReceiveError::Store(e) => e.into(),
        }
    }
}

impl From<UploadError> for NtfyError {
    fn from(e: UploadError) -> Self {
        match e {
            UploadError::TooLarge => FILE_TOO_LARGE,
            UploadError::Busy => TOO_MANY_UPLOADS,
            UploadError::NoRoom => NO_ROOM_FOR_FILES,
            UploadError::Io(e) => {
                tracing::error!(error = %e, "an uploaded file can't be stored");
                INTERNAL
            }
        }
    }
}

impl IntoResponse for NtfyError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::BAD_REQUEST);
        let mut body = json!({"code": self.code, "http": self.status(), "error": self.text});
        if !self.link.is_empty()
            && let Some(map) = body.as_object_mut()
        {
            map.insert("link".to_owned(), format!("https://ntfy.sh/docs/{}", self.link).into());
        }
        let mut response = json_response(status, &body);
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
