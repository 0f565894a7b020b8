//! The model of the rules, without a database: who has what after a pull, and what of it is unread.

use std::collections::{BTreeMap, BTreeSet};

use tidings_model::{Kind, MsgId, Stamp, View};

/// What was published, as the model remembers it.
pub(super) struct Published {
    pub(super) msgid: MsgId,
    pub(super) stamp: Stamp,
    pub(super) at: usize,
    /// When it was last revised: as a stamp, and as a step.
    pub(super) revised: Option<(Stamp, usize)>,
    pub(super) what: What,
}

pub(super) enum What {
    Announcement { by: usize },
    Reminder { actor: usize, action: usize, target: usize },
}

/// One item of an inbox.
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) view: View,
    pub(super) created: Stamp,
    pub(super) revised: Option<Stamp>,
    pub(super) auto: bool,
    own: bool,
    read: bool,
    pub(super) archived: bool,
    snoozed: Option<Stamp>,
    pub(super) deleted: bool,
}

impl Entry {
    pub(super) fn new(kind: Kind, view: View, created: Stamp, own: bool) -> Self {
        Self {
            kind,
            view,
            created,
            revised: None,
            auto: kind != Kind::Reminder,
            own,
            read: false,
            archived: false,
            snoozed: None,
            deleted: false,
        }
    }

    fn content(&self) -> Stamp {
        self.revised.unwrap_or(self.created)
    }
}

/// One user's inbox.
#[derive(Default)]
pub(super) struct Inbox {
    pub(super) items: BTreeMap<MsgId, Entry>,
    marks: BTreeMap<View, Stamp>,
    pulled_to: usize,
}

impl Inbox {
    pub(super) fn is_read(&self, entry: &Entry) -> bool {
        let mark = self.marks.get(&entry.view);
        entry.read || (entry.auto && mark.is_some_and(|mark| *mark >= entry.content()))
    }

    pub(super) fn is_unread(&self, entry: &Entry, now: Stamp) -> bool {
        let asleep = entry.snoozed.is_some_and(|until| until > now);
        !(entry.own || entry.deleted || entry.archived || asleep || self.is_read(entry))
    }

    pub(super) fn unread(&self, now: Stamp, of: impl Fn(&Entry) -> bool) -> u64 {
        self.items.values().filter(|e| of(e) && self.is_unread(e, now)).count() as u64
    }

    pub(super) fn forward(&mut self, view: &View, to: Stamp) {
        let mark = self.marks.entry(view.clone()).or_insert(to);
        *mark = to.max(*mark);
    }

    /// Looks at an item's view, up to the item or to a time.
    pub(super) fn visit(&mut self, msgid: &MsgId, to: Option<Stamp>) {
        let entry = &self.items[msgid];
        let (view, to) = (entry.view.clone(), to.unwrap_or(entry.content()));
        self.forward(&view, to);
    }

    pub(super) fn read_all(&mut self, to: Stamp) {
        let counts = |inbox: &Self, e: &Entry| !(e.own || e.deleted || inbox.is_read(e));
        let unread: Vec<MsgId> =
            self.items.iter().filter(|(_, e)| counts(self, e)).map(|(id, _)| id.clone()).collect();
        for msgid in unread {
            let entry = self.items.get_mut(&msgid).unwrap();
            if entry.auto {
                let view = entry.view.clone();
                self.forward(&view, to);
            } else {
                entry.read = true;
            }
        }
    }

    /// What one of the operations by name does: see `World::mark` for their numbers.
    pub(super) fn mark(&mut self, msgid: &MsgId, how: u8, until: Stamp) {
        let entry = &self.items[msgid];
        if entry.deleted {
            return;
        }
        let (auto, view, created, content) = (entry.auto, entry.view.clone(), entry.created, entry.content());
        let read = self.is_read(entry);
        match how {
            0 if auto => self.forward(&view, content),
            1 if auto && read => {
                let mark = self.marks.entry(view).or_insert(created);
                *mark = created.plus_micros(-1).min(*mark);
            }
            _ => {
                let entry = self.items.get_mut(msgid).unwrap();
                match how {
                    0 => entry.read = true,
                    1 => entry.read &= auto,
                    3 => entry.archived = true,
                    4 => entry.archived = false,
                    5 => entry.snoozed = Some(until),
                    6 => entry.snoozed = None,
                    7 => entry.deleted = true,
                    _ => {}
                }
            }
        }
    }
}

/// Who has what, and why.
#[derive(Default)]
pub(super) struct Rules {
    /// Steps count as time.
    pub(super) now: usize,
    pub(super) published: Vec<Published>,
    pub(super) subscriptions: BTreeMap<(usize, usize, usize), usize>,
    pub(super) follows: BTreeMap<(usize, usize), usize>,
    pub(super) unwanted: BTreeSet<(usize, usize)>,
    pub(super) members: BTreeSet<usize>,
    /// Actions of auto class.
    pub(super) auto: BTreeSet<usize>,
    pub(super) inboxes: [Inbox; 3],
}

impl Rules {
    pub(super) fn pull(&mut self, user: usize) {
        let passed = self.inboxes[user].pulled_to;
        for p in &self.published {
            if p.at > passed {
                if let Some(entry) = self.new_entry(user, p) {
                    self.inboxes[user].items.insert(p.msgid.clone(), entry);
                }
            } else if let Some((stamp, at)) = p.revised
                && at > passed
                && let What::Reminder { action, .. } = p.what
                && let Some(entry) = self.inboxes[user].items.get_mut(&p.msgid)
            {
                *entry = Entry {
                    auto: self.auto.contains(&action),
                    revised: Some(stamp),
                    ..Entry::new(entry.kind, entry.view.clone(), entry.created, entry.own)
                };
            }
        }
        self.inboxes[user].pulled_to = self.now;
    }

    /// What comes into an inbox with a pull; none where it does not reach the user.
    fn new_entry(&self, user: usize, p: &Published) -> Option<Entry> {
        match p.what {
            What::Announcement { by } => {
                Some(Entry::new(Kind::Announcement, View::Announcements, p.stamp, by == user))
            }
            What::Reminder { actor, action, target } => {
                let since = self.subscriptions.get(&(user, target, action));
                let followed = self.follows.get(&(user, actor));
                let all_recipients = actor != user
                    && !self.unwanted.contains(&(user, action))
                    && [since, followed].into_iter().flatten().any(|from| *from < p.at);
                let view = View::Target(format!("article:{}", super::steps::TARGETS[target]));
                all_recipients.then(|| Entry {
                    auto: self.auto.contains(&action),
                    revised: p.revised.map(|(stamp, _)| stamp),
                    ..Entry::new(Kind::Reminder, view, p.stamp, false)
                })
            }
        }
    }
}
