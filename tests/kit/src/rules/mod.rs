//! The rules, as the protocol has them: who gets what, and what of it is unread. Lists and maps in memory, no database;
//! the number of publications so far is the time. Histories at the store, over HTTP and on devices are compared with it.

mod reading;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tidings_model::{Kind, Stamp};

pub use self::reading::{Counts, ReaderOp, change};

/// A publication's index in the history; as a time, the moment before that publication.
pub type Position = usize;

/// The kind of a publication and whom it is for.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names say it")]
pub enum What {
    Announcement { by: String },
    Reminder { actor: String, action: String, target: String },
    Direct { from: String, to: String },
    Group { gid: String, from: String, members: BTreeSet<String> },
}

impl What {
    fn is_auto(&self, auto_actions: &BTreeSet<String>) -> bool {
        match self {
            Self::Reminder { action, .. } => auto_actions.contains(action),
            _ => true,
        }
    }
}

/// A publication.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Published {
    pub msgid: String,
    pub stamp: Stamp,
    pub body: String,
    pub what: What,
    /// When its publisher last revised it.
    pub revised: Option<Stamp>,
}

/// One item of an inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Entry {
    /// Of auto class: its view's mark says whether it is read.
    pub auto: bool,
    /// The revision that this inbox has.
    pub revised: Option<Stamp>,
    pub seen: bool,
    /// Read by itself: marked so, where it is of manual class, or cleared by its publisher.
    pub read: bool,
    pub archived: bool,
    pub snoozed: Option<Stamp>,
    pub deleted: bool,
}

/// A user: what it asked for, and its inbox.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub struct User {
    /// When the user was created.
    since: Position,
    /// Everything before was brought in or passed over.
    considered: Position,
    /// So many revisions were.
    considered_revisions: usize,
    /// Target and action, and from when it counts.
    pub subscriptions: BTreeMap<(String, String), Position>,
    pub follows: BTreeMap<String, Position>,
    pub preferences: BTreeMap<String, bool>,
    pub inbox: BTreeMap<Position, Entry>,
    /// By view: everything up to and including this time is read.
    pub marks: BTreeMap<String, Stamp>,
}

/// One member read one message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Receipt {
    pub message: Position,
    pub reader: String,
    /// Its sender has not acknowledged it.
    pub waits: bool,
}

/// Users, groups and the history of publications.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Rules {
    pub history: Vec<Published>,
    by_msgid: HashMap<String, Position>,
    pub users: BTreeMap<String, User>,
    pub groups: BTreeMap<String, BTreeSet<String>>,
    /// Actions of auto class, by the catalog in force.
    pub auto_actions: BTreeSet<String>,
    /// Actions that nobody gets without a preference.
    pub off_by_default: BTreeSet<String>,
    revisions: Vec<Position>,
    /// In the order in which they were made.
    pub receipts: Vec<Receipt>,
    pub read_by: BTreeSet<(Position, String)>,
}

impl Rules {
    /// Without users, under a catalog in which these actions are of auto class, and these off by default.
    pub fn with_catalog(auto: &[&str], off_by_default: &[&str]) -> Self {
        let set = |actions: &[&str]| actions.iter().map(|action| (*action).to_owned()).collect();
        Self { auto_actions: set(auto), off_by_default: set(off_by_default), ..Self::default() }
    }

    /// The number of publications so far.
    pub fn now(&self) -> Position {
        self.history.len()
    }

    /// Adds a user.
    pub fn add_user(&mut self, id: &str) {
        let now = self.now();
        self.users.insert(id.to_owned(), User { since: now, considered: now, ..User::default() });
    }

    /// A user that there is.
    pub fn user(&mut self, id: &str) -> &mut User {
        self.users.get_mut(id).unwrap()
    }

    /// The publication of this id.
    pub fn find(&self, msgid: &str) -> Option<Position> {
        self.by_msgid.get(msgid).copied()
    }

    /// The members of a group.
    pub fn members(&self, gid: &str) -> BTreeSet<String> {
        self.groups.get(gid).cloned().unwrap_or_default()
    }

    /// Somebody published. Messages between two are in both inboxes at once, one's own in a group in one's own.
    pub fn publish(&mut self, msgid: &str, stamp: Stamp, body: &str, what: What) {
        let nth = self.now();
        if let Some(last) = self.history.last() {
            assert!(last.stamp < stamp, "stamps grow: {} then {stamp}", last.stamp);
        }
        match &what {
            What::Announcement { .. } | What::Reminder { .. } => {}
            What::Direct { from, to } => {
                for one in [from, to] {
                    let entry = Entry { auto: true, ..Entry::default() };
                    self.users.get_mut(one).and_then(|user| user.inbox.insert(nth, entry));
                }
            }
            What::Group { from, .. } => {
                let entry = Entry { auto: true, ..Entry::default() };
                self.user(from).inbox.insert(nth, entry);
            }
        }
        assert!(self.by_msgid.insert(msgid.to_owned(), nth).is_none(), "{msgid} names two publications");
        self.history.push(Published {
            msgid: msgid.to_owned(),
            stamp,
            body: body.to_owned(),
            what,
            revised: None,
        });
    }

    /// The publisher of a reminder gave it new content.
    pub fn revise(&mut self, nth: Position, stamp: Stamp) {
        self.history[nth].revised = Some(stamp);
        self.revisions.push(nth);
    }

    /// Brings in what the user has not been given yet, by the user's subscriptions and preferences of now.
    pub fn pull(&mut self, id: &str) {
        let user = self.users.get_mut(id).unwrap();
        let entry = |published: &Published| Entry {
            auto: published.what.is_auto(&self.auto_actions),
            revised: published.revised,
            ..Entry::default()
        };
        // A revision is a new item in place of the old one; what is new below comes with its last revision.
        for nth in self.revisions.iter().skip(user.considered_revisions) {
            if let Some(known) = user.inbox.get_mut(nth) {
                *known = entry(&self.history[*nth]);
            }
        }
        for (nth, published) in self.history.iter().enumerate().skip(user.considered) {
            let reached = match &published.what {
                What::Announcement { .. } => nth >= user.since,
                What::Reminder { actor, action, target } => {
                    let wanted = user.wants(action, &self.off_by_default);
                    actor != id && wanted && user.asked_for(nth, actor, action, target)
                }
                What::Group { from, members, .. } => from != id && members.contains(id),
                What::Direct { .. } => false,
            };
            if reached {
                user.inbox.insert(nth, entry(published));
            }
        }
        (user.considered, user.considered_revisions) = (self.history.len(), self.revisions.len());
    }

    /// Subscribes a user to actions on a target from now on, unless it was subscribed before.
    pub fn subscribe(&mut self, id: &str, target: &str, actions: &[&str]) {
        let now = self.now();
        for action in actions {
            let key = (target.to_owned(), (*action).to_owned());
            self.user(id).subscriptions.entry(key).or_insert(now);
        }
    }

    /// Ends the subscription to an action on a target, or to all.
    pub fn unsubscribe(&mut self, id: &str, target: &str, action: Option<&str>) {
        let gone = |key: &(String, String)| key.0 == target && action.is_none_or(|action| action == key.1);
        self.user(id).subscriptions.retain(|key, _| !gone(key));
    }

    /// Follows an actor from now on.
    pub fn follow(&mut self, id: &str, actor: &str) {
        let now = self.now();
        self.user(id).follows.entry(actor.to_owned()).or_insert(now);
    }

    /// Whether a user gets reminders of an action at all.
    pub fn wants(&self, id: &str, action: &str) -> bool {
        self.users[id].wants(action, &self.off_by_default)
    }

    /// The kind of a publication.
    pub fn kind(&self, nth: Position) -> Kind {
        match self.history[nth].what {
            What::Announcement { .. } => Kind::Announcement,
            What::Reminder { .. } => Kind::Reminder,
            What::Direct { .. } | What::Group { .. } => Kind::Message,
        }
    }

    /// Whether it is of auto class: read by visiting its view.
    pub fn auto(&self, nth: Position) -> bool {
        self.history[nth].what.is_auto(&self.auto_actions)
    }

    /// Whether the user published it itself.
    pub fn own(&self, id: &str, nth: Position) -> bool {
        match &self.history[nth].what {
            What::Direct { from, .. } | What::Group { from, .. } => from == id,
            What::Announcement { by } => by == id,
            What::Reminder { .. } => false,
        }
    }

    /// The conversation that a user has a message in; none for other kinds.
    pub fn conversation(&self, id: &str, nth: Position) -> Option<String> {
        match &self.history[nth].what {
            What::Direct { from, to } => Some(format!("user:{}", if from == id { to } else { from })),
            What::Group { gid, .. } => Some(format!("group:{gid}")),
            _ => None,
        }
    }

    /// The view that a user has it in, as kind and id.
    pub fn view(&self, id: &str, nth: Position) -> String {
        match &self.history[nth].what {
            What::Announcement { .. } => "announcements/all".to_owned(),
            What::Reminder { target, .. } => format!("target/{target}"),
            _ => format!("conversation/{}", self.conversation(id, nth).unwrap()),
        }
    }

    /// The thread that a user has it in.
    pub fn thread(&self, id: &str, nth: Position) -> String {
        match &self.history[nth].what {
            What::Announcement { .. } => "announcements".to_owned(),
            What::Reminder { target, action, .. } => format!("{target}#{action}"),
            _ => self.conversation(id, nth).unwrap(),
        }
    }
}

impl User {
    fn wants(&self, action: &str, off_by_default: &BTreeSet<String>) -> bool {
        self.preferences.get(action).copied().unwrap_or_else(|| !off_by_default.contains(action))
    }

    fn asked_for(&self, nth: Position, actor: &str, action: &str, target: &str) -> bool {
        let subscribed = self.subscriptions.get(&(target.to_owned(), action.to_owned()));
        let since = subscribed.into_iter().chain(self.follows.get(actor));
        since.into_iter().any(|since| *since <= nth)
    }
}
