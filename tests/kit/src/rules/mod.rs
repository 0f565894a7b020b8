//! A model of the protocol's rules: who receives which publication, and which items are unread. It keeps lists and maps
//! in memory, without a database, and takes the number of publications so far as the time. Tests compare random
//! histories of the store, the HTTP API and devices with it.

mod reading;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tidings_model::{Kind, Stamp};

pub use self::reading::{Counts, ReaderOp, change};

/// A publication's index in the history; as a time, the moment just before that publication.
pub type Position = usize;

/// The number of publications and revisions so far.
type Moment = usize;

/// The kind of a publication, with its sender and recipients.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PublicationKind {
    Announcement { by: String },
    Reminder { actor: String, action: String, target: String },
    Direct { from: String, to: String },
    Group { gid: String, from: String, members: BTreeSet<String> },
}

impl PublicationKind {
    fn is_auto(&self, auto_actions: &BTreeSet<String>) -> bool {
        match self {
            Self::Reminder { action, .. } => auto_actions.contains(action),
            _ => true,
        }
    }
}

/// A publication in the history.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Published {
    pub msgid: String,
    pub stamp: Stamp,
    pub body: String,
    pub kind: PublicationKind,
    /// When it was published.
    moment: Moment,
    /// The stamp of the publisher's last new content.
    pub revised: Option<Stamp>,
    /// What its publisher did last after publishing it, if that is no new content.
    pub withdrawn: Option<Withdrawal>,
    /// Whether it asks a question.
    pub asks: bool,
    /// Whether that is answered or expired.
    pub closed: bool,
}

/// What a publisher does to a publication for everyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Withdrawal {
    Clear,
    Delete,
}

/// A revision by a publisher.
#[derive(Debug, Clone, Copy)]
struct Revision {
    of: Position,
    moment: Moment,
    /// Whether it is new content.
    is_content: bool,
}

/// An item of an inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Entry {
    /// Whether the item is of auto class, read by its view's mark.
    pub auto: bool,
    /// The stamp of the revision that this inbox holds.
    pub revised: Option<Stamp>,
    pub seen: bool,
    /// Whether the item itself is marked read; items of auto class are read through their view's mark instead.
    pub read: bool,
    pub archived: bool,
    pub snoozed: Option<Stamp>,
    pub deleted: bool,
    /// Whether it asks a question that this inbox knows to be answered or expired.
    pub closed: bool,
    /// When the reader last read it or the opposite, archived it or the opposite, snoozed it or the opposite.
    pub(crate) marked: [Stamp; 3],
    /// Since when it is read by itself, and archived.
    pub(crate) since: [Stamp; 2],
}

/// A user's subscriptions, follows and preferences, and the inbox.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub struct User {
    /// The position at which the user was created.
    since: Position,
    /// Publications before this position were considered by the user's pulls.
    considered: Position,
    /// The number of revisions that the user's pulls considered.
    considered_revisions: usize,
    /// The moment since which the subscription counts, by target and action.
    pub subscriptions: BTreeMap<(String, String), Moment>,
    pub follows: BTreeMap<String, Moment>,
    pub preferences: BTreeMap<String, bool>,
    pub inbox: BTreeMap<Position, Entry>,
    /// The read mark by view: everything up to and including this time is read.
    pub marks: BTreeMap<String, Stamp>,
    /// When the user last moved the read mark of a view forward by marking an item as read.
    pub(crate) marks_read: BTreeMap<String, Stamp>,
}

/// A receipt: one member read one message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Receipt {
    pub message: Position,
    pub reader: String,
    /// Whether the message's sender has not acknowledged the receipt yet.
    pub unacknowledged: bool,
}

/// The state of the model: users, groups and the history of publications.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Rules {
    pub history: Vec<Published>,
    by_msgid: HashMap<String, Position>,
    pub users: BTreeMap<String, User>,
    pub groups: BTreeMap<String, BTreeSet<String>>,
    /// Actions of auto class in the current catalog.
    pub auto_actions: BTreeSet<String>,
    /// Actions whose reminders reach only users who switched them on by a preference.
    pub off_by_default: BTreeSet<String>,
    revisions: Vec<Revision>,
    moment: Moment,
    /// The time now by the server's clock, for histories in which marks say when they were put.
    pub now: Stamp,
    /// The same, and not before a stamp that the server has given.
    pub clock: Stamp,
    /// All receipts, in the order in which they were made.
    pub receipts: Vec<Receipt>,
    pub read_by: BTreeSet<(Position, String)>,
    /// The group messages that a device of a member has pulled.
    pub pulled_by: BTreeSet<(Position, String)>,
}

impl Rules {
    /// A model without users, with these actions of auto class and these off by default.
    pub fn with_catalog(auto: &[&str], off_by_default: &[&str]) -> Self {
        let set = |actions: &[&str]| actions.iter().map(|action| (*action).to_owned()).collect();
        Self { auto_actions: set(auto), off_by_default: set(off_by_default), ..Self::default() }
    }

    /// The current position: the number of publications so far.
    pub fn now(&self) -> Position {
        self.history.len()
    }

    /// Adds a user.
    pub fn add_user(&mut self, id: &str) {
        let now = self.now();
        self.users.insert(id.to_owned(), User { since: now, considered: now, ..User::default() });
    }

    /// Removes a user, whom nobody follows and no group has any more; what the user wrote stays with others.
    pub fn remove_user(&mut self, id: &str) {
        self.users.remove(id);
        for user in self.users.values_mut() {
            user.follows.remove(id);
        }
        for members in self.groups.values_mut() {
            members.remove(id);
        }
    }

    /// The publications that a user wrote: messages, and reminders of which the user is the actor.
    pub fn written_by(&self, id: &str) -> Vec<Position> {
        let is_written = |published: &Published| match &published.kind {
            PublicationKind::Announcement { by: from }
            | PublicationKind::Reminder { actor: from, .. }
            | PublicationKind::Direct { from, .. }
            | PublicationKind::Group { from, .. } => from == id,
        };
        self.history.iter().enumerate().filter(|(_, it)| is_written(it)).map(|(nth, _)| nth).collect()
    }

    /// An existing user; panics if there is none of this id.
    pub fn user(&mut self, id: &str) -> &mut User {
        self.users.get_mut(id).unwrap()
    }

    /// The position of the publication with this msgid.
    pub fn find(&self, msgid: &str) -> Option<Position> {
        self.by_msgid.get(msgid).copied()
    }

    /// The members of a group; empty for an unknown group.
    pub fn members(&self, gid: &str) -> BTreeSet<String> {
        self.groups.get(gid).cloned().unwrap_or_default()
    }

    /// Appends a publication. A direct message enters both inboxes at once; a group message enters its sender's inbox
    /// at once and the other members' at their next pull.
    pub fn publish(&mut self, msgid: &str, stamp: Stamp, body: &str, kind: PublicationKind) {
        let nth = self.now();
        if let Some(last) = self.history.last() {
            assert!(last.stamp < stamp, "stamps grow: {} then {stamp}", last.stamp);
        }
        match &kind {
            PublicationKind::Announcement { .. } | PublicationKind::Reminder { .. } => {}
            PublicationKind::Direct { from, to } => {
                for user in [from, to] {
                    let entry = Entry { auto: true, ..Entry::default() };
                    self.users.get_mut(user).and_then(|user| user.inbox.insert(nth, entry));
                }
            }
            PublicationKind::Group { from, .. } => {
                let entry = Entry { auto: true, ..Entry::default() };
                self.user(from).inbox.insert(nth, entry);
            }
        }
        assert!(self.by_msgid.insert(msgid.to_owned(), nth).is_none(), "{msgid} names two publications");
        self.history.push(Published {
            msgid: msgid.to_owned(),
            stamp,
            body: body.to_owned(),
            kind,
            moment: self.moment,
            revised: None,
            withdrawn: None,
            asks: false,
            closed: false,
        });
        self.moment += 1;
    }

    /// Records that the publisher gave a publication new content.
    pub fn revise(&mut self, nth: Position, stamp: Stamp) {
        (self.history[nth].revised, self.history[nth].withdrawn) = (Some(stamp), None);
        self.revisions.push(Revision { of: nth, moment: self.moment, is_content: true });
        self.moment += 1;
    }

    /// Records that the newest publication asks a question.
    pub fn asks(&mut self) {
        self.history.last_mut().unwrap().asks = true;
    }

    /// Records that a question was answered, or that its time is over; false if it is closed already.
    pub fn close(&mut self, nth: Position) -> bool {
        let published = &mut self.history[nth];
        let is_open = published.asks && !published.closed && published.withdrawn != Some(Withdrawal::Delete);
        if is_open {
            published.closed = true;
            self.revisions.push(Revision { of: nth, moment: self.moment, is_content: false });
            self.moment += 1;
        }
        is_open
    }

    /// Takes a publication back, from every inbox at its next pull; false if that was done before.
    pub fn recall(&mut self, nth: Position) -> bool {
        if self.history[nth].withdrawn == Some(Withdrawal::Delete) {
            return false;
        }
        self.withdraw(nth, Withdrawal::Delete);
        true
    }

    /// Records that the publisher cleared or deleted a publication.
    pub fn withdraw(&mut self, nth: Position, how: Withdrawal) {
        self.history[nth].withdrawn = Some(how);
        self.revisions.push(Revision { of: nth, moment: self.moment, is_content: false });
        self.moment += 1;
    }

    /// Brings new publications and revisions into the user's inbox, by the subscriptions and preferences of now. Each comes
    /// as it is now.
    pub fn pull(&mut self, id: &str) {
        let user = self.users.get_mut(id).unwrap();
        let entry = |published: &Published| Entry {
            auto: published.kind.is_auto(&self.auto_actions),
            revised: published.revised,
            read: published.withdrawn == Some(Withdrawal::Clear),
            closed: published.closed,
            since: [self.clock, Stamp::ZERO],
            ..Entry::default()
        };
        for Revision { of, moment, is_content } in self.revisions.iter().skip(user.considered_revisions) {
            let published = &self.history[*of];
            let is_entitled = *is_content && user.would_get(id, published, *moment, &self.off_by_default);
            match (user.inbox.get_mut(of), published.withdrawn) {
                (Some(known), Some(Withdrawal::Delete)) => known.deleted = true,
                (Some(known), _) if known.deleted && !is_entitled => {}
                (Some(known), withdrawn) => {
                    if *is_content && known.revised != published.revised {
                        let is_message = matches!(
                            published.kind,
                            PublicationKind::Direct { .. } | PublicationKind::Group { .. }
                        );
                        if is_message {
                            (known.archived, known.revised) = (false, published.revised);
                        } else {
                            let (seen, snoozed) = (known.seen, known.snoozed);
                            let kept = if known.deleted { (false, None) } else { (seen, snoozed) };
                            let marked = known.marked;
                            *known = Entry { seen: kept.0, snoozed: kept.1, marked, ..entry(published) };
                        }
                    }
                    known.closed = published.closed;
                    if withdrawn == Some(Withdrawal::Clear) && !known.read {
                        (known.read, known.since[0]) = (true, self.clock);
                    }
                }
                (None, withdrawn) if is_entitled && withdrawn != Some(Withdrawal::Delete) => {
                    user.inbox.insert(*of, entry(published));
                }
                (None, _) => {}
            }
        }
        for (nth, published) in self.history.iter().enumerate().skip(user.considered) {
            let delivered = match &published.kind {
                PublicationKind::Announcement { .. } => nth >= user.since,
                PublicationKind::Reminder { .. } => {
                    user.would_get(id, published, published.moment, &self.off_by_default)
                }
                PublicationKind::Group { from, members, .. } => from != id && members.contains(id),
                PublicationKind::Direct { .. } => false,
            };
            if delivered && published.withdrawn != Some(Withdrawal::Delete) {
                user.inbox.entry(nth).or_insert_with(|| entry(published));
            }
        }
        (user.considered, user.considered_revisions) = (self.history.len(), self.revisions.len());
    }

    /// Subscribes a user to actions on a target from now on; an existing subscription keeps its start.
    pub fn subscribe(&mut self, id: &str, target: &str, actions: &[&str]) {
        let now = self.moment;
        for action in actions {
            let key = (target.to_owned(), (*action).to_owned());
            self.user(id).subscriptions.entry(key).or_insert(now);
        }
    }

    /// Ends the subscription to one action on a target, or to all actions on it.
    pub fn unsubscribe(&mut self, id: &str, target: &str, action: Option<&str>) {
        let ended = |key: &(String, String)| key.0 == target && action.is_none_or(|action| action == key.1);
        self.user(id).subscriptions.retain(|key, _| !ended(key));
    }

    /// Follows an actor from now on.
    pub fn follow(&mut self, id: &str, actor: &str) {
        let now = self.moment;
        self.user(id).follows.entry(actor.to_owned()).or_insert(now);
    }

    /// Whether the user receives reminders of an action at all, by preference or by the action's default.
    pub fn receives(&self, id: &str, action: &str) -> bool {
        self.users[id].receives(action, &self.off_by_default)
    }

    /// The kind of a publication.
    pub fn kind(&self, nth: Position) -> Kind {
        match self.history[nth].kind {
            PublicationKind::Announcement { .. } => Kind::Announcement,
            PublicationKind::Reminder { .. } => Kind::Reminder,
            PublicationKind::Direct { .. } | PublicationKind::Group { .. } => Kind::Message,
        }
    }

    /// Whether a publication is of auto class, read by visiting its view.
    pub fn auto(&self, nth: Position) -> bool {
        self.history[nth].kind.is_auto(&self.auto_actions)
    }

    /// Whether the user is the publication's own sender.
    pub fn own(&self, id: &str, nth: Position) -> bool {
        match &self.history[nth].kind {
            PublicationKind::Direct { from, .. } | PublicationKind::Group { from, .. } => from == id,
            PublicationKind::Announcement { by } => by == id,
            PublicationKind::Reminder { .. } => false,
        }
    }

    /// The conversation to which a message belongs for a user; `None` for other kinds.
    pub fn conversation(&self, id: &str, nth: Position) -> Option<String> {
        match &self.history[nth].kind {
            PublicationKind::Direct { from, to } => {
                Some(format!("user:{}", if from == id { to } else { from }))
            }
            PublicationKind::Group { gid, .. } => Some(format!("group:{gid}")),
            _ => None,
        }
    }

    /// The view to which a publication belongs for a user, as `kind/id`.
    pub fn view(&self, id: &str, nth: Position) -> String {
        match &self.history[nth].kind {
            PublicationKind::Announcement { .. } => "announcements/all".to_owned(),
            PublicationKind::Reminder { target, .. } => format!("target/{target}"),
            _ => format!("conversation/{}", self.conversation(id, nth).unwrap()),
        }
    }

    /// The thread to which a publication belongs for a user.
    pub fn thread(&self, id: &str, nth: Position) -> String {
        match &self.history[nth].kind {
            PublicationKind::Announcement { .. } => "announcements".to_owned(),
            PublicationKind::Reminder { target, action, .. } => format!("{target}#{action}"),
            _ => self.conversation(id, nth).unwrap(),
        }
    }
}

impl User {
    fn receives(&self, action: &str, off_by_default: &BTreeSet<String>) -> bool {
        self.preferences.get(action).copied().unwrap_or_else(|| !off_by_default.contains(action))
    }

    /// Whether a reminder that is published or revised at a moment comes to the user.
    fn would_get(
        &self,
        id: &str,
        published: &Published,
        at: Moment,
        off_by_default: &BTreeSet<String>,
    ) -> bool {
        let PublicationKind::Reminder { actor, action, target } = &published.kind else { return false };
        let subscribed = self.subscriptions.get(&(target.clone(), action.clone()));
        let mut since = subscribed.into_iter().chain(self.follows.get(actor));
        actor != id && self.receives(action, off_by_default) && since.any(|since| *since <= at)
    }
}
