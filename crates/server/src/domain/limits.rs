//! How large and how many things may be; all of them stand in `/info`. Refuses numbers that stand anywhere else.

/// Bytes of a JSON body.
pub const BODY: usize = 8 * 1024 * 1024;
/// Bytes of a text field.
pub const TEXT: usize = 256 * 1024;
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
/// Members named in one request for a group.
pub const MEMBERS: usize = 100_000;
/// Characters of an `Idempotency-Key` or of an operation's id.
pub const KEY: usize = 256;
/// Tags of one notification.
pub const TAGS: usize = 100;
/// Subscriptions of one user, each a target and an action.
pub const SUBSCRIPTIONS: usize = 1_000_000;
/// Live channels that one user may have open.
pub const CHANNELS: usize = 64;
/// Hours for which the answer to an `Idempotency-Key` is kept.
pub const ANSWER_HOURS: i64 = 24;
