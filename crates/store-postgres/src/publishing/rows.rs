//! The rows that publications consist of, gathered for all publications of a transaction and written by one statement for
//! each table.

mod writing;

use std::collections::{BTreeMap, HashMap, HashSet};

use tidings_model::{Content, MsgId, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::Draft;
use tidings_store::domain::limits;
use tidings_store::published::{content_json, target_details};
use tidings_store::{Error, StoredResponse};

use super::facts::{Facts, KnownGroup, SubscriptionKey};
use super::request::{Published, Request};
use super::statements::MESSAGE_NUMBERS;
use super::topic_target;
use crate::redis::counts::UnreadStep;
use crate::session::{Columns, rows as limit};
use crate::tx::WriteTx;

#[derive(Default)]
struct Notifications {
    created_at: Vec<i64>,
    msgid: Vec<String>,
    kind: Vec<i16>,
    actor_id: Vec<String>,
    actor_name: Vec<String>,
    action: Vec<String>,
    target_type: Vec<String>,
    target_id: Vec<String>,
    target_details: Vec<String>,
    content: Vec<String>,
    publisher: Vec<i64>,
}

#[derive(Default)]
struct Files {
    name: Vec<String>,
    msgid: Vec<String>,
    uploader: Vec<i64>,
    file_name: Vec<String>,
    media_type: Vec<String>,
    bytes: Vec<i64>,
    published_at: Vec<i64>,
    expires_at: Vec<i64>,
}

#[derive(Default)]
struct Answered {
    now: i64,
    token: Vec<String>,
    key: Vec<String>,
    status: Vec<i32>,
    body: Vec<Vec<u8>>,
    salt: Vec<String>,
}

/// Users, target types, target ids, actions and stamps.
type SubscriptionColumns = (Vec<i64>, Vec<String>, Vec<String>, Vec<String>, Vec<i64>);

/// The rows of publications, column by column.
#[derive(Default)]
pub(super) struct Rows {
    /// Targets, names and publishers.
    cancelled: (Vec<String>, Vec<String>, Vec<i64>),
    subscriptions: SubscriptionColumns,
    notifications: Notifications,
    /// Creation times of questions, and when the time of each is over.
    questions: (Vec<i64>, Vec<i64>),
    /// Creation times, contents and stamps; the msgids of the same.
    revisions: (Vec<i64>, Vec<String>, Vec<i64>),
    revised: Vec<String>,
    /// Revisions that ask: creation times, when the time of each is over, the questions as JSON, and stamps.
    asked: (Vec<i64>, Vec<i64>, Vec<String>, Vec<i64>),
    /// Topics, names, publishers and creation times.
    sequences: (Vec<String>, Vec<String>, Vec<i64>, Vec<i64>),
    files: Files,
    file_bytes: i64,
    /// Names, msgids and stamps.
    attached: (Vec<String>, Vec<String>, Vec<i64>),
    /// Stamps, groups, senders and members.
    group_messages: (Vec<i64>, Vec<i64>, Vec<i64>, Vec<i64>),
    /// Users, stamps, views, and whether it is their own.
    items: (Vec<i64>, Vec<i64>, Vec<String>, Vec<bool>),
    /// Numbers that were handed out, users, applications and stamps.
    messages: (Vec<i64>, Vec<i64>, Vec<i64>, Vec<i64>),
    used: Vec<i64>,
    answers: Answered,
}

impl Rows {
    /// No rows yet, of a transaction that began at this time.
    pub(super) fn at(now: Stamp) -> Self {
        Self { answers: Answered { now: now.as_micros(), ..Answered::default() }, ..Self::default() }
    }

    /// Counts subscriptions that are to be added. Their inboxes are locked; the log is not yet.
    pub(super) async fn count_subscriptions(
        &self,
        tx: &WriteTx<'_>,
        missing: &HashSet<SubscriptionKey>,
    ) -> Result<(), Error> {
        if missing.is_empty() {
            return Ok(());
        }
        let users: Vec<i64> = missing.iter().map(|(user, ..)| *user).collect();
        let sql = "UPDATE users u SET subscription_count = u.subscription_count + w.n
            FROM (SELECT user_key, count(*) AS n FROM unnest($1) AS w (user_key) GROUP BY user_key) w
            WHERE u.key = w.user_key";
        tx.execute(sql, &[&users]).await?;
        Ok(())
    }

    /// Takes stamps of the log, and numbers for messages of Gotify's API in the same order; gives the first stamp.
    pub(super) async fn take_stamps(
        &mut self,
        tx: &mut WriteTx<'_>,
        count: usize,
        top: Stamp,
        messages: usize,
    ) -> Result<Stamp, Error> {
        let first = tx.creation_stamps(count, top).await?;
        if messages > 0 {
            for row in tx.query(MESSAGE_NUMBERS, &[&limit(messages)]).await? {
                self.messages.0.push(row.at(0)?);
            }
            self.messages.0.sort_unstable();
        }
        Ok(first)
    }

    pub(super) fn subscription(&mut self, (user, kind, id, action): SubscriptionKey, stamp: Stamp) {
        self.subscriptions.0.push(user);
        self.subscriptions.1.push(kind);
        self.subscriptions.2.push(id);
        self.subscriptions.3.push(action);
        self.subscriptions.4.push(stamp.as_micros());
    }

    /// Cancels what waits for a topic under a sequence or a msgid, from a publisher.
    pub(super) fn cancel(&mut self, topic: &str, name: &str, publisher: i64) {
        self.cancelled.0.push(topic_target(topic));
        self.cancelled.1.push(name.to_owned());
        self.cancelled.2.push(publisher);
    }

    pub(super) fn notification(
        &mut self,
        draft: &Draft,
        actor_name: &str,
        msgid: &MsgId,
        stamp: Stamp,
    ) -> Result<(), Error> {
        let target = draft.target.as_ref();
        let n = &mut self.notifications;
        n.created_at.push(stamp.as_micros());
        n.msgid.push(msgid.as_str().to_owned());
        n.kind.push(i16::try_from(draft.kind.as_row()).unwrap_or_default());
        n.actor_id.push(draft.actor.clone());
        n.actor_name.push(actor_name.to_owned());
        n.action.push(draft.action.clone());
        n.target_type.push(target.map_or_else(String::new, |t| t.kind.clone()));
        n.target_id.push(target.map_or_else(String::new, |t| t.id.clone()));
        n.target_details.push(target_details(draft)?);
        n.content.push(content_json(&draft.content)?);
        n.publisher.push(draft.posted_by.key());
        if let Some(due) = draft.content.question.as_ref().and_then(|question| question.expires_at) {
            self.questions.0.push(stamp.as_micros());
            self.questions.1.push(due.as_micros());
        }
        Ok(())
    }

    /// New content of a publication, whose old files expire. It keeps the question that it has, unless that waits no more
    /// and another one is asked: the answer to the earlier one is none to this.
    pub(super) fn revision(
        &mut self,
        created_at: Stamp,
        content: &Content,
        stamp: Stamp,
        msgid: &MsgId,
    ) -> Result<(), Error> {
        self.revisions.0.push(created_at.as_micros());
        self.revisions.1.push(content_json(&Content { question: None, ..content.clone() })?);
        self.revisions.2.push(stamp.as_micros());
        self.revised.push(msgid.as_str().to_owned());
        if let Some(question) = &content.question
            && let Some(due) = question.expires_at
        {
            self.asked.0.push(created_at.as_micros());
            self.asked.1.push(due.as_micros());
            self.asked.2.push(serde_json::to_string(question)?);
            self.asked.3.push(stamp.as_micros());
        }
        Ok(())
    }

    pub(super) fn sequence(&mut self, topic: &str, name: &str, publisher: i64, created_at: Stamp) {
        self.sequences.0.push(topic.to_owned());
        self.sequences.1.push(name.to_owned());
        self.sequences.2.push(publisher);
        self.sequences.3.push(created_at.as_micros());
    }

    /// The file of a publication that is stored now, or was delivered. There is room for it.
    pub(super) fn file(&mut self, draft: &Draft, msgid: &MsgId, stamp: Stamp) {
        let Some(file) = &draft.file else { return };
        if draft.msgid.is_some() {
            // The row of a delayed publication was inserted when it was scheduled.
            self.attached.0.push(file.name.clone());
            self.attached.1.push(msgid.as_str().to_owned());
            self.attached.2.push(stamp.as_micros());
            return;
        }
        let bytes = i64::try_from(file.bytes).unwrap_or(i64::MAX);
        self.file_bytes = self.file_bytes.saturating_add(bytes);
        self.files.name.push(file.name.clone());
        self.files.msgid.push(msgid.as_str().to_owned());
        self.files.uploader.push(file.uploader.map_or(0, |user| user.0));
        self.files.file_name.push(file.file_name.clone());
        self.files.media_type.push(file.media_type.clone());
        self.files.bytes.push(bytes);
        self.files.published_at.push(stamp.as_micros());
        self.files.expires_at.push(file.expires_at.as_micros());
    }

    /// A group message with the number of members whose reading counts.
    pub(super) fn group_message(&mut self, group: &KnownGroup, sender: UserKey, stamp: Stamp) {
        self.group_messages.0.push(stamp.as_micros());
        self.group_messages.1.push(group.key);
        self.group_messages.2.push(sender.0);
        self.group_messages.3.push(group.member_count - 1);
    }

    /// A message in an inbox and in its list of conversations.
    pub(super) fn item(&mut self, user: UserKey, stamp: Stamp, view: String, own: bool) {
        self.items.0.push(user.0);
        self.items.1.push(stamp.as_micros());
        self.items.2.push(view);
        self.items.3.push(own);
    }

    /// What the messages add to unread counts. `inboxes` has the newest stamps of the inboxes, which are locked.
    pub(super) fn unread_steps(&self, inboxes: &HashMap<i64, Stamp>) -> Vec<UnreadStep> {
        let mut steps: BTreeMap<i64, UnreadStep> = BTreeMap::new();
        let (users, stamps, views, own) = &self.items;
        for (((user, stamp), view), own) in users.iter().zip(stamps).zip(views).zip(own) {
            let Some(from) = inboxes.get(user).copied() else { continue };
            let new = || UnreadStep { user: *user, from, to: from, messages: BTreeMap::new() };
            let step = steps.entry(*user).or_insert_with(new);
            step.to = step.to.max(Stamp::from_micros(*stamp));
            if !own {
                *step.messages.entry(view.clone()).or_default() += 1;
            }
        }
        steps.into_values().collect()
    }

    /// A message of Gotify's API, and the use of its application, unless one was recorded a short time ago.
    pub(super) fn message(
        &mut self,
        user: UserKey,
        application: i64,
        stamp: Stamp,
        facts: &Facts,
        now: Stamp,
    ) {
        self.messages.1.push(user.0);
        self.messages.2.push(application);
        self.messages.3.push(stamp.as_micros());
        let last_used = facts.applications.get(&application).map_or(Stamp::ZERO, |(_, at)| *at);
        if last_used < now.plus_secs(-limits::LAST_USED_SECS) {
            self.used.push(application);
        }
    }

    /// The numbers of the messages, in the order of their requests.
    pub(super) fn numbers(&self) -> Vec<i64> {
        self.messages.0.clone()
    }

    /// The response that is kept for the key of a request.
    pub(super) fn keep_answer(&mut self, request: &Request, published: &Published) {
        let Some(key) = &request.key else { return };
        let StoredResponse { status, body, token_salt } = (key.answer)(published);
        self.answers.token.push(key.token.clone());
        self.answers.key.push(key.key.clone());
        self.answers.status.push(i32::from(status));
        self.answers.body.push(body);
        self.answers.salt.push(token_salt);
    }

    pub(super) fn has_revisions(&self) -> bool {
        !self.revisions.0.is_empty()
    }
}
