//! The owner's tokens as the settings list them: which made which, and how many go with each.

use std::collections::HashMap;

use tidings_ipc::TokenRow;
use tidings_model::wire::Scope;
use tidings_server::Token;

/// The rows of the tokens that are shown, newest first; `tokens` has them all, the oldest first.
pub(super) fn rows(tokens: &[Token], is_shown: impl Fn(&Token) -> bool) -> Vec<TokenRow> {
    let labels: HashMap<&str, &str> =
        tokens.iter().map(|token| (token.id.as_str(), token.label.as_str())).collect();
    let made = descendants(tokens);
    let row = |token: &Token| TokenRow {
        id: token.id.clone(),
        label: token.label.clone(),
        reads: token.scopes.iter().any(|scope| *scope != Scope::Publish),
        created_at: token.created_at.as_millis(),
        // One of another user is shown by its id.
        made_by: token.made_by.as_deref().map(|id| (*labels.get(id).unwrap_or(&id)).to_owned()),
        made: made.get(token.id.as_str()).copied().unwrap_or_default(),
    };
    tokens.iter().rev().filter(|token| is_shown(token)).map(row).collect()
}

/// How many tokens descend from each. A token is younger than the one that made it.
fn descendants(tokens: &[Token]) -> HashMap<&str, u32> {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for token in tokens.iter().rev() {
        if let Some(maker) = token.made_by.as_deref() {
            let own = counts.get(token.id.as_str()).copied().unwrap_or_default();
            *counts.entry(maker).or_default() += own + 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidings_model::Stamp;

    fn token(id: &str, made_by: Option<&str>, scopes: &[Scope]) -> Token {
        Token {
            id: id.to_owned(),
            user: "me".to_owned(),
            label: format!("label of {id}"),
            scopes: scopes.to_vec(),
            created_at: Stamp::ZERO,
            made_by: made_by.map(str::to_owned),
        }
    }

    #[test]
    fn a_token_says_which_one_made_it_and_how_many_go_with_it() {
        let tokens = [
            token("own", None, &[Scope::Inbox]),
            token("phone", None, &[Scope::Inbox, Scope::Publish]),
            token("client", Some("phone"), &[Scope::Inbox, Scope::Publish]),
            token("app", Some("client"), &[]),
            token("other", Some("of another user"), &[Scope::Publish]),
        ];
        let rows = rows(&tokens, |token| token.id != "own");
        let told: Vec<_> =
            rows.iter().map(|row| (row.id.as_str(), row.made_by.as_deref(), row.made, row.reads)).collect();
        assert_eq!(
            told,
            [
                ("other", Some("of another user"), 0, false),
                ("app", Some("label of client"), 0, false),
                ("client", Some("label of phone"), 1, true),
                ("phone", None, 2, true),
            ]
        );
    }
}
