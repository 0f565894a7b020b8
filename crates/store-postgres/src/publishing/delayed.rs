//! Delayed publications: kept until they are due, and delivered by whichever process comes first.

use std::collections::HashSet;

use tidings_model::{Code, MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::{Draft, Post};
use tidings_store::domain::msgid;
use tidings_store::domain::posted_by::PostedBy;
use tidings_store::page::{ListPage, PageBuilder};
use tidings_store::schedule_limit::{BY_PUBLISHER, BY_TARGET};
use tidings_store::written::push_waiting;
use tidings_store::{Error, Idempotency, ListQuery, Outcome, traces};

use super::batch;
use super::files::{self, Room};
use super::names;
use super::questions;
use super::request::name_of;
use super::request::{PostAnswer, Request};
use super::statements::{CANCEL, EXPIRE_OF};
use super::{sequence_lock, topic_target};
use crate::PostgresStore;
use crate::answers;
use crate::clock::now_micros;
use crate::session::{Columns, rows};
use crate::tx::{WriteTx, in_transaction, in_turn, reading};

/// Bytes of the publications that are delivered in one transaction, if there is more than one: it holds the log while their
/// rows are made.
const PORTION_BYTES: usize = 4 * 1024 * 1024;

/// Stores a publication for later delivery; `rate_limited` if too many wait for its topic or from its publisher.
pub(super) async fn schedule(
    store: &PostgresStore,
    draft: Draft,
    deliver_at: Stamp,
    idempotency: Option<Idempotency<MsgId>>,
) -> Result<Outcome<MsgId>, Error> {
    let publisher = draft.posted_by.user;
    let waiting = Delayed::new(draft, deliver_at);
    // They would wait for each other in the database, each with a connection.
    let schedule = async {
        in_transaction!(store, |tx| {
            let locks = waiting.locks(idempotency.as_ref());
            tx.lock_names(&locks.iter().map(Vec::as_slice).collect::<Vec<_>>()).await?;
            if let Some(Idempotency { token, key, .. }) = &idempotency
                && let Some(answer) = answers::get(tx, tx.clock(), token, key).await?
            {
                return Ok(Outcome::Replayed(answer));
            }
            let msgid = waiting.insert(tx).await?;
            tx.keep_answer(idempotency.as_ref(), &msgid).await?;
            Ok(Outcome::Done(msgid))
        })
    };
    in_turn(&store.schedule_turns, publisher.unwrap_or(UserKey(0)), schedule).await
}

/// A publication to be delivered later.
struct Delayed {
    draft: Draft,
    publisher: i64,
    /// The same as text, which is locked.
    publisher_name: String,
    /// `<type>:<id>`; empty for none.
    target: String,
    sequence: String,
    deliver_at: Stamp,
}

impl Delayed {
    fn new(draft: Draft, deliver_at: Stamp) -> Self {
        let publisher = draft.posted_by.key();
        let target = draft.target.as_ref().map_or_else(String::new, |t| format!("{}:{}", t.kind, t.id));
        let sequence = draft.sequence.clone().unwrap_or_default();
        Self { draft, publisher, publisher_name: publisher.to_string(), target, sequence, deliver_at }
    }

    /// The names that are locked: those whose waiting publications are counted, that of the replaced publication, and
    /// the key.
    fn locks<'l, T>(&'l self, idempotency: Option<&'l Idempotency<T>>) -> Vec<Vec<&'l str>> {
        let mut locks = vec![vec!["scheduled by", self.publisher_name.as_str()]];
        if !self.target.is_empty() {
            locks.push(vec!["scheduled for", self.target.as_str()]);
        }
        locks.extend(name_of(&self.draft).map(|(topic, name)| sequence_lock(topic, name).to_vec()));
        locks.extend(idempotency.map(|i| answers::lock_name(&i.token, &i.key).to_vec()));
        locks
    }

    async fn insert(&self, tx: &mut WriteTx<'_>) -> Result<MsgId, Error> {
        let by = self.draft.posted_by;
        if let Some((topic, name)) = name_of(&self.draft)
            && let Some(found) = names::find(tx, topic, name, by, by.changes_others).await?
        {
            tx.execute(CANCEL, &[&vec![topic_target(topic)], &vec![name], &vec![found.publisher]]).await?;
        }
        // All msgids have the same length.
        let bytes = self.text(&msgid::mint(tx.now))?.len();
        if !self.target.is_empty() {
            BY_TARGET.check(&tx.query_one(BY_TARGET.usage, &[&self.target]).await?, bytes)?;
        }
        BY_PUBLISHER.check(&tx.query_one(BY_PUBLISHER.usage, &[&self.publisher]).await?, bytes)?;
        if let Some(file) = &self.draft.file {
            Room::lock(tx, &[], &[file.uploader.map_or(0, |user| user.0)]).await?.take(file)?;
        }
        let msgid = msgid::mint(tx.creation_stamp().await?);
        let sql = "INSERT INTO scheduled (msgid, deliver_at, draft, publisher, target, sequence, bytes, changes_others)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let (text, deliver_at) = (self.text(&msgid)?, self.deliver_at.as_micros());
        tx.execute(
            sql,
            &[
                &msgid.as_str(),
                &deliver_at,
                &text,
                &self.publisher,
                &self.target,
                &self.sequence,
                &rows(bytes),
                &by.changes_others,
            ],
        )
        .await?;
        if let Some(file) = &self.draft.file {
            files::insert_waiting(tx, file, &msgid, self.deliver_at).await?;
        }
        Ok(msgid)
    }

    /// The draft as it is kept, with the msgid that its delivery will have.
    fn text(&self, msgid: &MsgId) -> Result<String, Error> {
        let draft = Draft { msgid: Some(msgid.clone()), ..self.draft.clone() };
        Ok(serde_json::to_string(&draft)?)
    }
}

/// When the next publication is due, when the next question's time is over, and the database's clock.
const NEXT_DUE: &str = concat!(
    "SELECT (SELECT min(deliver_at) FROM scheduled), (SELECT min(due) FROM open_questions), ",
    now_micros!()
);

/// What is due next.
struct NextDue {
    publication: Option<Stamp>,
    question: Option<Stamp>,
    now: Stamp,
}

impl NextDue {
    async fn read(store: &PostgresStore) -> Result<Self, Error> {
        let row = reading!(store, |s| s.query_one(NEXT_DUE, &[]).await)?;
        Ok(Self { publication: row.time(0)?, question: row.time(1)?, now: store.clock.read(row.at(2)?) })
    }

    fn is_over(&self, at: Option<Stamp>) -> bool {
        at.is_some_and(|at| at <= self.now)
    }

    fn next(&self) -> Option<Stamp> {
        self.publication.into_iter().chain(self.question).min()
    }
}

/// Ends a portion of the questions whose time is over, and delivers one of the publications that are due, in the order
/// of their times. One that can't be delivered any more is dropped. Those that another process delivers at the moment
/// are left to it.
pub(super) async fn deliver_due(store: &PostgresStore) -> Result<(Vec<Post>, Option<Stamp>), Error> {
    let mut posts = std::mem::take(&mut *store.ended.lock());
    let next = NextDue::read(store).await?;
    if next.is_over(next.question) {
        posts.extend(questions::expire_due(store).await?);
    } else if !posts.is_empty() || !next.is_over(next.publication) {
        return Ok((posts, next.next()));
    }
    if next.is_over(next.publication) {
        let portion =
            async { in_transaction!(store, |tx| deliver_portion(tx, store.bounds.delivered).await) };
        posts.extend(traces::of_delivery(portion, Vec::len).await?);
    }
    Ok((posts, NextDue::read(store).await?.next()))
}

/// The publications that are due at `$1`, the first of them.
const DUE: &str = "SELECT msgid, target, sequence, bytes FROM scheduled WHERE deliver_at <= $1 ORDER BY deliver_at, msgid LIMIT $2";

/// Takes those of the publications `$1` that nobody else is delivering.
const TAKE: &str = "WITH taken AS (DELETE FROM scheduled WHERE msgid IN (
        SELECT msgid FROM scheduled WHERE msgid = ANY($1) FOR UPDATE SKIP LOCKED)
        RETURNING msgid, deliver_at, draft, publisher, changes_others)
    SELECT msgid, draft, publisher, changes_others FROM taken ORDER BY deliver_at, msgid";

async fn deliver_portion(tx: &mut WriteTx<'_>, most: usize) -> Result<Vec<Post>, Error> {
    let due = tx.query(DUE, &[&tx.now.as_micros(), &rows(most)]).await?;
    let (mut msgids, mut names, mut bytes) = (Vec::new(), HashSet::new(), 0);
    for row in &due {
        bytes += row.count(3)?;
        if bytes > PORTION_BYTES && !msgids.is_empty() {
            break;
        }
        let (msgid, target, sequence): (String, String, String) = (row.at(0)?, row.at(1)?, row.at(2)?);
        let topic = target.split_once(':').map_or("", |(_, id)| id).to_owned();
        // One that would replace another of these waits for the next portion.
        if !sequence.is_empty() && !names.insert((topic, sequence)) {
            break;
        }
        msgids.push(msgid);
    }
    // Names come before every other lock, the rows of waiting publications included.
    let locks: Vec<[&str; 3]> = names.iter().map(|(topic, name)| sequence_lock(topic, name)).collect();
    let locks: Vec<&[&str]> = locks.iter().map(<[&str; 3]>::as_slice).collect();
    tx.lock_names(&locks).await?;
    let (mut requests, mut taken, mut undeliverable) = (Vec::new(), Vec::new(), Vec::new());
    for row in tx.query(TAKE, &[&msgids]).await? {
        let (msgid, draft): (String, &str) = (row.at(0)?, row.at(1)?);
        // One that can't be read, of another version or from a damaged copy, does not block those after it.
        match serde_json::from_str::<Draft>(draft) {
            Ok(draft) => {
                let posted_by = PostedBy::stored(row.at(2)?, row.at(3)?);
                let drafts = vec![Draft { posted_by, ..draft }];
                requests.push(Request { drafts, message: None, key: None });
                taken.push(msgid);
            }
            Err(_) => undeliverable.push((msgid, Code::Invalid)),
        }
    }
    let mut posts = Vec::new();
    let answers = batch::execute(tx, "", &requests, false).await?.answers();
    for (answer, msgid) in answers.into_iter().zip(taken) {
        match answer {
            Ok(PostAnswer::Done(published)) => posts.extend(published.posts),
            Ok(PostAnswer::Replayed(_)) => {}
            Err(Error::Refused(problem)) => undeliverable.push((msgid, problem.code)),
            Err(e) => return Err(e),
        }
    }
    for (msgid, code) in &undeliverable {
        tracing::warn!(msgid, code = code.as_str(), "a scheduled publication is undeliverable");
    }
    let expired: Vec<String> = undeliverable.into_iter().map(|(msgid, _)| msgid).collect();
    if !expired.is_empty() {
        tx.execute(EXPIRE_OF, &[&expired]).await?;
    }
    Ok(posts)
}

/// What these publishers let wait for a topic, the first to be delivered first: msgid, time of delivery, and the draft.
pub(super) async fn scheduled_on(
    store: &PostgresStore,
    topic: &str,
    publishers: &[Option<UserKey>],
) -> Result<Vec<(MsgId, Stamp, Draft)>, Error> {
    let sql = "SELECT msgid, deliver_at, draft FROM scheduled WHERE target = $1 AND publisher = ANY($2)
        ORDER BY deliver_at, msgid";
    let publishers: Vec<i64> =
        publishers.iter().map(|user| PostedBy { user: *user, ..PostedBy::default() }.key()).collect();
    let found = reading!(store, |s| s.query(sql, &[&topic_target(topic), &publishers]).await)?;
    let mut waiting = Vec::new();
    for row in &found {
        // One that can't be read is dropped when it is due.
        if let Ok(draft) = serde_json::from_str(row.at(2)?) {
            waiting.push((MsgId(row.at(0)?), row.stamp(1)?, draft));
        }
    }
    Ok(waiting)
}

/// What the publisher `$1` lets wait after the msgid `$2`, at most `$3`.
const WAITING_OF: &str = "SELECT deliver_at, draft FROM scheduled WHERE publisher = $1 AND msgid > $2
    ORDER BY msgid LIMIT $3";

/// A page of what a publisher lets wait, by msgid.
pub(super) async fn scheduled_by(
    store: &PostgresStore,
    publisher: UserKey,
    page: ListQuery,
) -> Result<ListPage, Error> {
    let after = page.after.as_deref().unwrap_or_default();
    let found = reading!(store, |s| s.query(WAITING_OF, &[&publisher.0, &after, &rows(page.limit)]).await)?;
    let mut waiting = PageBuilder::new(page.limit);
    for row in &found {
        if !push_waiting(&mut waiting, row.stamp(0)?, row.at(1)?)? {
            break;
        }
    }
    Ok(ListPage(waiting.into_elements()))
}
