//! The token of `endpoint.json`, with which programs of the same user publish without a configured token. It has the
//! scope `publish` only, is new at each start, and lets the server prove that it wrote the file before a client sends
//! the token.
//!
//! `endpoint.json` (mode 0600) has the server's address and this token for as long as the server runs.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tidings_store::domain::account::{FreshToken, PROGRAM_TOKEN_PREFIX, random_name};

/// Whether a token id is of a token that a program made for itself. Ids show that and labels do not, because users
/// choose labels freely.
pub fn is_program_token(id: &str) -> bool {
    id.starts_with(PROGRAM_TOKEN_PREFIX)
}

/// The longest accepted challenge, in bytes.
pub const MAX_CHALLENGE_BYTES: usize = 128;

/// A random challenge, for `GET /api/v1/health?challenge=`.
pub fn challenge() -> String {
    format!("{}{}", random_name(), random_name())
}

/// The proof that the server has `token`: HMAC-SHA256 over the challenge, in base64url. It does not reveal the token.
pub fn proof(token: &str, challenge: &str) -> Option<String> {
    Some(URL_SAFE_NO_PAD.encode(mac(token, challenge)?.finalize().into_bytes()))
}

/// Whether `proof` is the proof for this token and challenge. The comparison takes constant time.
///
/// ```
/// use tidings_server_core::endpoint::{challenge, proof, proves};
/// let sent = challenge();
/// let answer = proof("tdg_secret", &sent).unwrap();
/// assert!(proves("tdg_secret", &sent, &answer) && !proves("tdg_other", &sent, &answer));
/// ```
pub fn proves(token: &str, challenge: &str, proof: &str) -> bool {
    let sent = URL_SAFE_NO_PAD.decode(proof);
    sent.is_ok_and(|sent| mac(token, challenge).is_some_and(|mac| mac.verify_slice(&sent).is_ok()))
}

fn mac(token: &str, challenge: &str) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(token.as_bytes()).ok()?;
    mac.update(b"tidings endpoint\n");
    mac.update(challenge.as_bytes());
    Some(mac)
}

/// The token that `endpoint.json` has now.
#[derive(Clone, Default)]
pub struct EndpointToken(std::sync::Arc<parking_lot::Mutex<Option<FreshToken>>>);

impl EndpointToken {
    pub(crate) fn set(&self, token: Option<FreshToken>) -> Option<FreshToken> {
        std::mem::replace(&mut *self.0.lock(), token)
    }

    /// The proof for a challenge; `None` if the server has no `endpoint.json`.
    pub(crate) fn proof(&self, challenge: &str) -> Option<String> {
        self.0.lock().as_ref().and_then(|token| proof(&token.token, challenge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_holder_of_the_token_proves_it_and_only_for_this_challenge() {
        let (one, other) = (challenge(), challenge());
        assert_ne!(one, other);
        assert!(one.len() >= 32 && one.len() <= MAX_CHALLENGE_BYTES);
        let proof = proof("tdg_secret", &one).unwrap();
        assert!(proves("tdg_secret", &one, &proof) && !proof.contains("secret"));
        assert!(!proves("tdg_secret", &other, &proof) && !proves("tdg_other", &one, &proof));
        assert!(!proves("tdg_secret", &one, "") && !proves("tdg_secret", &one, "not base64!"));
    }
}
