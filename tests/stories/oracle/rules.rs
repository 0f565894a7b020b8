//! The rules of who gets what, plainly: lists and maps in memory, and time as the number of publications so far.
//! Refuses SQL, stamps and everything clever: whoever reads it must see that it is what the protocol says.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tidings_model::{Kind, Stamp};

/// A publication's place in the history; also a moment: that before the publication of this number.
pub(crate) type Nth = usize;

/// What was published.
#[derive(Debug, Clone)]
pub(crate) enum What {
    Announcement,
    Reminder { actor: String, action: String, target: String },
    Direct { from: String, to: String },
    Group { gid: String, from: String, members: BTreeSet<String> },
}

#[derive(Debug, Clone)]
pub(crate) struct Published {
    pub(crate) msgid: String,
    pub(crate) stamp: Stamp,
    pub(crate) body: String,
    pub(crate) what: What,
}

/// One item of an inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) seen: bool,
    /// Marked by itself; of auto class the view's mark says it.
    pub(crate) read: bool,
    pub(crate) archived: bool,
    pub(crate) snoozed: Option<Stamp>,
    pub(crate) deleted: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    /// Existed from here on.
    since: Nth,
    /// Everything before was considered.
    considered: Nth,
    /// Target and action, and from when it counts.
    pub(crate) subscriptions: BTreeMap<(String, String), Nth>,
    pub(crate) follows: BTreeMap<String, Nth>,
    pub(crate) preferences: BTreeMap<String, bool>,
    pub(crate) inbox: BTreeMap<Nth, Entry>,
    /// By view: everything before is read.
    pub(crate) marks: BTreeMap<String, Nth>,
}

/// One member read one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    pub(crate) message: Nth,
    pub(crate) reader: String,
    /// Its sender has not acknowledged it.
    pub(crate) waits: bool,
}

/// The whole world, as the rules have it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    pub(crate) history: Vec<Published>,
    by_msgid: HashMap<String, Nth>,
    pub(crate) users: BTreeMap<String, User>,
    pub(crate) groups: BTreeMap<String, BTreeSet<String>>,
    /// In the order in which they were made.
    pub(crate) receipts: Vec<Receipt>,
    pub(crate) read_by: BTreeSet<(Nth, String)>,
}

/// The actions that take part; `share` is read by looking, `assign` is off unless somebody wants it.
pub(crate) const ACTIONS: [&str; 6] = ["comment", "like", "reply", "mention", "share", "assign"];

pub(crate) fn is_auto(action: &str) -> bool {
    action == "share"
}

fn is_on_by_default(action: &str) -> bool {
    action != "assign"
}

/// What a reason subscribes to: the exact one goes before the one for all types.
pub(crate) fn expand(reason: &str) -> &'static [&'static str] {
    match reason {
        "create_product" => &["comment", "share", "assign"],
        _ if reason.starts_with("create_") => &["comment", "like", "reply"],
        _ if reason.starts_with("like_") => &["comment"],
        _ => &["reply", "comment"],
    }
}

impl Rules {
    pub(crate) fn now(&self) -> Nth {
        self.history.len()
    }

    pub(crate) fn add_user(&mut self, id: &str) {
        let now = self.now();
        self.users.insert(id.to_owned(), User { since: now, considered: now, ..User::default() });
    }

    pub(crate) fn user(&mut self, id: &str) -> &mut User {
        self.users.get_mut(id).unwrap()
    }

    pub(crate) fn find(&self, msgid: &str) -> Option<Nth> {
        self.by_msgid.get(msgid).copied()
    }

    pub(crate) fn members(&self, gid: &str) -> BTreeSet<String> {
        self.groups.get(gid).cloned().unwrap_or_default()
    }

    /// Somebody published. Messages between two are in both inboxes at once, one's own in a group in one's own.
    pub(crate) fn publish(&mut self, msgid: &str, stamp: Stamp, body: &str, what: What) {
        let nth = self.now();
        if let Some(last) = self.history.last() {
            assert!(last.stamp < stamp, "stamps grow: {} then {stamp}", last.stamp);
        }
        match &what {
            What::Announcement | What::Reminder { .. } => {}
            What::Direct { from, to } => {
                for one in [from, to] {
                    self.users.get_mut(one).and_then(|user| user.inbox.insert(nth, Entry::default()));
                }
            }
            What::Group { from, .. } => {
                self.user(from).inbox.insert(nth, Entry::default());
            }
        }
        assert!(self.by_msgid.insert(msgid.to_owned(), nth).is_none(), "{msgid} names two publications");
        self.history.push(Published { msgid: msgid.to_owned(), stamp, body: body.to_owned(), what });
    }

    /// Brings in what a user has not been given yet, by what the user wants now.
    pub(crate) fn pull(&mut self, id: &str) {
        let user = self.users.get_mut(id).unwrap();
        for (nth, published) in self.history.iter().enumerate().skip(user.considered) {
            let reached = match &published.what {
                What::Announcement => nth >= user.since,
                What::Reminder { actor, action, target } => {
                    actor != id && user.wants(action) && user.asked_for(nth, actor, action, target)
                }
                What::Group { from, members, .. } => from != id && members.contains(id),
                What::Direct { .. } => false,
            };
            if reached {
                user.inbox.insert(nth, Entry::default());
            }
        }
        user.considered = self.history.len();
    }

    pub(crate) fn subscribe(&mut self, id: &str, target: &str, actions: &[&str]) {
        let now = self.now();
        for action in actions {
            let key = (target.to_owned(), (*action).to_owned());
            self.user(id).subscriptions.entry(key).or_insert(now);
        }
    }

    pub(crate) fn unsubscribe(&mut self, id: &str, target: &str, action: Option<&str>) {
        let gone = |key: &(String, String)| key.0 == target && action.is_none_or(|action| action == key.1);
        self.user(id).subscriptions.retain(|key, _| !gone(key));
    }

    pub(crate) fn follow(&mut self, id: &str, actor: &str) {
        let now = self.now();
        self.user(id).follows.entry(actor.to_owned()).or_insert(now);
    }

    pub(crate) fn kind(&self, nth: Nth) -> Kind {
        match self.history[nth].what {
            What::Announcement => Kind::Announcement,
            What::Reminder { .. } => Kind::Reminder,
            What::Direct { .. } | What::Group { .. } => Kind::Message,
        }
    }

    /// Read by looking at its view.
    pub(crate) fn auto(&self, nth: Nth) -> bool {
        match &self.history[nth].what {
            What::Reminder { action, .. } => is_auto(action),
            _ => true,
        }
    }

    pub(crate) fn own(&self, id: &str, nth: Nth) -> bool {
        match &self.history[nth].what {
            What::Direct { from, .. } | What::Group { from, .. } => from == id,
            // Announcements are the administrator's here.
            What::Announcement => id == "admin",
            What::Reminder { .. } => false,
        }
    }

    /// Where a user has it; none where it is no message.
    pub(crate) fn conversation(&self, id: &str, nth: Nth) -> Option<String> {
        match &self.history[nth].what {
            What::Direct { from, to } => Some(format!("user:{}", if from == id { to } else { from })),
            What::Group { gid, .. } => Some(format!("group:{gid}")),
            _ => None,
        }
    }

    pub(crate) fn view(&self, id: &str, nth: Nth) -> String {
        match &self.history[nth].what {
            What::Announcement => "announcements/all".to_owned(),
            What::Reminder { target, .. } => format!("target/{target}"),
            _ => format!("conversation/{}", self.conversation(id, nth).unwrap()),
        }
    }

    pub(crate) fn thread(&self, id: &str, nth: Nth) -> String {
        match &self.history[nth].what {
            What::Announcement => "announcements".to_owned(),
            What::Reminder { target, action, .. } => format!("{target}#{action}"),
            _ => self.conversation(id, nth).unwrap(),
        }
    }
}

impl User {
    pub(crate) fn wants(&self, action: &str) -> bool {
        self.preferences.get(action).copied().unwrap_or_else(|| is_on_by_default(action))
    }

    fn asked_for(&self, nth: Nth, actor: &str, action: &str, target: &str) -> bool {
        let subscribed = self.subscriptions.get(&(target.to_owned(), action.to_owned()));
        let since = subscribed.into_iter().chain(self.follows.get(actor));
        since.into_iter().any(|since| *since <= nth)
    }
}
