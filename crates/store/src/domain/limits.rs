//! The limits on sizes, counts and times that a store keeps.

/// Bytes of `data` as JSON, and of all buttons of a notification as JSON.
pub const DATA_BYTES: usize = 64 * 1024;
/// Bytes of one notification as JSON, as a pull returns it.
pub const NOTIFICATION_BYTES: usize = 512 * 1024;
/// Bytes of JSON reserved for what the server adds to a notification: msgid, stamps, thread, marks, the name of a known
/// user.
pub const NOTIFICATION_OVERHEAD_BYTES: usize = 4 * 1024;
/// Bytes of a name: of a user, an actor, a group, an attachment, and of a token's label.
pub const NAME_BYTES: usize = 1024;
/// Bytes of a tag.
pub const TAG_BYTES: usize = 256;
/// The largest `cap`.
pub const COUNT_CAP: u64 = 1_000;
/// The largest `limit` of a pull.
pub const SYNC_LIMIT: usize = 5_000;
/// Bytes of JSON on one page, unless its first element alone is larger.
pub const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// The largest `limit` of a list of conversations, and the most conversations listed with their unread counts.
pub const CONVERSATIONS_LIMIT: usize = 1_000;
/// Bytes of a page that read marks of views may take in a pull.
pub const PAGE_MARKS_BYTES: usize = 1024 * 1024;
/// Changed groups that one page of a pull names.
pub const CHANGED_GROUPS: usize = 1_000;
/// The largest `limit` of a list that is paged by ids, which also holds if none is given.
pub const PAGE_ELEMENTS: usize = 1_000;
/// Members in one response about a group, or about the readers of one of its messages.
pub const LISTED_MEMBERS: usize = PAGE_ELEMENTS;
/// Answers that a question offers.
pub const QUESTION_ANSWERS: usize = 8;
/// Bytes of the label of an answer.
pub const QUESTION_LABEL_BYTES: usize = 256;
/// Bytes of a text that somebody answers with.
pub const ANSWER_TEXT_BYTES: usize = 16 * 1024;
/// Seconds for which a question waits for an answer, unless it says.
pub const QUESTION_SECS: i64 = 24 * 3_600;
/// The longest such time.
pub const MAX_QUESTION_SECS: i64 = 30 * 24 * 3_600;
/// Tags of one notification.
pub const TAG_COUNT: usize = 100;
/// Subscriptions of one user, each a target and an action.
pub const USER_SUBSCRIPTIONS: usize = 1_000_000;
/// The longest delay of a publication, in seconds: three days, as with ntfy.
pub const DELAY_MAX_SECS: i64 = 3 * 24 * 3_600;
/// Delayed publications that wait for one topic.
pub const TOPIC_SCHEDULED: usize = 500;
/// Bytes of delayed publications that wait for one topic, as JSON.
pub const TOPIC_SCHEDULED_BYTES: usize = 8 * 1024 * 1024;
/// Delayed publications that wait for one user's tokens together, or for all programs without a token.
pub const USER_SCHEDULED: usize = 2_000;
/// Bytes of the same publications, as JSON.
pub const USER_SCHEDULED_BYTES: usize = 32 * 1024 * 1024;
/// The number of the same files.
pub const USER_FILES: usize = 2_000;
/// Bytes of content at which reading a page of a topic's publications, or of their revisions, ends.
pub const TOPIC_PAGE_BYTES: usize = 64 * 1024;
/// Hours for which the response to an `Idempotency-Key` is stored.
pub const STORED_RESPONSE_HOURS: i64 = 24;
/// Days for which the id of an applied operation is stored, so that it is applied once.
pub const OPERATION_DAYS: i64 = 30;
/// Days after a group message for which receipts of it are kept for its sender.
pub const RECEIPT_DAYS: i64 = 30;
/// Rows that one transaction of a long write deletes or inserts: about 10 ms of the writer's time.
pub const SHORT_WRITE_ROWS: usize = 500;
/// Applications of one user in Gotify's API.
pub const USER_APPLICATIONS: usize = 1_000;
/// Generations of tokens that made each other, counted from one that no token made.
pub const TOKEN_GENERATIONS: usize = 16;
/// Clients of one user in Gotify's API.
pub const USER_CLIENTS: usize = 1_000;
/// Bytes of all pictures of one user's applications.
pub const USER_IMAGE_BYTES: usize = 16 * 1024 * 1024;
/// Seconds for which the last use of an application or a client is not written again.
pub const LAST_USED_SECS: i64 = 5 * 60;
/// Payloads of webhooks that are kept for one topic, to try templates on.
pub const TOPIC_PAYLOADS: usize = 10;
/// Bytes of the payloads that are kept for one topic.
pub const TOPIC_PAYLOADS_BYTES: usize = 256 * 1024;
/// Days for which a payload is kept.
pub const PAYLOAD_DAYS: i64 = 30;
