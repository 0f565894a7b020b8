//! A publication before it has an id and a stamp, and the limits that hold for every publication.

use serde::{Deserialize, Serialize};
use tidings_model::wire::{NewAnnouncement, NewMessage, NewReminder, Posted};
use tidings_model::{
    Actor, Catalog, Code, Content, Kind, MsgId, Problem, Stamp, Target, check_id, check_target_id,
};

use super::account::UserKey;
use super::limits;

/// Whom a publication is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Every user who exists at the post.
    Everyone,
    /// Whomever a subscription or a follow brings it to.
    Subscribers,
    /// One user, by id.
    User(String),
    /// The members of a group, by its id.
    Group(String),
}

/// A publication before it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Whom it is for.
    pub audience: Audience,
    /// Which of the three kinds.
    pub kind: Kind,
    /// Who did it.
    pub actor: String,
    /// The actor's display name; without it the user's name, or the id.
    pub actor_name: Option<String>,
    /// What was done; empty but for reminders.
    pub action: String,
    /// To what; none but for reminders.
    pub target: Option<Target>,
    /// What it says. Stored as it is: a new field of it needs nothing here.
    #[serde(flatten)]
    pub content: Content,
    /// A name under which its sender may change it later, within its topic.
    #[serde(default)]
    pub sequence: Option<String>,
    /// A user who is subscribed to its target first, so that it reaches them.
    #[serde(default)]
    pub subscribe: Option<UserKey>,
    /// The name that it was promised when it was scheduled.
    #[serde(default)]
    pub msgid: Option<MsgId>,
}

/// Whom a publication concerns: who gets a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipients {
    /// Everyone.
    Everyone,
    /// Whoever subscribed to it or follows its actor.
    Subscribers {
        /// Target type.
        kind: String,
        /// Target id.
        id: String,
        /// Action.
        action: String,
        /// Actor.
        actor: String,
    },
    /// These users.
    Users(Vec<UserKey>),
    /// The members of the group with this id.
    Group(String),
}

/// A publication that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// Its name and stamp.
    pub posted: Posted,
    /// Whom it concerns.
    pub recipients: Recipients,
}

impl Draft {
    /// A draft with nothing but its kind, audience and actor.
    pub fn new(kind: Kind, audience: Audience, actor: Actor) -> Self {
        Self {
            audience,
            kind,
            actor: actor.id,
            actor_name: Some(actor.name),
            action: String::new(),
            target: None,
            content: Content::default(),
            sequence: None,
            subscribe: None,
            msgid: None,
        }
    }

    /// An announcement of the user that the token belongs to.
    pub fn announcement(new: NewAnnouncement, by: Actor) -> Result<Self, Problem> {
        if new.content.title.is_empty() {
            return Err(Problem::invalid("title", "must not be empty"));
        }
        let mut draft = Self::new(Kind::Announcement, Audience::Everyone, by);
        draft.content = new.content;
        draft.check()?;
        Ok(draft)
    }

    /// A reminder; its action must be in the catalog.
    pub fn reminder(new: NewReminder, catalog: &Catalog) -> Result<Self, Problem> {
        let actor = new.actor.id().to_owned();
        check_id(&actor).map_err(|e| Problem::invalid("actor", e.to_string()))?;
        check_id(&new.action).map_err(|e| Problem::invalid("action", e.to_string()))?;
        if !catalog.actions.contains_key(&new.action) {
            return Err(Problem::invalid("action", format!("`{}` is not in the catalog", new.action)));
        }
        check_target(&new.target)?;
        let name = match new.actor {
            tidings_model::wire::ActorRef::Full { name, .. } => name.filter(|n| !n.is_empty()),
            tidings_model::wire::ActorRef::Id(_) => None,
        };
        let by = Actor { id: actor, name: String::new() };
        let mut draft = Self::new(Kind::Reminder, Audience::Subscribers, by);
        draft.actor_name = name;
        draft.action = new.action;
        draft.target = Some(new.target);
        draft.content = new.content;
        draft.check()?;
        Ok(draft)
    }

    /// A message from a user to another or to a group.
    pub fn message(
        new: NewMessage,
        audience: Audience,
        from: String,
        name: Option<String>,
    ) -> Result<Self, Problem> {
        check_id(&from).map_err(|e| Problem::invalid("from", e.to_string()))?;
        let mut draft = Self::new(Kind::Message, audience, Actor { id: from, name: String::new() });
        draft.actor_name = name.filter(|n| !n.is_empty());
        draft.content = new.content;
        draft.check()?;
        Ok(draft)
    }
}

impl Draft {
    /// Checks the limits that hold for every publication, whichever door it comes through: `invalid` for a part that is
    /// too long, `too_large` where the parts together are.
    pub fn check(&self) -> Result<(), Problem> {
        check_tags(&self.content.tags)?;
        check_name("actor.name", self.actor_name.as_deref().unwrap_or_default())?;
        check_name("attachment.name", self.content.attachment.as_ref().map_or("", |a| &a.name))?;
        check_part("data", &self.content.data)?;
        check_part("actions", &self.content.actions)?;
        if json_size(self).saturating_add(limits::ADDED) > limits::NOTIFICATION {
            let detail = format!("a notification may have {} bytes as JSON", limits::NOTIFICATION);
            return Err(Problem::new(Code::TooLarge, detail));
        }
        Ok(())
    }
}

/// Checks a target of a request.
pub fn check_target(target: &Target) -> Result<(), Problem> {
    check_id(&target.kind).map_err(|e| Problem::invalid("target.type", e.to_string()))?;
    check_target_id(&target.id).map_err(|e| Problem::invalid("target.id", e.to_string()))?;
    if let Some(owner) = &target.owner {
        check_id(owner).map_err(|e| Problem::invalid("target.owner", e.to_string()))?;
    }
    Ok(())
}

/// Checks what people call somebody or something.
pub fn check_name(field: &str, name: &str) -> Result<(), Problem> {
    if name.len() > limits::NAME {
        return Err(Problem::invalid(field, format!("may have {} bytes", limits::NAME)));
    }
    Ok(())
}

fn check_tags(tags: &[String]) -> Result<(), Problem> {
    if tags.len() > limits::TAGS {
        return Err(Problem::invalid("tags", format!("at most {} tags", limits::TAGS)));
    }
    match tags.iter().position(|tag| tag.len() > limits::TAG) {
        Some(i) => Err(Problem::invalid(format!("tags[{i}]"), format!("may have {} bytes", limits::TAG))),
        None => Ok(()),
    }
}

/// Checks the size of a part of a notification as JSON.
fn check_part<T: Serialize>(field: &str, part: &T) -> Result<(), Problem> {
    if json_size(part) > limits::DATA {
        return Err(Problem::invalid(field, format!("may have {} bytes as JSON", limits::DATA)));
    }
    Ok(())
}

/// Bytes of a value as JSON, without making a copy of it.
fn json_size<T: Serialize>(value: &T) -> usize {
    struct Counter(usize);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // What can't be written as JSON has no size that would do.
    serde_json::to_writer(&mut counter, value).map_or(usize::MAX, |()| counter.0)
}

/// When an idempotent answer is too old to be given again.
pub fn stored_responses_expire(now: Stamp) -> Stamp {
    now.plus_secs(-limits::ANSWER_HOURS * 3_600)
}

/// When an operation is so old that no client repeats it any more. A client repeats one whose answer it did not get at
/// its next pull; one that was away for longer repeats marks, which are the same the second time.
pub fn operations_expire(now: Stamp) -> Stamp {
    now.plus_secs(-limits::OPERATION_DAYS * 24 * 3_600)
}

/// Messages from before then yield no receipts any more; the counts on them stay.
pub fn receipts_expire(now: Stamp) -> Stamp {
    now.plus_secs(-limits::RECEIPT_DAYS * 24 * 3_600)
}

/// When somebody left a group so long ago that nobody who began to read the list of its members before goes on with it.
pub fn former_positions_expire(now: Stamp) -> Stamp {
    now.plus_secs(-3_600)
}

/// When a group that is being made was left behind by a program that ended.
pub fn pending_groups_expire(now: Stamp) -> Stamp {
    now.plus_secs(-3_600)
}
