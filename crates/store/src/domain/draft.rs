//! A publication before it has a msgid and a stamp, and the limits on every publication.

mod checks;

use serde::{Deserialize, Serialize};
use tidings_model::wire::{NewAnnouncement, NewMessage, NewReminder, Posted};
use tidings_model::{Actor, Catalog, Content, Kind, MsgId, Problem, Stamp, Target, check_id};

pub use self::checks::{check_name, check_target};
use super::account::UserKey;
use super::file::UploadedFile;
use super::limits;
use super::posted_by::PostedBy;
use super::topic_target::{TOPIC_ACTION, TOPIC_TARGET};

/// The users whom a publication is addressed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Every user who exists when it is published.
    Everyone,
    /// Every user with a subscription to its target and action, or a follow of its actor.
    Subscribers,
    /// One user, by id.
    User(String),
    /// The members of a group, by its id.
    Group(String),
}

/// A publication to be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The users whom it is addressed to.
    pub audience: Audience,
    /// Announcement, reminder or message.
    pub kind: Kind,
    /// The actor's id.
    pub actor: String,
    /// The actor's display name; without it the user's name, or the id.
    pub actor_name: Option<String>,
    /// The action's name in the catalog; empty for other kinds than reminders.
    pub action: String,
    /// The target of the action; `None` for other kinds than reminders.
    pub target: Option<Target>,
    /// Title, body, priority and the other fields of the content. Stored as one value, so that a new field needs no
    /// change here.
    #[serde(flatten)]
    pub content: Content,
    /// The sequence, under which its publisher may revise it later within its topic.
    #[serde(default)]
    pub sequence: Option<String>,
    /// A user to be subscribed to its target before it is published, so that it reaches them.
    #[serde(default)]
    pub subscribe: Option<UserKey>,
    /// The msgid that was given in the response when it was scheduled; a new one is made if it is `None`.
    #[serde(default)]
    pub msgid: Option<MsgId>,
    /// The file that was uploaded with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<UploadedFile>,
    /// Who posts it. Of a delayed publication it is kept beside the draft.
    #[serde(skip)]
    pub posted_by: PostedBy,
}

/// The users whose clients get a hint about a publication.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Recipients {
    /// Every user.
    Everyone,
    /// Every user with a subscription to its target and action, or a follow of its actor.
    Subscribers {
        /// Target type.
        kind: String,
        /// Target id.
        id: String,
        /// The action's name.
        action: String,
        /// The actor's id.
        actor: String,
    },
    /// These users.
    Users(Vec<UserKey>),
    /// The members of the group with this id.
    Group(String),
    /// Those who have a publication that was changed, and those who would get it as a new one.
    Revised {
        /// When the publication was created.
        created_at: Stamp,
        /// Who would get it now.
        audience: Box<Self>,
    },
}

/// A stored publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// Its msgid and stamp.
    pub posted: Posted,
    /// The users whose clients get a hint about it.
    pub recipients: Recipients,
}

impl Recipients {
    /// Those of a publication on a topic.
    pub fn of_topic(topic: &str) -> Self {
        let [kind, action] = [TOPIC_TARGET, TOPIC_ACTION].map(str::to_owned);
        Self::Subscribers { kind, id: topic.to_owned(), action, actor: topic.to_owned() }
    }

    /// Those of a change of the publication that was created at a time, and whose present recipients these are. Who
    /// unsubscribed, or left the group, has it still.
    #[must_use]
    pub fn revised(self, created_at: Stamp) -> Self {
        match self {
            Self::Subscribers { .. } | Self::Group(_) => {
                Self::Revised { created_at, audience: Box::new(self) }
            }
            Self::Everyone | Self::Users(_) | Self::Revised { .. } => self,
        }
    }
}

impl Draft {
    /// A draft with a kind, an audience and an actor, and without content.
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
            file: None,
            posted_by: PostedBy::default(),
        }
    }

    /// A publication on a topic, which is its actor, without content. `owner` is subscribed to the topic.
    pub fn on_topic(topic: &str, owner: Option<UserKey>) -> Self {
        let actor = Actor { id: topic.to_owned(), name: topic.to_owned() };
        let mut draft = Self::new(Kind::Reminder, Audience::Subscribers, actor);
        TOPIC_ACTION.clone_into(&mut draft.action);
        draft.target = Some(Target {
            kind: TOPIC_TARGET.to_owned(),
            id: topic.to_owned(),
            title: Some(topic.to_owned()),
            ..Target::default()
        });
        draft.subscribe = owner;
        draft
    }

    /// The topic that it is published on, by whichever endpoint; `None` for anything else.
    pub fn topic(&self) -> Option<&str> {
        let target = self.target.as_ref().filter(|target| target.kind == TOPIC_TARGET)?;
        (self.action == TOPIC_ACTION).then_some(target.id.as_str())
    }

    /// An announcement by the user `by`.
    ///
    /// # Errors
    /// `invalid` for an empty title, and the problems of [`Draft::check`].
    pub fn announcement(new: NewAnnouncement, by: Actor) -> Result<Self, Problem> {
        if new.content.title.is_empty() {
            return Err(Problem::invalid("title", "must not be empty"));
        }
        let mut draft = Self::new(Kind::Announcement, Audience::Everyone, by);
        draft.content = new.content;
        draft.check()?;
        Ok(draft)
    }

    /// A reminder.
    ///
    /// # Errors
    /// `invalid` for a bad id or an action that is not in the catalog, and the problems of [`Draft::check`].
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

    /// A message from a user to another user or to a group. `name` is the sender's display name.
    ///
    /// # Errors
    /// `invalid` if `from` is not an id, and the problems of [`Draft::check`].
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

/// The time before which stored responses are too old to be given again.
pub fn stored_responses_expire(now: Stamp) -> Stamp {
    now.plus_secs(-limits::STORED_RESPONSE_HOURS * 3_600)
}

/// The time before which payloads of webhooks are removed.
pub fn payloads_expire(now: Stamp) -> Stamp {
    now.plus_secs(-limits::PAYLOAD_DAYS * 24 * 3_600)
}

/// The time before which ids of applied operations are removed. A client retries an operation without an answer at its
/// next pull; one that was offline for longer retries marks, which have no further effect when applied twice.
pub fn operations_expire(now: Stamp) -> Stamp {
    now.plus_secs(-limits::OPERATION_DAYS * 24 * 3_600)
}

/// The time before which group messages yield no receipts any more; the counts on them stay.
pub fn receipts_expire(now: Stamp) -> Stamp {
    now.plus_secs(-limits::RECEIPT_DAYS * 24 * 3_600)
}

/// The time before which positions of former group members are removed. A client that pages through the members needs
/// them while it reads the list, for which an hour is enough.
pub fn former_positions_expire(now: Stamp) -> Stamp {
    now.plus_secs(-3_600)
}

/// The time before which an unfinished group was abandoned by a process that ended while making it.
pub fn pending_groups_expire(now: Stamp) -> Stamp {
    now.plus_secs(-3_600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_for_a_time_is_kept_for_exactly_that() {
        let now = Stamp::from_secs(1_800_000_000);
        let before = |secs: i64| now.plus_secs(-secs);
        assert_eq!(stored_responses_expire(now), before(86_400));
        assert_eq!(payloads_expire(now), before(30 * 86_400));
        assert_eq!(operations_expire(now), before(30 * 86_400));
        assert_eq!(receipts_expire(now), before(30 * 86_400));
        assert_eq!(
            (former_positions_expire(now), pending_groups_expire(now)),
            (before(3_600), before(3_600))
        );
    }

    #[test]
    fn a_name_that_is_empty_is_none() {
        for (given, kept) in [("", None), ("Bo", Some("Bo"))] {
            let new: NewReminder = serde_json::from_value(serde_json::json!({
                "actor": {"id": "bo", "name": given}, "action": "like",
                "target": {"type": "article", "id": "7"}
            }))
            .unwrap();
            let reminder = Draft::reminder(new, &Catalog::shipped()).unwrap();
            assert_eq!(reminder.actor_name.as_deref(), kept);
            assert_eq!((reminder.actor.as_str(), reminder.topic()), ("bo", None));
            let audience = Audience::User("al".into());
            let message =
                Draft::message(NewMessage::default(), audience, "bo".into(), Some(given.into())).unwrap();
            assert_eq!((message.actor_name.as_deref(), message.topic()), (kept, None));
        }
    }

    #[test]
    fn what_is_wrong_in_a_reminder_or_an_announcement_is_named() {
        let wrong = |actor: &str, action: &str, kind: &str| {
            let new =
                serde_json::json!({"actor": actor, "action": action, "target": {"type": kind, "id": "7"}});
            Draft::reminder(serde_json::from_value(new).unwrap(), &Catalog::shipped()).unwrap_err().field
        };
        assert_eq!(wrong("a b", "like", "article").as_deref(), Some("actor"));
        assert_eq!(wrong("bo", "l ike", "article").as_deref(), Some("action"));
        assert_eq!(wrong("bo", "shred", "article").as_deref(), Some("action"));
        assert_eq!(wrong("bo", "like", "an article").as_deref(), Some("target.type"));
        let untitled = NewAnnouncement { content: Content { body: "B".into(), ..Content::default() } };
        let by = Actor { id: "bo".into(), name: "Bo".into() };
        assert_eq!(Draft::announcement(untitled, by).unwrap_err().field.as_deref(), Some("title"));
        let from = Draft::message(NewMessage::default(), Audience::Everyone, "a b".into(), None);
        assert_eq!(from.unwrap_err().field.as_deref(), Some("from"));
    }

    #[test]
    fn only_what_is_published_on_a_topic_has_one() {
        let on = Draft::on_topic("nas", Some(UserKey(7)));
        assert_eq!((on.topic(), on.subscribe), (Some("nas"), Some(UserKey(7))));
        assert_eq!(Draft { action: "like".into(), ..on.clone() }.topic(), None);
        let target = Target { kind: "article".into(), id: "nas".into(), ..Target::default() };
        assert_eq!(Draft { target: Some(target), ..on }.topic(), None);
    }

    #[test]
    fn a_change_is_for_those_who_have_it_too_if_they_may_have_left_since() {
        let (at, group) = (Stamp::from_secs(9), Recipients::Group("crew".into()));
        let audience = Box::new(group.clone());
        let revised = Recipients::Revised { created_at: at, audience };
        assert_eq!(group.revised(at), revised);
        for same in [Recipients::Everyone, Recipients::Users(vec![UserKey(1)]), revised] {
            assert_eq!(same.clone().revised(Stamp::from_secs(10)), same);
        }
    }
}
