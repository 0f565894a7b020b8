//! The credentials of `AUTH PLAIN` and `AUTH LOGIN`: a token as the password of any name, or as the name.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use smtp_proto::{AUTH_LOGIN, AUTH_PLAIN};
use tidings_server_core::access::login_token;

use super::wire::{Wire, WireError};

/// Whether a mechanism is one of the two.
pub(super) fn is_known(mechanism: u64) -> bool {
    matches!(mechanism, AUTH_PLAIN | AUTH_LOGIN)
}

/// The token that the other end sends, at once in `first` or when it is asked; `None` if it sends none.
pub(super) async fn token(
    wire: &mut Wire,
    mechanism: u64,
    first: &str,
    patience: Duration,
) -> Result<Option<String>, WireError> {
    let prompt = if mechanism == AUTH_LOGIN { "Username:" } else { "" };
    let first = match first {
        "" => asked(wire, prompt, patience).await?,
        given => decoded(given.as_bytes()),
    };
    let Some(first) = first else { return Ok(None) };
    if mechanism == AUTH_LOGIN {
        let password = asked(wire, "Password:", patience).await?;
        return Ok(password.map(|password| login_token(&first, &password).to_owned()));
    }
    // Whom to act for, the name and the password.
    let mut parts = first.splitn(3, '\0').skip(1);
    Ok(parts.next().zip(parts.next()).map(|(name, password)| login_token(name, password).to_owned()))
}

/// Asks for a line of credentials; `None` if it is none.
async fn asked(wire: &mut Wire, prompt: &str, patience: Duration) -> Result<Option<String>, WireError> {
    wire.reply(334, &STANDARD.encode(prompt)).await?;
    Ok(decoded(wire.line(patience).await?.trim_ascii()))
}

/// The text in base64; `None` if it is none, or if the other end gave up.
fn decoded(line: &[u8]) -> Option<String> {
    // An equals sign stands for an empty answer.
    if line == b"=" {
        return Some(String::new());
    }
    String::from_utf8(STANDARD.decode(line).ok()?).ok()
}
