//! Errors on the wire: RFC 9457 problems, each with a code of a closed list.

use serde::{Deserialize, Serialize};

/// Declares [`Code`]: a row is a code, with its name on the wire, its HTTP status and the title of its problems.
macro_rules! codes {
    ($(#[$meta:meta])* pub enum Code { $($(#[$docs:meta])* $code:ident = $name:tt, $status:literal, $title:literal;)* }) => {
        $(#[$meta])*
        pub enum Code { $($(#[$docs])* #[serde(rename = $name)] $code,)* }

        impl Code {
            /// The HTTP status of the code.
            pub const fn status(self) -> u16 {
                match self {
                    $(Self::$code => $status,)*
                }
            }

            /// The name of the code on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }

            /// The title of every problem with this code.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$code => $title,)*
                }
            }
        }
    };
}

codes! {
    /// The closed list of error codes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
    pub enum Code {
        /// There is no token, or an unknown one.
        Unauthorized = "unauthorized", 401, "Sign-in needed";
        /// The token's scopes don't allow it.
        Forbidden = "forbidden", 403, "Not allowed";
        /// The resource does not exist, or is not visible to this token.
        NotFound = "not_found", 404, "Not found";
        /// The path does not have this method.
        MethodNotAllowed = "method_not_allowed", 405, "Method not allowed";
        /// A field has an invalid value.
        Invalid = "invalid", 400, "Invalid request";
        /// The resource exists already.
        Conflict = "conflict", 409, "Already there";
        /// The cursor is not of the server's present history; the client pulls from the beginning.
        Resync = "resync", 410, "Pull from the beginning";
        /// The time for it is over. Only results of operations have it.
        Gone = "gone", 410, "Too late";
        /// The request is too large.
        TooLarge = "too_large", 413, "Too large";
        /// The request's `Host` is not a name of this server.
        Misdirected = "misdirected", 421, "Not this server's name";
        /// There were too many requests; the client waits.
        RateLimited = "rate_limited", 429, "Too many requests";
        /// The server cannot answer now.
        Unavailable = "unavailable", 503, "Not available now";
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
