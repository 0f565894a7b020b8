//! The catalog of the server in the random history.

use tidings_testkit::rules::Rules;

/// The actions of the history; `share` is of auto class, `assign` is off without a preference.
pub(crate) const ACTIONS: [&str; 6] = ["comment", "like", "reply", "mention", "share", "assign"];

pub(crate) fn is_auto(action: &str) -> bool {
    action == "share"
}

/// The rules of a server with this catalog, without users.
pub(crate) fn rules() -> Rules {
    Rules::with_catalog(&["share"], &["assign"])
}

/// The actions to which a reason subscribes; an exact reason takes precedence over a pattern for all types.
pub(crate) fn expand(reason: &str) -> &'static [&'static str] {
    match reason {
        "create_product" => &["comment", "share", "assign"],
        _ if reason.starts_with("create_") => &["comment", "like", "reply", "vote"],
        _ if reason.starts_with("like_") => &["update", "comment"],
        _ => &["reply", "comment", "like"],
    }
}
