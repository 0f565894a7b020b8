//! Errors on the wire: RFC 9457 problems, each with a code of a closed list.

use serde::{Deserialize, Serialize};

/// The closed list of error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// 401: no token, or an unknown one.
    Unauthorized,
    /// 403: the token's scopes don't allow it.
    Forbidden,
    /// 404: the resource does not exist, or is not visible to this token.
    NotFound,
    /// 405: the path does not have this method.
    MethodNotAllowed,
    /// 400: a field has an invalid value.
    Invalid,
    /// 409: the resource exists already.
    Conflict,
    /// 410: the cursor is not of the server's present history; the client pulls from the beginning.
    Resync,
    /// 410: the time for it is over. Only results of operations have it.
    Gone,
    /// 413: the request is too large.
    TooLarge,
    /// 421: the request's `Host` is not a name of this server.
    Misdirected,
    /// 429: too many requests; the client waits.
    RateLimited,
    /// 503: the server cannot answer now.
    Unavailable,
}

impl Code {
    /// The HTTP status of the code.
    pub const fn status(self) -> u16 {
        match self {
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Invalid => 400,
            Self::Conflict => 409,
            Self::Resync | Self::Gone => 410,
            Self::TooLarge => 413,
            Self::Misdirected => 421,
            Self::RateLimited => 429,
            Self::Unavailable => 503,
        }
    }

    /// The name of the code on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::Invalid => "invalid",
            Self::Conflict => "conflict",
            Self::Resync => "resync",
            Self::Gone => "gone",
            Self::TooLarge => "too_large",
            Self::Misdirected => "misdirected",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
        }
    }

    /// The title of every problem with this code.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Unauthorized => "Sign-in needed",
            Self::Forbidden => "Not allowed",
            Self::NotFound => "Not found",
            Self::MethodNotAllowed => "Method not allowed",
            Self::Invalid => "Invalid request",
            Self::Conflict => "Already there",
            Self::Resync => "Pull from the beginning",
            Self::Gone => "Too late",
            Self::TooLarge => "Too large",
            Self::Misdirected => "Not this server's name",
            Self::RateLimited => "Too many requests",
            Self::Unavailable => "Not available now",
        }
    }
}

/// The body of every error answer, `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[error("{}: {detail}", code.as_str())]
pub struct Problem {
    /// The URI of the problem type, `urn:tidings:problem:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The title of the code.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The cause of this error, in English.
    pub detail: String,
    /// The code.
    pub code: Code,
    /// The name of the invalid field; only with the code `invalid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl Problem {
    /// A problem with a code and a detail, without a field.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:tidings:problem:{}", code.as_str()),
            title: code.title().to_owned(),
            status: code.status(),
            detail: detail.into(),
            code,
            field: None,
        }
    }

    /// An `invalid` problem with the name of the field and the reason.
    ///
    /// ```
    /// let problem = tidings_model::Problem::invalid("priority", "must be 1 to 5");
    /// assert_eq!((problem.status, problem.field.as_deref()), (400, Some("priority")));
    /// ```
    pub fn invalid(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(Code::Invalid, detail) }
    }
}
