//! How large and how many things may be. `/info` reports these limits.

/// Bytes of a JSON body.
pub const BODY: usize = 8 * 1024 * 1024;
/// Bytes of a text field.
pub const TEXT: usize = 256 * 1024;
/// Bytes of `data` as JSON, and of all buttons of a notification as JSON.
pub const DATA: usize = 64 * 1024;
/// Bytes of one notification as JSON, as a pull hands it out.
pub const NOTIFICATION: usize = 512 * 1024;
/// Bytes of a notification as JSON that the server adds: msgid, stamps, thread, marks, the name of a known user.
pub const ADDED: usize = 4 * 1024;
/// Bytes of a name: of a user, an actor, a group, an attachment, and of a token's label.
pub const NAME: usize = 1024;
/// Bytes of a tag.
pub const TAG: usize = 256;
/// Arrays and objects inside each other in a JSON body.
pub const JSON_DEPTH: usize = 64;
/// Values in a JSON body: elements, members, and what they hold.
pub const JSON_VALUES: usize = 262_144;
/// Arrays and objects in a JSON body; each takes up to 600 bytes of memory, however small it is.
pub const JSON_CONTAINERS: usize = 32_768;
/// Elements of an array of publications, and operations in one request.
pub const ARRAY: usize = 1_000;
/// Message ids in one operation.
pub const MSGIDS: usize = 10_000;
/// The largest `cap`.
pub const CAP: u64 = 1_000;
/// `cap` where none is given.
pub const CAP_DEFAULT: u64 = 99;
/// The largest `limit` of a pull, and the one where none is given.
pub const SYNC: usize = 5_000;
/// `limit` of a pull where none is given.
pub const SYNC_DEFAULT: usize = 1_000;
/// The largest `limit` of a list.
pub const LIST: usize = 1_000;
/// `limit` of a list where none is given.
pub const LIST_DEFAULT: usize = 50;
/// Bytes of JSON on one page, unless its first element alone is larger.
pub const PAGE: usize = 4 * 1024 * 1024;
/// The largest `limit` of a list of conversations, and as many are named with what is unread in each.
pub const CONVERSATIONS: usize = 1_000;
/// `limit` of a list of conversations where none is given.
pub const CONVERSATIONS_DEFAULT: usize = 100;
/// Of these, bytes for the marks of views on a page of a pull.
pub const PAGE_MARKS: usize = 1024 * 1024;
/// The largest `limit` of a list that is paged by ids, and the one where none is given.
pub const LISTED: usize = 1_000;
/// Members that an answer about a group, or about the readers of one of its messages, lists.
pub const MEMBERS_PAGE: usize = LISTED;
/// Members named in one request for a group.
pub const MEMBERS: usize = 100_000;
/// Characters of an `Idempotency-Key` or of an operation's id.
pub const KEY: usize = 256;
/// Tags of one notification.
pub const TAGS: usize = 100;
/// Subscriptions of one user, each a target and an action.
pub const SUBSCRIPTIONS: usize = 1_000_000;
/// Delayed publications that wait for one topic.
pub const SCHEDULED_TOPIC: usize = 500;
/// Bytes of delayed publications that wait for one topic, as JSON.
pub const SCHEDULED_TOPIC_BYTES: usize = 8 * 1024 * 1024;
/// Delayed publications that wait for one user's tokens together, or for all programs without a token.
pub const SCHEDULED_USER: usize = 2_000;
/// Bytes of the same, as JSON.
pub const SCHEDULED_USER_BYTES: usize = 32 * 1024 * 1024;
/// Live channels that one user may have open.
pub const CHANNELS: usize = 64;
/// Hours for which the answer to an `Idempotency-Key` is kept.
pub const ANSWER_HOURS: i64 = 24;
/// Days for which an operation's id is kept, so that it is applied once.
pub const OPERATION_DAYS: i64 = 30;
/// Days after a message of a group for which receipts for it wait for its sender.
pub const RECEIPT_DAYS: i64 = 30;
/// Rows that one transaction deletes or adds where there may be many: about 10 ms of the writer's time.
pub const PORTION: usize = 500;
