//! This computer's own server, with its users and tokens.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The state of this computer's own server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ServerView {
    /// The address for programs on this computer, for example `http://127.0.0.1:7878`; none if the server does not run.
    pub url: Option<String>,
    /// The port in the settings; none takes 7878, or a free port if 7878 is in use.
    pub port: Option<u16>,
    /// Whether other devices may connect.
    pub others: bool,
    /// The origins of pages in a browser that may use the server with a token.
    pub origins: Vec<String>,
    /// The addresses for other devices, the likeliest first; empty if they may not connect.
    pub addresses: Vec<String>,
    /// The reason why the server does not run, a sentence.
    pub trouble: Option<String>,
    /// The reason why other devices do not find the server by themselves, a sentence; its addresses work all the same.
    pub discovery_trouble: Option<String>,
    /// The tokens of the owner, newest first; the app's own tokens are left out.
    pub tokens: Vec<TokenRow>,
    /// The users, by id.
    pub users: Vec<UserRow>,
}

/// A user of the own server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UserRow {
    /// The user's id.
    pub id: String,
    /// The name that others see.
    pub name: String,
    /// Whether this is the app's own user, which can't be removed.
    pub me: bool,
}

/// A token, without its secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TokenRow {
    /// The token's id, for `revoke_token`.
    pub id: String,
    /// The label that the reader gave the token.
    pub label: String,
    /// Whether the token may read the inbox; else it only publishes.
    pub reads: bool,
    /// The time of creation, milliseconds since 1970.
    pub created_at: i64,
    /// The label of the token that made it, as a phone's does when it signs in, and with which it is revoked; null if
    /// the reader made it.
    pub made_by: Option<String>,
    /// How many tokens are revoked with it, because it made them, or what it made did.
    pub made: u32,
}

/// A token that was just created; its secret is shown only here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewToken {
    /// The secret.
    pub token: String,
    /// A `curl` command that publishes with the token, with the address for other devices.
    pub curl: String,
    /// A sentence: why the command works on this computer alone. None if other devices may connect.
    pub only_here: Option<String>,
}
