//! The interface of the server's database. A store has to pass the checks of `conformance`.

mod address;
mod bounds;
#[cfg(test)]
mod conformance;
mod descent;
mod earlier_catalog;
#[cfg(test)]
mod earlier_tables;
mod fields;
mod gotify;
#[cfg(test)]
mod histories;
mod item_row;
pub mod mend_clock;
pub mod migrate;
mod named;
pub(crate) mod page;
pub mod postgres;
mod published;
mod pull_builder;
mod records;
pub(crate) mod request_time;
mod room;
pub mod served;
pub mod sqlite;
mod subscription_builder;
mod topic_events;
mod topics;
pub(crate) mod trace;
mod written;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tidings_model::wire::{AnnouncementReaders, Count, Edited, NotificationEdit, UnreadCounts};
use tidings_model::{Catalog, Clock, MsgId, Question, Stamp, View};

pub use crate::domain::account::{Bearer, NewToken, Token, User, UserKey, WrittenContent};
pub use crate::domain::draft::{Audience, Draft, Post, Recipients};
pub use crate::domain::editor::Editor;
pub use crate::domain::file::{FileUsage, StoredFile};
pub use crate::domain::posted_by::PostedBy;
pub use crate::error::Error;

pub use self::address::StoreAddress;
pub use self::gotify::{
    Application, ApplicationFields, Client, GotifyStore, Image, Message, MessagePage, MessagePageSize,
    MessagePosition, Messages, PostedMessage,
};
pub use self::page::{ItemsPage, JsonElements, ListPage, PullPage};
pub(crate) use self::records::Receipts;
pub use self::records::{
    AffectedSenders, Applied, CacheFigures, ChangedInbox, Changes, Conversation, ConversationQuery,
    Difference, Follow, Group, GroupSummary, Idempotency, InboxQuery, ListQuery, Member, MessageReceipt,
    OldReceipt, Outcome, Reader, Readers, ReceiptPage, RequestedOp, SequenceChange, StoreMeta,
    StoredResponse, Subscription, TargetRef, TopicChange, TopicEvent, TopicPage, Visit,
};
pub use self::topics::{Payload, TopicStore, Watched};
pub use self::written::WrittenPage;

/// The name of the database file in the data folder.
pub(crate) const DATABASE_FILE: &str = "server.db";

/// The database of a server.
///
/// A method is one durable transaction, unless it is said to work in portions: then each portion is one, and repeating
/// an interrupted call finishes it. Stamps are assigned in strictly increasing order, one for each change. Creations
/// have one order for all; changes in an inbox have the order of that inbox. A reader never sees a stamp while a
/// smaller one of its order is not committed. Several processes may use one store if its database allows it.
///
/// Every method fails with [`Error::Store`] if the database fails. It fails with [`Error::Unavailable`] or
/// [`Error::Interrupted`] if the database does not answer, and then nothing was stored. Those that write, except
/// [`Store::fan_in`], fail with [`Error::DiskFull`] if the disk is full, and with [`Error::OutcomeUnknown`] if the
/// database was lost while it stored something.
#[async_trait]
pub trait Store: GotifyStore + TopicStore {
    // ----- users and tokens

    /// Adds a user.
    ///
    /// # Errors
    /// `conflict` if the id is taken, or was that of a user who was removed.
    async fn add_user(
        &self,
        id: &str,
        name: &str,
        idempotency: Option<Idempotency<User>>,
    ) -> Result<Outcome<User>, Error>;
    /// Gives a user another name, which what they publish from now on carries.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn rename_user(&self, id: &str, name: &str) -> Result<User, Error>;
    /// Removes a user at once, with their tokens, inbox and subscriptions. Nothing is sent to them or in their name any
    /// more, and their id is never given to anybody else. [`Store::prune`] deletes most of a large user's rows later,
    /// and what nobody can read any more. If what they wrote is to be deleted, that comes before
    /// ([`Store::to_recall`]).
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn remove_user(&self, id: &str, written: WrittenContent) -> Result<(), Error>;
    /// Whether a removed user has rows that [`Store::prune`] is still to delete.
    async fn removal_pending(&self) -> Result<bool, Error>;
    /// What a user wrote after a time, at most `limit` publications.
    async fn written(
        &self,
        user: UserKey,
        id: &str,
        after: Stamp,
        limit: usize,
    ) -> Result<WrittenPage, Error>;
    /// A removed user and the next of their publications that are to be recalled, at most `limit` of them.
    async fn to_recall(&self, limit: usize) -> Result<Option<(UserKey, WrittenPage)>, Error>;
    /// Records that what a removed user wrote was recalled up to a time, and whether that is all.
    async fn recalled(&self, user: UserKey, through: Stamp, all: bool) -> Result<(), Error>;
    /// The user with this id.
    async fn user(&self, id: &str) -> Result<Option<User>, Error>;
    /// A page of the users, by id.
    async fn users(&self, page: ListQuery) -> Result<ListPage, Error>;
    /// Adds a token to a user.
    ///
    /// # Errors
    /// `not_found` if there is no such user. `unauthorized` if the token that makes it is not valid any more.
    /// `forbidden` if that token is of the last generation that there may be
    /// ([`TOKEN_GENERATIONS`](crate::domain::limits::TOKEN_GENERATIONS)).
    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Token>>,
    ) -> Result<Outcome<Token>, Error>;
    /// A page of the valid tokens of one user, or of all users, the oldest first.
    ///
    /// # Errors
    /// `invalid` if the token named in `after` does not exist any more.
    async fn tokens(&self, user: Option<UserKey>, page: ListQuery) -> Result<ListPage, Error>;
    /// Removes a token and those that descend from it: none of them is valid once the token is gone, and their rows go
    /// in portions. `by` is who revokes it; `None` for a program that administers the server.
    ///
    /// # Errors
    /// `not_found` if there is no such token, or `by` knows of none; `forbidden` if it may not revoke it
    /// ([`Bearer::check_revocation`]).
    async fn revoke(&self, id: &str, by: Option<&Bearer>) -> Result<(), Error>;
    /// Removes the tokens that programs made for themselves; their ids show which these are.
    async fn revoke_program_tokens(&self) -> Result<(), Error>;
    /// The user and the scopes of a valid token, by the hash of its text.
    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error>;
    /// The stored response of a token's key, if it is younger than [`crate::domain::limits::STORED_RESPONSE_HOURS`].
    async fn stored_response(&self, token: &str, key: &str) -> Result<Option<StoredResponse>, Error>;

    // ----- catalog and publishing

    /// The current catalog.
    async fn catalog(&self) -> Result<Arc<Catalog>, Error>;
    /// Replaces the catalog, for items that come from now on.
    async fn set_catalog(&self, catalog: Catalog) -> Result<(), Error>;
    /// Refuses a publication for the reasons for which [`Store::post`] would, as far as they are its audience.
    ///
    /// # Errors
    /// `not_found` if a recipient or a group does not exist, `forbidden` if the sender is not a member of the
    /// group.
    async fn require_deliverable(&self, draft: &Draft) -> Result<(), Error>;
    /// Stores publications, all or none, each at its own stamp.
    ///
    /// # Errors
    /// `not_found` if a recipient or a group does not exist. `forbidden` if the sender is not a member of the group.
    /// `too_large` if there is no room for its file.
    async fn post(
        &self,
        drafts: Vec<Draft>,
        idempotency: Option<Idempotency<Vec<Post>>>,
    ) -> Result<Outcome<Vec<Post>>, Error>;
    /// Stores a publication for later delivery, when it gets its stamps.
    ///
    /// # Errors
    /// `rate_limited` if the topic or the publisher has as many waiting as [`limits`](crate::domain::limits) allow,
    /// `too_large` if there is no room for its file.
    async fn schedule(
        &self,
        draft: Draft,
        deliver_at: Stamp,
        idempotency: Option<Idempotency<MsgId>>,
    ) -> Result<Outcome<MsgId>, Error>;
    /// Delivers publications that are due, and gives the time of the next one.
    async fn deliver_due(&self) -> Result<(Vec<Post>, Option<Stamp>), Error>;
    /// Clears or deletes a publication on a topic, by its sequence or its msgid; `None` if there is none of this
    /// name. Deleting also cancels what waits under it. [`named::Named`] says which one a name means.
    ///
    /// # Errors
    /// `forbidden` if only others have published under this name, and `by` may not change what they published.
    async fn sequence(
        &self,
        topic: &str,
        name: &str,
        change: SequenceChange,
        by: PostedBy,
    ) -> Result<Option<Post>, Error>;
    /// Takes a notification back: its text is erased. It leaves topics, Gotify's lists and its files at once, and each
    /// inbox with its next fan-in, whatever their number. `None` if it was taken back before.
    ///
    /// # Errors
    /// `not_found` if there is none with this msgid that `by` may change.
    async fn recall(&self, msgid: &MsgId, by: &Editor) -> Result<Option<Post>, Error>;
    /// Edits a notification: a revision, unless nothing differs. Its files stay. Gives its present form, and its
    /// revision if there was one. The id of a revision leads to its notification for
    /// [`REVISION_DAYS`](crate::domain::limits::REVISION_DAYS).
    ///
    /// # Errors
    /// `not_found` if there is none with this msgid that `by` may change; `invalid` and `too_large` if it would
    /// exceed the limits of a publication.
    async fn edit(
        &self,
        msgid: &MsgId,
        edit: &NotificationEdit,
        by: &Editor,
    ) -> Result<(Edited, Option<Post>), Error>;

    /// The question of a notification, as it is stored, and the msgid of that; `id` may be that of one of its revisions.
    ///
    /// # Errors
    /// `not_found` if there is none that `by` may change, or if it asks nothing.
    async fn question(&self, id: &MsgId, by: &Editor) -> Result<(MsgId, Question), Error>;

    /// The creation time of an announcement that `by` may change.
    ///
    /// # Errors
    /// `not_found` if there is none with this msgid that `by` may change.
    async fn own_announcement(&self, msgid: &MsgId, by: &Editor) -> Result<Stamp, Error>;
    /// How many users have read an announcement, as far as their inboxes have brought it in. Users count who were there
    /// when it was posted and still are, without who posted it. Its work grows with the number of users.
    async fn announcement_readers(&self, created_at: Stamp) -> Result<AnnouncementReaders, Error>;

    // ----- topics

    /// A page of the events of a topic after a position, in order; it has at most `limit` publications and as many
    /// revisions.
    async fn topic_events(&self, topic: &str, after: Stamp, limit: usize) -> Result<TopicPage, Error>;
    /// The position of the newest publication on a topic that was not deleted.
    async fn topic_latest(&self, topic: &str) -> Result<Option<Stamp>, Error>;
    /// The creation time of a notification.
    async fn created_at(&self, msgid: &MsgId) -> Result<Option<Stamp>, Error>;
    /// What these publishers let wait to be delivered to a topic, the first to be delivered first; `None` stands for the
    /// programs without a token.
    async fn scheduled_on(
        &self,
        topic: &str,
        publishers: &[Option<UserKey>],
    ) -> Result<Vec<(MsgId, Stamp, Draft)>, Error>;

    // ----- uploaded files

    /// The record of an uploaded file, by its name in the folder.
    async fn file(&self, name: &str) -> Result<Option<StoredFile>, Error>;
    /// The size of the files of an uploader, and of all files; `None` for programs without a token.
    async fn file_usage(&self, uploader: Option<UserKey>) -> Result<FileUsage, Error>;
    /// The names of files that are to be deleted, at most `limit`: those of deleted publications and, if `by_age`,
    /// those that have expired with time.
    async fn expired_files(&self, by_age: bool, limit: usize) -> Result<Vec<String>, Error>;
    /// Those of these names that the store knows.
    async fn known_files(&self, names: Vec<String>) -> Result<HashSet<String>, Error>;
    /// The next names after one, at most `limit`, in their order.
    async fn files_after(&self, name: &str, limit: usize) -> Result<Vec<String>, Error>;
    /// Forgets files that are not in the folder any more, at most
    /// [`SHORT_WRITE_ROWS`](crate::domain::limits::SHORT_WRITE_ROWS).
    async fn forget_files(&self, names: Vec<String>) -> Result<(), Error>;

    // ----- subscriptions, follows, preferences

    /// Adds actions to a subscription. Each brings reminders from now on; one that is there already is unchanged.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `invalid` if the user has
    /// [`crate::domain::limits::USER_SUBSCRIPTIONS`].
    async fn subscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        actions: Vec<String>,
        reason: Option<String>,
    ) -> Result<Subscription, Error>;
    /// Removes a subscription, or one action of it. Nothing happens if it is missing.
    async fn unsubscribe(
        &self,
        user: UserKey,
        target: TargetRef,
        action: Option<String>,
    ) -> Result<(), Error>;
    /// A page of a user's subscriptions, by type and id of the target; `after` is `<type>:<id>` of the last one.
    ///
    /// # Errors
    /// `invalid` if `after` is malformed, or if the user has too many target types to search them all for an id.
    async fn subscriptions(
        &self,
        user: UserKey,
        kind: Option<String>,
        id: Option<String>,
        page: ListQuery,
    ) -> Result<ListPage, Error>;
    /// Adds a follow; an existing one is unchanged.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn follow(&self, user: UserKey, actor: &str) -> Result<Follow, Error>;
    /// Removes a follow. Nothing happens if it is missing.
    async fn unfollow(&self, user: UserKey, actor: &str) -> Result<(), Error>;
    /// A page of a user's follows, by the actor's id.
    async fn follows(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error>;
    /// A user's follow of an actor.
    async fn followed(&self, user: UserKey, actor: &str) -> Result<Option<Follow>, Error>;
    /// The preferences that a user has set, without the catalog's defaults.
    async fn preferences(&self, user: UserKey) -> Result<BTreeMap<String, bool>, Error>;
    /// Sets preferences; `None` removes one.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn set_preferences(
        &self,
        user: UserKey,
        changes: BTreeMap<String, Option<bool>>,
    ) -> Result<(), Error>;

    // ----- the inbox

    /// Fan-in: adds to an inbox what announcements, subscriptions, follows and groups have yielded since the last time,
    /// at most one page of it, and what [`Store::tell_deliveries`] has. True while there is more. Writes nothing if there
    /// is nothing to add. A pull names groups that changed after a fan-in only.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn fan_in(&self, user: UserKey) -> Result<bool, Error>;
    /// A page of a pull: items and read marks that are new or changed after a stamp.
    async fn sync(&self, user: UserKey, since: Stamp, limit: usize) -> Result<PullPage, Error>;
    /// Records that group messages have arrived with a user, up to the [`PullPage::delivered_to`] of a page that is handed
    /// out; nothing changes if later ones have. Messages to a large group cost no more: each user has a position.
    async fn set_delivered(&self, user: UserKey, to: Stamp) -> Result<(), Error>;
    /// Gives a sender's own group messages a new version if they have arrived with more members than it says. Every
    /// fan-in does so. It gives true if there were any.
    async fn tell_deliveries(&self, sender: UserKey) -> Result<bool, Error>;
    /// The number of items that are new or changed after a stamp; counting may stop at 100,000.
    async fn changes_after(&self, user: UserKey, since: Stamp) -> Result<u64, Error>;
    /// A page of the inbox, newest first.
    async fn inbox(&self, user: UserKey, query: InboxQuery) -> Result<ItemsPage, Error>;
    /// The unread counts of an inbox, by kind and conversation; counting stops at `cap`.
    async fn unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error>;
    /// Brings in what is due, page by page, and gives the unread counts, which may be of a cache; counting stops at `cap`,
    /// at most [`COUNT_CAP`](crate::domain::limits::COUNT_CAP).
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn fresh_unread(&self, user: UserKey, cap: u64) -> Result<UnreadCounts, Error> {
        while self.fan_in(user).await? {}
        self.unread(user, cap).await
    }
    /// A page of the conversations, latest first.
    async fn conversations(
        &self,
        user: UserKey,
        query: ConversationQuery,
    ) -> Result<Vec<Conversation>, Error>;
    /// A view's read mark and its unread count; counting stops at `cap`.
    async fn view(&self, user: UserKey, view: &View, cap: u64) -> Result<(Option<Stamp>, Count), Error>;
    /// Moves a view's read mark forward, in portions. Gives the mark, the view's unread count and the senders of
    /// messages that became read.
    ///
    /// # Errors
    /// `not_found` if the item of a [`Visit::Item`] is not in the view.
    async fn visit(
        &self,
        user: UserKey,
        view: &View,
        visit: Visit,
        cap: u64,
    ) -> Result<(Stamp, Count, AffectedSenders), Error>;
    /// Applies operations in order, each id once, in portions.
    async fn apply(
        &self,
        user: UserKey,
        ops: Vec<RequestedOp>,
        cap: u64,
        idempotency: Option<Idempotency<Applied>>,
    ) -> Result<Outcome<Applied>, Error>;

    // ----- groups and receipts

    /// Creates a group, with the creator as its owner and a member. `id` is random if it is `None`.
    ///
    /// # Errors
    /// `conflict` if the id is taken, `not_found` if a member is not a user.
    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        idempotency: Option<Idempotency<Group>>,
    ) -> Result<Outcome<Group>, Error>;
    /// A group with the first page of its members.
    async fn group(&self, id: &str) -> Result<Option<Group>, Error>;
    /// The owner of a group; `None` if there is no such group.
    async fn group_owner(&self, group: &str) -> Result<Option<UserKey>, Error>;
    /// A page of the members of a group, in the order in which they joined.
    ///
    /// # Errors
    /// `not_found` if there is no such group, `invalid` if `after` was not a member lately.
    async fn members(&self, group: &str, page: ListQuery) -> Result<ListPage, Error>;
    /// A page of the groups that a user is a member of, by id.
    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error>;
    /// Whether a user is a member of a group.
    ///
    /// # Errors
    /// `not_found` if there is no such group.
    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error>;
    /// Adds a member; nothing changes if the user is one. The first member of a group that all had left owns it. Gives
    /// the group.
    ///
    /// # Errors
    /// `not_found` if there is no such group or user.
    async fn join(&self, group: &str, user: &str) -> Result<Group, Error>;
    /// Gives a group another name, another owner, or both; gives the group.
    ///
    /// # Errors
    /// `not_found` if there is no such group, or the owner is no member.
    async fn change_group(
        &self,
        group: &str,
        name: Option<String>,
        owner: Option<String>,
    ) -> Result<Group, Error>;
    /// Ends a group: there is no such group any more, its members keep what they have, and its id stays taken.
    ///
    /// # Errors
    /// `not_found` if there is no such group.
    async fn end_group(&self, group: &str) -> Result<(), Error>;
    /// Removes a member. An owner who leaves is succeeded by the member who joined first.
    ///
    /// # Errors
    /// `not_found` if there is no such group, user or member.
    async fn leave(&self, group: &str, user: &str) -> Result<(), Error>;
    /// A page of the members whose reading of a group message counts, with those who have read it.
    ///
    /// # Errors
    /// `not_found` if the message is not in this group, `invalid` if `after` is not a user.
    async fn readers(&self, group: &str, msgid: &MsgId, page: ListQuery) -> Result<Readers, Error>;
    /// A page of a sender's undelivered receipts, after a stamp.
    async fn receipts(&self, user: UserKey, since: Stamp, limit: usize) -> Result<ReceiptPage, Error>;
    /// Deletes a sender's receipts up to a stamp, in portions, after their delivery.
    async fn ack_receipts(
        &self,
        user: UserKey,
        through: Stamp,
        idempotency: Option<Idempotency<()>>,
    ) -> Result<Outcome<()>, Error>;

    // ----- the live channel

    /// Those of the users in `among` who may be recipients. If an exact answer would cost too much, users who are
    /// not recipients may be included; no recipient is left out.
    async fn recipients_among(
        &self,
        all_recipients: &[Recipients],
        among: &[UserKey],
    ) -> Result<Vec<UserKey>, Error>;

    // ----- other processes on the same data

    /// The clock by which everything here ages and becomes due: the server's own, or that of a database of several.
    fn clock(&self) -> Arc<dyn Clock>;
    /// Whether other processes may serve the same data.
    fn is_shared(&self) -> bool {
        false
    }
    /// Completes when another process says that it changed something, or when that can't be heard at present.
    async fn others_changed(&self) {
        std::future::pending::<()>().await;
    }
    /// What changed since a position, and the inboxes of `known` that have a newer stamp than the known one. Work is
    /// bounded by the number of users in `known` and a page of publications.
    async fn changes_since(&self, since: Stamp, known: &[(UserKey, Stamp)]) -> Result<Changes, Error> {
        let _ = known;
        Ok(Changes { upto: since, is_complete: true, ..Changes::default() })
    }

    // ----- upkeep

    /// Takes or renews the lease of a kind of work that one process is enough for; false while another one has it. It
    /// ends half a minute after its last use.
    async fn take_lease(&self, work: &str) -> Result<bool, Error> {
        let _ = work;
        Ok(true)
    }
    /// The id of the current epoch.
    async fn epoch(&self) -> Result<String, Error>;
    /// A stamp that is not older than any that was assigned by a write of this process that has ended. It costs less than
    /// [`Store::meta`]; writes of other processes may have newer ones.
    async fn newest_stamp(&self) -> Result<Stamp, Error>;
    /// The stamp up to which all publications are visible; one that is published from now on has a later one.
    async fn published_through(&self) -> Result<Stamp, Error> {
        self.newest_stamp().await
    }
    /// A stamp that no earlier change of an inbox has passed, and that every later one passes.
    async fn inbox_stamp(&self, user: UserKey) -> Result<Stamp, Error> {
        let _ = user;
        self.newest_stamp().await
    }
    /// The newest stamp that a pull of this user may have given, also one by another process.
    async fn position(&self, user: UserKey) -> Result<Stamp, Error>;
    /// Whether the store can be written, is of this program's version, and has its clock within a second of this
    /// process's.
    ///
    /// # Errors
    /// `unavailable` with the reason if one of these does not hold, [`Error::Unavailable`] if the store does not
    /// answer.
    async fn ready(&self) -> Result<(), Error>;
    /// The newest stamp at which something was created, and counters of the whole store.
    async fn meta(&self) -> Result<StoreMeta, Error>;
    /// Recounts every counter and verifies the database; gives the differences.
    async fn check(&self) -> Result<Vec<Difference>, Error>;
    /// Recounts the inboxes of up to `batch` users after the given one whose inbox changed after `since`, and repairs
    /// them. Gives the differences and the last user considered; `None` after the last of all users.
    async fn reconcile(
        &self,
        after: UserKey,
        since: Stamp,
        batch: usize,
    ) -> Result<(Vec<Difference>, Option<UserKey>), Error>;
    /// Compares the cached unread counts of up to `batch` users who asked lately with a recount, and deletes those that
    /// differ. Gives the differences.
    async fn reconcile_cache(&self, batch: usize) -> Result<Vec<Difference>, Error> {
        let _ = batch;
        Ok(Vec::new())
    }
    /// What the cache of unread counts has done in this process; `None` if there is none.
    fn cache_figures(&self) -> Option<CacheFigures> {
        None
    }
    /// Adds a portion of the latest pulls to the counts of the messages, if that is not done at once; every answer
    /// counts them before. It gives true while there may be more.
    async fn count_deliveries(&self) -> Result<bool, Error> {
        Ok(false)
    }
    /// Completes when there is something for [`Store::count_deliveries`].
    async fn deliveries_to_count(&self) {
        std::future::pending::<()>().await;
    }
    /// Deletes at most `batch` rows of expired data, of removed users and, if `before` is given, of everything created
    /// before that time. It gives true while there may be more.
    async fn prune(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error>;
    /// Like [`Store::prune`], except that receipts stay: they go by [`Store::old_receipts`].
    async fn prune_but_receipts(&self, before: Option<Stamp>, batch: usize) -> Result<bool, Error>;
    /// The oldest of the receipts that [`Store::prune`] would delete by age, at most `limit`, without those of senders who
    /// were removed.
    async fn old_receipts(&self, before: Option<Stamp>, limit: usize) -> Result<Vec<OldReceipt>, Error>;
    /// Deletes receipts that were archived, in portions; nothing happens if one is gone.
    async fn forget_receipts(&self, archived: Vec<(UserKey, Stamp)>) -> Result<(), Error>;
    /// Deletes at most `batch` rows of removed users, and nothing by age. True while there may be more.
    async fn prune_removed(&self, batch: usize) -> Result<bool, Error>;
    /// The newest stamp of any order: of creations, and of every inbox.
    async fn latest_stamp(&self) -> Result<Stamp, Error>;
    /// The rest of the hold on deletion by age, as [`Store::set_age_hold`] stored it; zero for none.
    async fn age_hold(&self) -> Result<Duration, Error>;
    /// Stores the rest of the hold on deletion by age, in whole seconds.
    async fn set_age_hold(&self, left: Duration) -> Result<(), Error>;
    /// Whether [`Store::backup`] works; else the database is backed up by tools of its own.
    fn takes_backups(&self) -> bool {
        true
    }
    /// Copies the whole database to a file while the store stays in use, and checks the copy.
    ///
    /// # Errors
    /// [`Error::Store`] if the copy is damaged: then no file of it is left. `invalid`, naming the tools, if
    /// [`Store::takes_backups`] is false.
    async fn backup(&self, to: &Path) -> Result<(), Error>;
    /// Estimated bytes that [`Store::compact`] would free; 0 if the store never has unused space.
    async fn reclaimable_bytes(&self) -> Result<u64, Error> {
        Ok(0)
    }
    /// Returns unused space to the file system.
    async fn compact(&self) -> Result<(), Error> {
        Ok(())
    }
    /// Begins a new epoch, so that every client pulls from the beginning. Gives its id.
    async fn new_epoch(&self) -> Result<String, Error>;
}
