//! The bounds of searches, pages and portions, which both stores share. A test makes them small, so that what lies one past
//! each of them is tried.
//!
//! What a bound of a pull leaves out lies after the position that is stored, never before it.

use crate::domain::limits;

tidings_model::bounds! {
    /// How much one search looks at, how much one page of a pull has beside its items, and how much a portion of long work
    /// does. Those of one store alone say so.
    pub struct Bounds {
        /// Candidates that one search returns at most; they are then added in portions. PostgreSQL has its portions instead.
        candidates: 1 => 5_000,
        /// With at most this many new rows of a kind, testing each of them is cheaper than going from what the user subscribes
        /// to, or is in.
        tested_rows: 1 => 256,
        /// New reminders, and new group messages, that one search considers at most, which bounds its cost however long the user
        /// did not pull.
        new_rows: 1 => 20_000,
        /// Revisions that one search examines at most, of new content and of other changes each.
        revisions: 1 => 2_000,
        /// With more rows examined than this, a write that advances the position is worth its cost, because it saves examining
        /// them again.
        worth_a_write: 1 => 1_024,
        /// Groups that one page of a pull names.
        page_groups: 1 => limits::CHANGED_GROUPS,
        /// Read marks on one page of a pull, of the user's own and of others' each, and closed conversations.
        page_marks: 1 => limits::SYNC_LIMIT,
        /// Bytes of JSON of the items on one page of a pull, unless its first item alone is larger.
        page_bytes: 1 => limits::PAGE_BYTES - limits::PAGE_MARKS_BYTES,
        /// Bytes of JSON of the user's own read marks on such a page, unless the first alone is larger. Those of others, and
        /// closed conversations, get a quarter of that each; as much is left for the ids of groups.
        marks_bytes: 1 => limits::PAGE_MARKS_BYTES / 2,
        /// Memberships that are examined for one page of a message's readers: at least those of the group's owner, and of a
        /// member who left twice.
        memberships: 4 => 20_000,
        /// Publications of a topic among which one look for its newest one goes; there are as many looks as it takes.
        latest_rows: 1 => 1_000,
        /// Target types that are searched for one page of the subscriptions to an id of any type. With more of them, a page that
        /// is not full asks for the type.
        target_types: 2 => 10_000,
        /// Rows and look-ups that finding the recipients of one batch of publications may cost. Beyond it all users in question
        /// get a hint: a needless pull is cheap.
        recipients: 2 => 100_000,
        /// Users whose last change is looked up for one batch of a recount. PostgreSQL has an index of those that changed instead.
        recounted_users: 1 => 20_000,
        /// The most differences of one kind that are listed.
        differences: 1 => 1_000,
        /// SQLite: units of work in one portion of a long write; a row that is read takes one, a row that is written four.
        portion_units: 0 => 4_000,
        /// PostgreSQL: rows that one portion of a long write changes.
        portion_rows: 1 => 1_000,
        /// Rows that one transaction of a long write of equal rows deletes or inserts.
        short_write_rows: 1 => limits::SHORT_WRITE_ROWS,
        /// PostgreSQL: operations, and items of them, that are looked at together.
        segment_steps: 1 => 500,
        /// PostgreSQL: items among which one look for views with anything unread goes.
        unread_items: 1 => 50,
        /// PostgreSQL: unread messages of a group whose writers are looked up before a read mark moves. Those of later ones are
        /// found when it comes to them.
        sought_writers: 1 => 500,
        /// PostgreSQL: publications and items of a removed user that one portion looks through: whether somebody else has one is
        /// asked of every part of the items.
        removed_rows: 1 => 100,
        /// PostgreSQL: other inboxes that a long write keeps for its next portion.
        kept_locks: 0 => 100,
        /// PostgreSQL: questions that one transaction ends.
        ended_questions: 1 => 16,
        /// PostgreSQL: delayed publications that one transaction delivers.
        delivered: 1 => 64,
        /// PostgreSQL: publications that share a transaction, whatever their number in the first request of it.
        batch_drafts: 1 => 256,
        /// PostgreSQL: publications of other processes that are named, of each kind; with more everybody gets a hint.
        others_posts: 1 => 1_000,
        /// Messages of Gotify's API that are archived together, in PostgreSQL.
        archived_messages: 1 => 100,
        /// Publications that retention looks at together, in the order of their creation. PostgreSQL, for which a slice is
        /// several round trips, takes five times as many.
        retention_slice: 1 => 100,
        /// Subscriptions of one user, each a target and an action. A smaller number refuses what users may have, so none is
        /// drawn; the next two are of the same kind.
        user_subscriptions: limits::USER_SUBSCRIPTIONS => limits::USER_SUBSCRIPTIONS,
        /// Applications of one user in Gotify's API.
        user_applications: limits::USER_APPLICATIONS => limits::USER_APPLICATIONS,
        /// Clients of one user in Gotify's API.
        user_clients: limits::USER_CLIENTS => limits::USER_CLIENTS,
        /// Changes of an inbox at which the count of what is still to come stops.
        counted_changes: 1 => 100_000,
        /// PostgreSQL: inboxes about which one statement asks whether other processes changed them.
        asked_inboxes: 1 => 2_000,
    }
}
