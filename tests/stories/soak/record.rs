//! The acknowledged publications, the items that each reader has pulled, and how the two differ.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

/// Whom a publication is for.
#[derive(Debug, Clone)]
pub(super) enum Audience {
    Everyone,
    Users(Vec<String>),
    /// The members of a group, its sender among them.
    Group(Vec<String>),
    /// Who has subscribed to a target, `<type>:<id>`, before it was created; never its actor.
    Subscribers {
        target: String,
        actor: String,
    },
    /// Who has subscribed to a target; it gets its stamp when it is delivered.
    Later(String),
}

/// A publication that was acknowledged.
#[derive(Debug, Clone)]
pub(super) struct Posted {
    pub(super) msgid: String,
    /// Its stamp; empty if it gets one later.
    pub(super) stamp: String,
    /// Different for each.
    pub(super) body: String,
    pub(super) audience: Audience,
    /// When it was sent first, and when it was acknowledged.
    pub(super) sent: Instant,
    pub(super) acknowledged: Instant,
}

/// An item as a reader has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) created_at: String,
    pub(super) stamp: String,
    pub(super) version: u64,
    pub(super) body: String,
    /// Whether it is read by itself.
    pub(super) is_manual: bool,
    pub(super) is_read: bool,
    pub(super) is_archived: bool,
}

/// What a reader has, by msgid, and since when it has subscribed to which targets.
#[derive(Debug, Default)]
pub(super) struct ReaderRecord {
    pub(super) id: String,
    pub(super) items: HashMap<String, Item>,
    pub(super) subscriptions: BTreeMap<String, String>,
}

impl ReaderRecord {
    fn is_entitled_to(&self, posted: &Posted) -> bool {
        match &posted.audience {
            Audience::Everyone => true,
            Audience::Users(ids) | Audience::Group(ids) => ids.contains(&self.id),
            Audience::Subscribers { target, actor } => {
                *actor != self.id && self.subscriptions.get(target).is_some_and(|since| posted.stamp > *since)
            }
            Audience::Later(target) => self.subscriptions.contains_key(target),
        }
    }
}

/// Everything that came out of a run.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) posted: Vec<Posted>,
    pub(super) readers: Vec<ReaderRecord>,
}

impl Record {
    /// What is not as it must be: a sentence for each, at most fifty.
    pub(super) fn differences(&self) -> Vec<String> {
        let mut found = self.same_stamps();
        found.extend(self.wrong_order());
        let by_msgid: HashMap<&str, &Posted> =
            self.posted.iter().map(|posted| (posted.msgid.as_str(), posted)).collect();
        if by_msgid.len() < self.posted.len() {
            found.push("two publications have one msgid".to_owned());
        }
        for reader in &self.readers {
            found.extend(self.missed_by(reader));
            found.extend(unexpected(reader, &by_msgid));
        }
        found.truncate(50);
        found
    }

    fn stamped(&self) -> impl Iterator<Item = &Posted> {
        self.posted.iter().filter(|posted| !posted.stamp.is_empty())
    }

    fn same_stamps(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let twice = self.stamped().filter(|posted| !seen.insert(posted.stamp.as_str()));
        twice.map(|posted| format!("{posted:?} has the stamp of another one")).collect()
    }

    /// What was acknowledged before something else was sent has the smaller stamp.
    fn wrong_order(&self) -> Vec<String> {
        let mut by_end: Vec<&Posted> = self.stamped().collect();
        let mut by_begin = by_end.clone();
        by_end.sort_by_key(|posted| posted.acknowledged);
        by_begin.sort_by_key(|posted| posted.sent);
        let (mut ended, mut newest, mut found) = (by_end.into_iter().peekable(), "", Vec::new());
        for posted in by_begin {
            while let Some(before) = ended.next_if(|before| before.acknowledged < posted.sent) {
                newest = newest.max(&before.stamp);
            }
            if posted.stamp.as_str() <= newest {
                found.push(format!("{posted:?} was sent after what has the stamp {newest} was acknowledged"));
            }
        }
        found
    }

    fn missed_by(&self, reader: &ReaderRecord) -> Vec<String> {
        let mut found = Vec::new();
        for posted in self.posted.iter().filter(|posted| reader.is_entitled_to(posted)) {
            match reader.items.get(&posted.msgid) {
                None => found.push(format!("lost for {}: {posted:?}", reader.id)),
                Some(item) if item.body != posted.body => {
                    found.push(format!("{} has another text of {posted:?}: {item:?}", reader.id));
                }
                Some(item) if !posted.stamp.is_empty() && item.created_at != posted.stamp => {
                    found.push(format!("{} has another stamp of {posted:?}: {item:?}", reader.id));
                }
                Some(_) => {}
            }
        }
        found
    }
}

/// What a reader has that it should not: twice, for somebody else, or of nobody.
fn unexpected(reader: &ReaderRecord, by_msgid: &HashMap<&str, &Posted>) -> Vec<String> {
    let (mut found, mut bodies) = (Vec::new(), BTreeSet::new());
    for (msgid, item) in &reader.items {
        if !bodies.insert(item.body.as_str()) {
            found.push(format!("twice for {}: {:?}", reader.id, item.body));
        }
        match by_msgid.get(msgid.as_str()) {
            None => found.push(format!("{} has what nobody was told of: {msgid} {item:?}", reader.id)),
            Some(posted) if !reader.is_entitled_to(posted) => {
                found.push(format!("{} has what is not for it: {posted:?}", reader.id));
            }
            Some(_) => {}
        }
    }
    found
}
