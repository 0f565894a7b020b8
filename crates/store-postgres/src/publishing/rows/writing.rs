//! The statements that write the rows of publications.

use tidings_model::Stamp;
use tidings_store::Error;

use super::Rows;
use crate::answers;
use crate::publishing::revision;
use crate::publishing::statements::{
    ASK_AGAIN, ATTACHED, CANCEL, CONVERSATIONS, EXPIRE_OF, FILE_BYTES, FILES, GROUP_MESSAGES, INBOXES, ITEMS,
    MESSAGES, NOTIFICATIONS, QUESTIONS, REVISION_IDS, REVISIONS, SEQUENCES, SUBSCRIPTIONS, USED,
};
use crate::session::{Value, Values};
use crate::tx::WriteTx;

impl Rows {
    /// Writes the rows; if a publication that is revised was deleted meanwhile, everything is to be done again.
    pub(in crate::publishing) async fn flush(&mut self, tx: &WriteTx<'_>) -> Result<(), Error> {
        if self.has_revisions() {
            let (created_at, contents, stamps) = &self.revisions;
            let revised = tx.query(REVISIONS, &[created_at, contents, stamps, &revision::CONTENT]).await?;
            if revised.len() != created_at.len() {
                return Err(Error::interrupted("a publication was deleted while it was revised"));
            }
            tx.execute(REVISION_IDS, &[stamps, created_at]).await?;
            let (created_at, due, questions, stamps) = &self.asked;
            if !created_at.is_empty() {
                tx.execute(ASK_AGAIN, &[created_at, due, questions, &self.answers.now, stamps]).await?;
            }
        }
        let now = Stamp::from_micros(self.answers.now);
        let statements = self.statements();
        let statements: Vec<(&str, Values<'_>)> =
            statements.iter().map(|(sql, v)| (*sql, v.as_slice())).collect();
        tx.pipeline(&statements).await?;
        *self = Self::at(now);
        Ok(())
    }

    /// Writes the rows and commits.
    pub(in crate::publishing) async fn commit(&self, tx: &mut WriteTx<'_>) -> Result<(), Error> {
        let statements = self.statements();
        let statements: Vec<(&str, Values<'_>)> =
            statements.iter().map(|(sql, v)| (*sql, v.as_slice())).collect();
        tx.commit_after(&statements).await
    }

    /// The statements that write the rows, except revisions.
    fn statements(&self) -> Vec<(&'static str, Vec<&dyn Value>)> {
        let mut all: Vec<(bool, &'static str, Vec<&dyn Value>)> = Vec::new();
        let (targets, names, publishers) = &self.cancelled;
        all.push((!targets.is_empty(), CANCEL, vec![targets, names, publishers]));
        all.push((!self.revised.is_empty(), EXPIRE_OF, vec![&self.revised]));
        let (users, kinds, ids, actions, stamps) = &self.subscriptions;
        all.push((!users.is_empty(), SUBSCRIPTIONS, vec![users, kinds, ids, actions, stamps]));
        let n = &self.notifications;
        let columns: Vec<&dyn Value> = vec![
            &n.created_at,
            &n.msgid,
            &n.kind,
            &n.actor_id,
            &n.actor_name,
            &n.action,
            &n.target_type,
            &n.target_id,
            &n.target_details,
            &n.content,
            &n.publisher,
        ];
        all.push((!n.msgid.is_empty(), NOTIFICATIONS, columns));
        let (created_at, due) = &self.questions;
        all.push((!due.is_empty(), QUESTIONS, vec![created_at, due]));
        let (topics, names, publishers, stamps) = &self.sequences;
        all.push((!topics.is_empty(), SEQUENCES, vec![topics, names, publishers, stamps]));
        let f = &self.files;
        let columns: Vec<&dyn Value> = vec![
            &f.name,
            &f.msgid,
            &f.uploader,
            &f.file_name,
            &f.media_type,
            &f.bytes,
            &f.published_at,
            &f.expires_at,
        ];
        all.push((!f.name.is_empty(), FILES, columns));
        all.push((!f.name.is_empty(), FILE_BYTES, vec![&self.file_bytes]));
        let (names, msgids, stamps) = &self.attached;
        all.push((!names.is_empty(), ATTACHED, vec![names, msgids, stamps]));
        let (stamps, groups, senders, members) = &self.group_messages;
        all.push((!stamps.is_empty(), GROUP_MESSAGES, vec![stamps, groups, senders, members]));
        let (users, stamps, views, own) = &self.items;
        all.push((!users.is_empty(), ITEMS, vec![users, stamps, views, own]));
        all.push((!users.is_empty(), CONVERSATIONS, vec![users, stamps, views]));
        all.push((!users.is_empty(), INBOXES, vec![users, stamps]));
        let (numbers, users, applications, stamps) = &self.messages;
        all.push((!numbers.is_empty(), MESSAGES, vec![numbers, users, applications, stamps]));
        let a = &self.answers;
        all.push((!self.used.is_empty(), USED, vec![&self.used, &a.now]));
        all.push((
            !a.key.is_empty(),
            answers::KEEP,
            vec![&a.token, &a.key, &a.now, &a.status, &a.body, &a.salt],
        ));
        all.into_iter().filter(|(any, ..)| *any).map(|(_, sql, values)| (sql, values)).collect()
    }
}
