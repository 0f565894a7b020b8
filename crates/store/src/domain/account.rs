//! Users, tokens and scopes. The store keeps only the hash of a token.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tidings_model::wire::Scope;
use tidings_model::{Code, Problem, Stamp};
use utoipa::ToSchema;

/// A user's row id in the store; never reused, even after the user is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserKey(pub i64);

/// Prefix of the ids of removed users whose rows are not deleted yet, and of groups being created. No id of the API
/// begins with it, and it sorts after all of them.
pub const HIDDEN_PREFIX: &str = "~";

/// A user of this server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// The row id in the store; not part of the API.
    #[serde(skip, default = "unknown_key")]
    #[schema(ignore)]
    pub key: UserKey,
    /// The user's id, unique on this server.
    pub id: String,
    /// The display name.
    pub name: String,
    /// When the user was created.
    pub created_at: Stamp,
}

/// Why nobody is given the id of a user who was removed.
pub fn taken_for_good(id: &str) -> String {
    format!("`{id}` was the id of a user who was removed, and is given to nobody else; take another one")
}

/// What happens to the publications of a removed user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WrittenContent {
    /// It stays with those who have it.
    #[default]
    Keep,
    /// It is recalled from every inbox.
    Delete,
}

fn unknown_key() -> UserKey {
    UserKey(0)
}

/// The ranges, from and before a text, of what begins like `typed` in an index that folds the letters A to Z and compares
/// byte by byte. Other letters are looked for as they were typed, small, large, and with a large one at the beginning.
pub fn beginnings(typed: &str) -> Vec<(String, String)> {
    let small = typed.to_lowercase();
    let mut letters = small.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let capital: String = first.chain(letters).collect();
    let large = typed.to_uppercase();
    let mut all = Vec::from([typed, &small, &capital, &large].map(str::to_ascii_lowercase));
    all.sort_unstable();
    all.dedup();
    let range = |from: String| {
        let before = format!("{from}{}", char::MAX);
        (from, before)
    };
    all.into_iter().map(range).collect()
}

/// Adds users who are not there yet, up to `limit`; whether there is room for more.
pub fn add_found(found: &mut Vec<User>, more: Vec<User>, limit: usize) -> bool {
    for user in more {
        if found.len() < limit && found.iter().all(|there| there.key != user.key) {
            found.push(user);
        }
    }
    found.len() < limit
}

/// A token's metadata, without its secret text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Token {
    /// The token's id, by which it is listed and revoked.
    pub id: String,
    /// The user's id.
    pub user: String,
    /// A description of the token's purpose.
    pub label: String,
    /// The scopes that the token has.
    pub scopes: Vec<Scope>,
    /// When the token was created.
    pub created_at: Stamp,
    /// The id of the token that made it, with which it is revoked; null if none did.
    #[serde(default)]
    pub made_by: Option<String>,
}

/// A new token with its secret text, which is shown only in this response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreshToken {
    /// The secret text, sent as `Authorization: Bearer <token>`.
    pub token: String,
    /// The token's metadata.
    #[serde(flatten)]
    pub about: Token,
}

/// The authenticated user and token of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    /// The user's row id.
    pub user: UserKey,
    /// The user's id.
    pub id: String,
    /// The user's name.
    pub name: String,
    /// The token's id.
    pub token: String,
    /// The token's scopes.
    pub scopes: Vec<Scope>,
}

impl Bearer {
    /// Whether the token has the scope itself, or `admin`, which includes every other.
    pub fn has_scope(&self, scope: Scope) -> bool {
        self.scopes.iter().any(|s| *s == scope || *s == Scope::Admin)
    }

    /// Refuses the revocation of a token that this one has no right to. A token revokes those of its own user that have no
    /// scope which it lacks, and one with `admin` any.
    ///
    /// # Errors
    /// `not_found` for a token of another user, `forbidden` for one with more scopes.
    pub fn check_revocation(&self, owner: UserKey, scopes: &[Scope]) -> Result<(), Problem> {
        if owner != self.user && !self.has_scope(Scope::Admin) {
            return Err(Problem::new(Code::NotFound, "there is no such token"));
        }
        match scopes.iter().find(|scope| !self.has_scope(**scope)) {
            Some(scope) => Err(Problem::new(
                Code::Forbidden,
                format!(
                    "this token may be revoked with one that has the scope {}, too, or on the server",
                    scope.as_str()
                ),
            )),
            None => Ok(()),
        }
    }
}

/// The scopes in a column, whose names are separated by spaces.
pub fn scopes_of(column: &str) -> Vec<Scope> {
    column.split(' ').filter_map(|name| name.parse().ok()).collect()
}

/// A token to be stored.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Its id.
    pub id: String,
    /// SHA-256 of its text.
    pub hash: [u8; 32],
    /// A description of its purpose.
    pub label: String,
    /// The scopes that it has.
    pub scopes: Vec<Scope>,
    /// The id of the token that makes it; `None` if no token does.
    pub made_by: Option<String>,
}

/// The prefix of every token's text.
pub const TOKEN_PREFIX: &str = "tdg_";

/// The text of a new token: 256 random bits.
pub fn mint() -> String {
    encode_token(&rand::rng().random::<[u8; 32]>())
}

/// The text of a token that was requested with an `Idempotency-Key`, derived from the requesting token, the key and a
/// random salt. Only the salt is stored; a retry with the same token and key derives the same text from it.
pub fn derive(auth_token: &str, key: &str, salt: &str) -> String {
    let mut hash = Sha256::new();
    for part in ["tidings token", auth_token, key, salt] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    encode_token(&hash.finalize())
}

fn encode_token(bytes: &[u8]) -> String {
    format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// A random name of 16 letters and digits, for a token or a group.
pub fn random_name() -> String {
    const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut rng = rand::rng();
    (0..16).map(|_| ALPHABET.get(rng.random_range(0..36)).map_or('0', |b| char::from(*b))).collect()
}

/// Prefix of the ids of tokens that programs make for themselves. No other token id has a hyphen in it, and only the
/// server chooses token ids.
pub const PROGRAM_TOKEN_PREFIX: &str = "program-";

/// A new id with [`PROGRAM_TOKEN_PREFIX`].
pub fn program_token_id() -> String {
    format!("{PROGRAM_TOKEN_PREFIX}{}", random_name())
}

/// The hash that is stored of a token. A token has 256 random bits, so an unsalted hash can't be reversed by guessing.
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_looked_for_in_every_case() {
        let from = |typed| beginnings(typed).into_iter().map(|(from, _)| from).collect::<Vec<_>>();
        assert_eq!(from("Kess"), ["kess"]);
        assert_eq!(from("éMI"), ["Émi", "émi"]);
        assert_eq!(from(""), [""]);
        let (from, before) = beginnings("bo").remove(0);
        assert!(from.as_str() <= "bo" && "bo😀" < before.as_str() && before.as_str() < "bp");
    }

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
        assert!(bearer.has_scope(Scope::Inbox) && bearer.has_scope(Scope::Publish));
        bearer.scopes = vec![Scope::Inbox];
        assert!(!bearer.has_scope(Scope::Publish));
    }

    #[test]
    fn a_token_revokes_no_token_that_may_more() {
        let text = || "x".to_owned();
        let bearer = |scopes: &[Scope]| Bearer {
            user: UserKey(1),
            id: text(),
            name: text(),
            token: text(),
            scopes: scopes.to_vec(),
        };
        let code = |by: &[Scope], owner, of: &[Scope]| {
            bearer(by).check_revocation(UserKey(owner), of).map_err(|problem| problem.code)
        };
        let (inbox, both) = ([Scope::Inbox], [Scope::Inbox, Scope::Publish]);
        assert_eq!(code(&inbox, 1, &inbox), Ok(()));
        assert_eq!(code(&inbox, 1, &[]), Ok(()));
        assert_eq!(code(&inbox, 1, &both), Err(Code::Forbidden));
        assert_eq!(code(&both, 1, &[Scope::Admin]), Err(Code::Forbidden));
        assert_eq!(code(&both, 2, &inbox), Err(Code::NotFound));
        assert_eq!(code(&[Scope::Admin], 2, &[Scope::Admin]), Ok(()));
    }

    #[test]
    fn those_who_are_found_twice_are_listed_once_up_to_the_limit() {
        let user = |key: i64| User {
            key: UserKey(key),
            id: format!("u{key}"),
            name: String::new(),
            created_at: Stamp::ZERO,
        };
        let mut found = vec![user(1)];
        assert!(add_found(&mut found, vec![user(1), user(2)], 3));
        assert!(!add_found(&mut found, vec![user(2), user(3), user(4)], 3));
        assert_eq!(found, [user(1), user(2), user(3)]);
    }

    #[test]
    fn names_are_drawn_and_those_of_programs_begin_alike() {
        let (name, other) = (random_name(), random_name());
        assert!(name.len() == 16 && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
        assert_ne!(name, other);
        let program = program_token_id();
        assert_eq!(program.strip_prefix(PROGRAM_TOKEN_PREFIX).map(str::len), Some(16));
        assert!(taken_for_good("ann").contains("`ann`"));
    }

    #[test]
    fn scopes_are_read_from_their_column() {
        assert_eq!(scopes_of("inbox publish later"), [Scope::Inbox, Scope::Publish]);
        assert!(scopes_of("").is_empty());
    }
}
