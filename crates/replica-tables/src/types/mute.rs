//! Sources, topics, applications and repositories that are muted.

use tidings_model::{Stamp, Target, text};

use super::SourceId;

/// The types of targets that are origins themselves.
const ORIGINS: [&str; 2] = ["topic", "application"];

/// A source that is muted, or an origin in it: a topic, an application or a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mute {
    /// The source.
    pub source: SourceId,
    /// The origin, for example `topic:backups` or `owner/name`; empty for the whole source.
    pub origin: String,
    /// When it ends by itself, by the server's clock; `None` lasts until it is unmuted.
    pub until: Option<Stamp>,
}

impl Mute {
    /// The most mutes of sources and origins.
    pub const MAX: usize = 1_000;
    /// The most characters of an origin.
    pub const MAX_ORIGIN_CHARS: usize = 500;
}

/// The origin of a target: its topic, application or repository, with the name to show. `None` if it has none that a mute or a
/// rule could name: one line that is not too long.
///
/// ```
/// use tidings_model::Target;
/// use tidings_replica_tables::origin;
///
/// let issue = Target { kind: "issue".into(), id: "rust-lang/rust#12".into(), ..Target::default() };
/// assert_eq!(origin(&issue).unwrap().0, "rust-lang/rust");
/// ```
pub fn origin(target: &Target) -> Option<(String, String)> {
    let (id, name) = if ORIGINS.contains(&target.kind.as_str()) {
        let title = target.title.as_deref().filter(|title| !title.trim().is_empty());
        (format!("{}:{}", target.kind, target.id), title.unwrap_or(&target.id).to_owned())
    } else {
        let repository = repository(target)?;
        (repository.to_owned(), repository.to_owned())
    };
    let fits = id.chars().count() <= Mute::MAX_ORIGIN_CHARS && text::line(&id) == id;
    fits.then_some((id, name))
}

/// Whether a thread with this key is of an origin.
///
/// ```
/// use tidings_replica_tables::is_of_origin;
///
/// assert!(is_of_origin("topic:ci#publish", "topic:ci"));
/// assert!(is_of_origin("issue:rust-lang/rust#12", "rust-lang/rust"));
/// assert!(!is_of_origin("topic:ci-2#publish", "topic:ci"));
/// ```
pub fn is_of_origin(key: &str, origin: &str) -> bool {
    if origin.contains(':') {
        return key.strip_prefix(origin).is_some_and(|rest| rest.starts_with('#'));
    }
    let rest = key.split_once(':').and_then(|(_, id)| id.strip_prefix(origin));
    !origin.is_empty() && rest.is_some_and(|rest| rest.starts_with(['#', '!', '@']))
}

/// The repository of a target that is one of its issues, merge requests, releases: what is before the sign in
/// `owner/name#12`, `group/project!3` or `owner/name@v1`.
pub fn repository(target: &Target) -> Option<&str> {
    let (repository, _) = target.id.split_once(['#', '!', '@'])?;
    repository.contains('/').then_some(repository)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_by_what_is_in_it() {
        let target = |id: &str| Target { kind: "issue".into(), id: id.into(), ..Target::default() };
        for (id, of) in [
            ("rust-lang/Rust#12", Some("rust-lang/Rust")),
            ("group/sub/project!3", Some("group/sub/project")),
            ("owner/name@v1.2", Some("owner/name")),
            ("42#7", None),
            ("owner/name", None),
        ] {
            assert_eq!(repository(&target(id)), of, "{id}");
        }
    }
}
