//! Users, tokens and scopes. Of a token only its hash is stored.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tidings_model::Stamp;
use tidings_model::wire::Scope;
use utoipa::ToSchema;

/// A user's place in the store; never given to another user, also after the user is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserKey(pub i64);

/// A user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// Its place in the store.
    #[serde(skip, default = "nobody")]
    #[schema(ignore)]
    pub key: UserKey,
    /// The id.
    pub id: String,
    /// What people call them.
    pub name: String,
    /// When it was created.
    pub created_at: Stamp,
}

fn nobody() -> UserKey {
    UserKey(0)
}

/// A token without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Token {
    /// Its own id, by which it is listed and revoked.
    pub id: String,
    /// The user's id.
    pub user: String,
    /// What it is for, in words.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was created.
    pub created_at: Stamp,
}

/// A token at the only moment at which its text is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreshToken {
    /// The text that goes into `Authorization: Bearer`.
    pub token: String,
    /// The rest.
    #[serde(flatten)]
    pub about: Token,
}

/// Whoever makes a request, as its token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    /// The user.
    pub user: UserKey,
    /// The user's id.
    pub id: String,
    /// The user's name.
    pub name: String,
    /// The token's id.
    pub token: String,
    /// What the token may do.
    pub scopes: Vec<Scope>,
}

impl Bearer {
    /// Whether the token has the scope, or the one that holds all of them.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.iter().any(|s| *s == scope || *s == Scope::Admin)
    }
}

/// A token that is about to be stored.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Its id.
    pub id: String,
    /// The hash of its text.
    pub hash: [u8; 32],
    /// What it is for.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
}

/// What every token starts with.
pub const PREFIX: &str = "tdg_";

/// The text of a new token: 256 bits by chance.
pub fn mint() -> String {
    text_of(&rand::rng().random::<[u8; 32]>())
}

/// The text of a token that was asked for with an `Idempotency-Key`: whoever has the asking token and the key gets it
/// again from the salt, which alone is stored and says nothing.
pub fn derive(asking: &str, key: &str, salt: &str) -> String {
    let mut hash = Sha256::new();
    for part in ["tidings token", asking, key, salt] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    text_of(&hash.finalize())
}

fn text_of(bytes: &[u8]) -> String {
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// A short name by chance, for a token or a group.
pub fn random_name() -> String {
    const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut chance = rand::rng();
    (0..16).map(|_| LETTERS.get(chance.random_range(0..36)).map_or('0', |b| char::from(*b))).collect()
}

/// What the ids of tokens begin with that programs made for themselves. No other id has a hyphen in it, and nobody but
/// the server chooses one.
pub const PROGRAM_TOKEN_PREFIX: &str = "program-";

/// The id of such a token.
pub fn program_token_id() -> String {
    format!("{PROGRAM_TOKEN_PREFIX}{}", random_name())
}

/// What is stored of a token. A token is long and by chance, so a plain hash can't be guessed back.
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let (a, b) = (mint(), mint());
        assert!(a.starts_with("tdg_") && a.len() >= 4 + 43);
        assert_ne!(a, b);
        assert_ne!(hash(&a), hash(&b));
    }

    #[test]
    fn a_derived_token_needs_all_three_parts() {
        let t = derive("tdg_a", "k", "s");
        assert_eq!(t, derive("tdg_a", "k", "s"));
        assert_ne!(t, derive("tdg_b", "k", "s"));
        assert_ne!(t, derive("tdg_a", "ks", ""));
    }

    #[test]
    fn admin_holds_every_scope() {
        let mut bearer = Bearer {
            user: UserKey(1),
            id: "a".into(),
            name: "A".into(),
            token: "t".into(),
            scopes: vec![Scope::Admin],
        };
        assert!(bearer.may(Scope::Inbox) && bearer.may(Scope::Publish));
        bearer.scopes = vec![Scope::Inbox];
        assert!(!bearer.may(Scope::Publish));
    }
}
