//! How notifications read, in both languages. Their types are the actions.

use tidings_model::Catalog;

use crate::kinds::sentences::MASTODON;

/// The action of a type that this version does not know.
const OTHER: &str = "notification";

/// The catalog of every instance.
pub(super) fn catalog() -> Catalog {
    Catalog::of(MASTODON)
}

/// The action of a type of notification; some services have names of their own for the same.
pub(super) fn action(kind: &str) -> &'static str {
    match kind {
        "pleroma:emoji_reaction" | "emoji_reaction" => "reaction",
        "favorite" => "favourite",
        "renote" | "boost" => "reblog",
        known => MASTODON.iter().map(|(id, ..)| *id).find(|id| *id == known).unwrap_or(OTHER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_reads_in_both_languages_and_an_unknown_one_as_what_it_is() {
        catalog().check().unwrap();
        assert!(catalog().actions.values().all(|rule| rule.template.len() == 2));
        assert_eq!(action("favourite"), "favourite");
        assert_eq!(action("pleroma:emoji_reaction"), "reaction");
        assert!(catalog().actions.contains_key(action("something_new")));
    }
}
