//! The descent of tokens: a token that another one made, directly or not, is valid as long as that one is there.
//!
//! The lookup of a token follows the chain, of 16 at most. So a revocation is the deletion of one row. The tokens that
//! descend from it are out at that commit, whatever was being made meanwhile. Its rows go in portions, and with upkeep
//! if that was interrupted.

use tidings_model::Code;

use crate::Error;
use crate::domain::limits::TOKEN_GENERATIONS;

/// What holds of a row `t` of `tokens` while the token is valid: every token that it descends from is there, of a user who is
/// not removed. `$user` is the column with a token's user.
#[macro_export]
macro_rules! is_valid {
    ($user:literal) => {
        concat!(
            "NOT EXISTS (
                WITH RECURSIVE makers (id) AS (
                    SELECT t.made_by WHERE t.made_by <> ''
                    UNION SELECT p.made_by FROM makers JOIN tokens p ON p.id = makers.id WHERE p.made_by <> '')
                SELECT 1 FROM makers WHERE NOT EXISTS (
                    SELECT 1 FROM tokens p JOIN users w ON w.key = p.",
            $user,
            " WHERE p.id = makers.id AND w.id < '~'))"
        )
    };
}
pub use is_valid;

/// Refuses a token that is made by another one, unless that is valid and of no later generation than there may be. `makers`
/// has the valid tokens from which the new one would descend, the one that makes it among them.
pub fn check(makers: usize, is_maker_valid: bool) -> Result<(), Error> {
    if !is_maker_valid {
        return Err(Error::refused(
            Code::Unauthorized,
            "this token was revoked in the meantime; nothing was created",
        ));
    }
    if makers >= TOKEN_GENERATIONS {
        return Err(Error::refused(
            Code::Forbidden,
            format!(
                "this token was made by one that was made by another, {TOKEN_GENERATIONS} in all, and makes none: use one that \
                 was made on the server"
            ),
        ));
    }
    Ok(())
}

/// The tokens that are to go because the one that made them went, generation by generation.
#[derive(Debug, Default)]
pub struct Descendants {
    /// Tokens that are gone, and may have made others that are not.
    gone: Vec<String>,
}

impl Descendants {
    /// What a token made, which is gone.
    pub fn of(token: String) -> Self {
        Self { gone: vec![token] }
    }

    /// A token that is gone, of which the next ones to go were made; `None` if all are gone.
    pub fn next(&self) -> Option<&str> {
        self.gone.last().map(String::as_str)
    }

    /// Tokens that went, which [`Descendants::next`] had made; with `all`, there are no more of these.
    pub fn went(&mut self, tokens: Vec<String>, all: bool) {
        if all {
            self.gone.pop();
        }
        // Below the one that is gone on with.
        let at = self.gone.len().saturating_sub(usize::from(!all));
        self.gone.splice(at..at, tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_descends_from_a_token_goes_once() {
        let made = |by: &str| -> Vec<String> {
            if by.len() < 4 { (0..5).map(|n| format!("{by}{n}")).collect() } else { Vec::new() }
        };
        for portion in [1, 2, 5, 9] {
            let (mut descendants, mut gone) = (Descendants::of("t".into()), Vec::<String>::new());
            while let Some(by) = descendants.next() {
                let left: Vec<String> = made(by).into_iter().filter(|id| !gone.contains(id)).collect();
                let some: Vec<String> = left.into_iter().take(portion).collect();
                gone.extend(some.clone());
                let all = some.len() < portion;
                descendants.went(some, all);
            }
            gone.sort();
            let before = gone.len();
            gone.dedup();
            assert_eq!((gone.len(), before), (5 + 25 + 125, 155), "{portion}");
        }
    }
}
