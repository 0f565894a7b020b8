//! The unread counts of one inbox as the cache holds them. That is a hash with the version of the inbox that they are
//! of, and with what else they hold under.

use std::collections::{BTreeMap, HashMap};

use tidings_model::Stamp;
use tidings_model::wire::UnreadCounts;
use tidings_store::Difference;
use tidings_store::domain::limits;

use crate::counted::{Counted, InboxState};

/// Fields of a hash besides those of conversations.
const FIXED_FIELDS: usize = 8;
/// The most fields of a hash. One with more conversations is not kept, because an answer names no more of them.
pub(super) const MAX_FIELDS: usize = FIXED_FIELDS + limits::CONVERSATIONS_LIMIT - 1;
/// Where counting for the cache stops: one more than the largest cap of a request.
pub(crate) const COUNT_LIMIT: u64 = limits::COUNT_CAP + 1;

/// The fields of the counts by kind: announcements, reminders, messages.
const KINDS: [&str; 3] = ["a", "r", "m"];
/// What the field of a conversation begins with.
const CONVERSATION: &str = "c:";

/// Unread counts of an inbox, each up to [`COUNT_LIMIT`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CachedCounts {
    /// `v`: the newest stamp of the inbox that they are of.
    pub(crate) version: Stamp,
    /// `p`: up to this stamp of the log nothing was left to bring in.
    pub(crate) considered: Stamp,
    /// `b` and `w`: they hold from the time at which the last snooze ended to that at which the next one ends.
    pub(crate) awake: (Option<Stamp>, Option<Stamp>),
    /// `o`: no item that is counted was created before. Retention takes nothing of them while this is newer than what it
    /// has removed.
    pub(crate) oldest: Option<Stamp>,
    /// The counts.
    pub(crate) counted: Counted,
}

impl CachedCounts {
    /// Whether they are those of an inbox in this state, at this time.
    pub(crate) fn hold(&self, state: &InboxState, now: Stamp) -> bool {
        self.version == state.last && self.hold_at(state, now)
    }

    /// Whether they are still those of their version, at this time.
    pub(crate) fn hold_at(&self, state: &InboxState, now: Stamp) -> bool {
        let (since, until) = self.awake;
        since.is_none_or(|since| since <= now)
            && until.is_none_or(|until| now < until)
            && self.oldest.is_none_or(|oldest| oldest >= state.forgotten_before)
    }

    /// The answer to a request.
    pub(crate) fn answer(&self, cap: u64) -> UnreadCounts {
        self.counted.answer(cap)
    }

    /// Whether a hash may hold them.
    pub(super) fn fit(&self) -> bool {
        self.counted.conversations.len() < limits::CONVERSATIONS_LIMIT
    }

    /// The fields of the hash, the version first.
    pub(super) fn fields(&self) -> Vec<(String, String)> {
        let time = |at: Option<Stamp>| at.map_or(0, Stamp::as_micros).to_string();
        let mut fields = vec![
            ("v".to_owned(), self.version.as_micros().to_string()),
            ("p".to_owned(), self.considered.as_micros().to_string()),
            ("b".to_owned(), time(self.awake.0)),
            ("w".to_owned(), time(self.awake.1)),
            ("o".to_owned(), time(self.oldest)),
        ];
        fields.extend(
            KINDS.iter().zip(self.counted.kinds).map(|(kind, n)| ((*kind).to_owned(), n.to_string())),
        );
        let of_conversation = |(id, n): (&String, &u64)| (format!("{CONVERSATION}{id}"), n.to_string());
        fields.extend(self.counted.conversations.iter().map(of_conversation));
        fields
    }

    /// Reads a hash; `None` if there is none, or one that is not of this form.
    pub(super) fn read(fields: &HashMap<String, String>) -> Option<Self> {
        let stamp = |name: &str| Some(Stamp::from_micros(fields.get(name)?.parse().ok()?));
        let time = |name: &str| stamp(name).map(|at| Some(at).filter(|at| *at > Stamp::ZERO));
        let count = |name: &str| fields.get(name)?.parse::<u64>().ok();
        let mut conversations = BTreeMap::new();
        for (name, n) in fields {
            if let Some(id) = name.strip_prefix(CONVERSATION) {
                conversations.insert(id.to_owned(), n.parse().ok()?);
            }
        }
        let [announcement, reminder, message] = KINDS.map(count);
        Some(Self {
            version: stamp("v")?,
            considered: stamp("p")?,
            awake: (time("b")?, time("w")?),
            oldest: time("o")?,
            counted: Counted { kinds: [announcement?, reminder?, message?], conversations },
        })
    }

    /// The places where they differ from a recount of the same version.
    pub(crate) fn differences(&self, recount: &Counted, user: i64) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut compare = |what: &str, stored: u64, counted: u64| {
            if stored != counted {
                found.push(Difference {
                    what: format!("cached unread count {what} of user {user}"),
                    stored: stored.to_string(),
                    counted: counted.to_string(),
                });
            }
        };
        let kinds = ["of announcements", "of reminders", "of messages"];
        for ((kind, stored), counted) in kinds.into_iter().zip(self.counted.kinds).zip(recount.kinds) {
            compare(kind, stored, counted);
        }
        let of = |counts: &Counted, id: &String| counts.conversations.get(id).copied().unwrap_or_default();
        let (cached, recounted) = (self.counted.conversations.keys(), recount.conversations.keys());
        for id in cached.chain(recounted.filter(|id| !self.counted.conversations.contains_key(*id))) {
            compare("in a conversation", of(&self.counted, id), of(recount, id));
        }
        found
    }
}

/// What one write added to the unread counts of an inbox, between two versions of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnreadStep {
    /// The key of the user.
    pub(crate) user: i64,
    /// The version before.
    pub(crate) from: Stamp,
    /// The version after.
    pub(crate) to: Stamp,
    /// The unread messages that came, by conversation.
    pub(crate) messages: BTreeMap<String, u64>,
}

impl UnreadStep {
    /// The fields that change, and by how much.
    pub(super) fn changes(&self) -> impl Iterator<Item = (String, u64)> {
        let all: u64 = self.messages.values().sum();
        let kind = (all > 0).then(|| (KINDS[2].to_owned(), all));
        let conversations = self.messages.iter().map(|(id, n)| (format!("{CONVERSATION}{id}"), *n));
        kind.into_iter().chain(conversations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> CachedCounts {
        let stamp = Stamp::from_micros;
        CachedCounts {
            version: stamp(50),
            considered: stamp(60),
            awake: (Some(stamp(10)), Some(stamp(90))),
            oldest: Some(stamp(20)),
            counted: Counted {
                kinds: [1, 2, COUNT_LIMIT],
                conversations: BTreeMap::from([("user:bob".to_owned(), 3)]),
            },
        }
    }

    #[test]
    fn a_hash_holds_what_it_was_made_of() {
        let fields = counts().fields();
        assert_eq!(fields.len(), FIXED_FIELDS + 1);
        let mut hash: HashMap<String, String> = fields.into_iter().collect();
        assert_eq!(CachedCounts::read(&hash), Some(counts()));
        hash.insert("m".into(), "many".into());
        assert_eq!(CachedCounts::read(&hash), None);
        assert_eq!(CachedCounts::read(&HashMap::new()), None);
    }

    #[test]
    fn counts_of_as_many_conversations_as_an_answer_names_are_not_kept() {
        let of = |number: usize| {
            let conversations = (0..number).map(|n| (format!("user:{n}"), 1)).collect();
            CachedCounts { counted: Counted { kinds: [0; 3], conversations }, ..counts() }
        };
        let most = limits::CONVERSATIONS_LIMIT - 1;
        assert!(of(most).fit() && !of(most + 1).fit(), "there may be more of them");
        assert_eq!(of(most).fields().len(), MAX_FIELDS);
    }

    #[test]
    fn counts_hold_for_their_version_and_between_two_ends_of_snoozes() {
        let stamp = Stamp::from_micros;
        let state = |last, forgotten| InboxState {
            last: stamp(last),
            log: stamp(60),
            forgotten_before: stamp(forgotten),
            epoch: String::new(),
        };
        assert!(counts().hold(&state(50, 20), stamp(10)));
        assert!(!counts().hold(&state(51, 0), stamp(50)), "another version");
        assert!(!counts().hold(&state(49, 0), stamp(50)), "another version");
        assert!(!counts().hold(&state(50, 0), stamp(90)), "a snooze has ended");
        assert!(!counts().hold(&state(50, 0), stamp(9)), "it had not ended yet");
        assert!(!counts().hold(&state(50, 21), stamp(50)), "retention may have taken some");
    }
}
