//! The limits on sizes and counts: those of requests, and those that the store keeps. `/info` reports them.

use std::time::Duration;

pub use tidings_store::domain::limits::*;

/// Bytes of a JSON body.
pub const BODY_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of a text field.
pub const TEXT_BYTES: usize = 256 * 1024;
/// Nesting depth of arrays and objects in a JSON body.
pub const JSON_DEPTH: usize = 64;
/// Values in a JSON body: elements and members, at every depth.
pub const JSON_VALUES: usize = 262_144;
/// Arrays and objects in a JSON body; each takes up to 600 bytes of memory, however small it is.
pub const JSON_CONTAINERS: usize = 32_768;
/// Elements in an array of publications, and operations in one request.
pub const ARRAY_ELEMENTS: usize = 1_000;
/// Message ids in one operation.
pub const OP_MSGIDS: usize = 10_000;
/// `cap` if none is given.
pub const DEFAULT_COUNT_CAP: u64 = 99;
/// `limit` of a pull if none is given.
pub const DEFAULT_SYNC_LIMIT: usize = 1_000;
/// The largest `limit` of a list.
pub const LIST_LIMIT: usize = 1_000;
/// `limit` of a list if none is given.
pub const DEFAULT_LIST_LIMIT: usize = 50;
/// The largest `limit` of people who are found by the beginning of a name.
pub const PEOPLE_LIMIT: usize = 100;
/// That `limit` if none is given.
pub const DEFAULT_PEOPLE_LIMIT: usize = 20;
/// `limit` of a list of conversations if none is given.
pub const DEFAULT_CONVERSATIONS_LIMIT: usize = 100;
/// Members named in one request for a group.
pub const GROUP_MEMBERS: usize = 100_000;
/// Characters of an `Idempotency-Key` or of an operation's id.
pub const KEY_BYTES: usize = 256;
/// The longest time in seconds for which a request waits for an answer.
pub const ANSWER_WAIT_SECS: u64 = 60;
/// Requests of one user that wait for answers at once.
pub const USER_ANSWER_WAITS: usize = 64;
/// The shortest delay of a publication, in seconds, as with ntfy.
pub const DELAY_MIN_SECS: i64 = 10;
/// Bytes of an uploaded file, as with ntfy, unless configured.
pub const FILE_BYTES: u64 = 15 * 1024 * 1024;
/// Bytes of the files that one user's tokens have uploaded, or all programs without a token, unless configured.
pub const USER_FILES_BYTES: u64 = 100 * 1024 * 1024;
/// Bytes of all uploaded files, unless configured.
pub const ALL_FILES_BYTES: u64 = 5 * 1024 * 1024 * 1024;
/// Days for which an uploaded file is kept, unless configured.
pub const FILE_DAYS: u64 = 30;
/// Bytes of a form with a file that are neither the file nor a message: boundaries and heads.
pub const FORM_BYTES: usize = 64 * 1024;
/// Uploads that one user's tokens have in progress, or all programs without a token.
pub const USER_UPLOADS: usize = 8;
/// Uploads in progress.
pub const ALL_UPLOADS: usize = 32;
/// Bytes of the disk that uploads leave free, or [`DISK_RESERVE_PERCENT`] of it if that is less.
pub const DISK_RESERVE_BYTES: u64 = 512 * 1024 * 1024;
/// Percent of a small disk that uploads leave free.
pub const DISK_RESERVE_PERCENT: u64 = 5;
/// Live channels that one user may have open.
pub const USER_CHANNELS: usize = 64;
/// Streams of topics that one user's tokens may have open together.
pub const USER_TOPIC_LISTENERS: usize = 2_048;
/// Requests to poll that wait for one stream of topics.
pub const POLL_REQUESTS: usize = 16;
/// Topics of all streams that one user's tokens have open together, counted in each.
pub const USER_STREAM_TOPICS: usize = 8_192;
/// Bytes for which a topic of a stream counts beside those of its name: its places in maps, lists and pages.
pub const STREAM_TOPIC_BYTES: usize = 256;
/// Topics of one stream.
pub const STREAM_TOPICS: usize = 256;
/// Bytes of an application's picture.
pub const IMAGE_BYTES: usize = 512 * 1024;
/// The largest `limit` of a list of messages in Gotify's API, as with Gotify.
pub const GOTIFY_LIST_LIMIT: usize = 200;
/// `limit` of such a list if none is given, as with Gotify.
pub const DEFAULT_GOTIFY_LIST_LIMIT: usize = 100;
/// Parts of a `multipart/form-data` body.
pub const MULTIPART_PARTS: usize = 64;
/// Bytes of a template, of a publication or in a topic's settings.
pub const TEMPLATE_BYTES: usize = 16 * 1024;
/// Bytes of the JSON that a template of a publication is filled in from.
pub const TEMPLATE_SOURCE_BYTES: usize = 1024 * 1024;
/// Bytes of a Matrix server's push: the largest event has that many.
pub const MATRIX_PUSH_BYTES: usize = 64 * 1024;
/// Bytes of a mail, with its attachments.
pub const MAIL_BYTES: usize = 8 * 1024 * 1024;
/// Parts of a mail, at every depth.
pub const MAIL_PARTS: usize = 1_000;
/// Depth of the parts of a mail. A deeper part is a file as it is.
pub const MAIL_DEPTH: usize = 16;
/// Bytes of the head of a mail, or of one of its parts.
pub const MAIL_HEAD_BYTES: usize = 64 * 1024;
/// Bytes of all heads of a mail.
pub const MAIL_HEADS_BYTES: usize = 512 * 1024;
/// Parameters, with their continuations, and lines of one head of a mail.
pub const MAIL_HEAD_PARAMETERS: usize = 1_000;
/// Bytes of memory that reading a mail may take, with the mail and what it has.
pub const MAIL_MEMORY_BYTES: usize = 128 * 1024 * 1024;
/// Processor time that reading a mail may take.
pub const MAIL_TIME: Duration = Duration::from_secs(2);
/// Topics that one mail may be addressed to.
pub const MAIL_RECIPIENTS: usize = 20;
/// Connections that bring mail.
pub const MAIL_CONNECTIONS: usize = 64;
/// Connections that bring mail from one address.
pub const MAIL_CONNECTIONS_PER_ADDRESS: usize = 8;
/// Mails of one connection.
pub const CONNECTION_MAILS: usize = 100;
/// Refused commands of one connection, after which it ends.
pub const MAIL_ERRORS: usize = 20;
/// Names of a mail's files in the text of its notification.
pub const MAIL_FILE_NAMES: usize = 50;
/// Steps of the rendering of a template in a topic's settings, as its engine counts them: a few milliseconds.
pub const TOPIC_TEMPLATE_STEPS: u64 = 100_000;
/// Nesting depth of its blocks and calls.
pub const TOPIC_TEMPLATE_DEPTH: usize = 32;
/// Operators, accesses, calls and filters of one of its expressions.
pub const TOPIC_TEMPLATE_OPERATORS: usize = 500;
/// The number of its `elif`.
pub const TOPIC_TEMPLATE_BRANCHES: usize = 100;
/// Bytes of memory that its rendering may take, with the payload: several times what the largest payload takes.
pub const TOPIC_TEMPLATE_MEMORY_BYTES: usize = 192 * 1024 * 1024;
/// Processor time that its rendering may take.
pub const TOPIC_TEMPLATE_TIME: Duration = Duration::from_secs(1);
/// Bytes of a secret with which a sender of webhooks signs.
pub const SECRET_BYTES: usize = 1024;
/// Bytes of the address of a topic's icon.
pub const ICON_URL_BYTES: usize = 2048;
/// Users who are named as those who may publish on a topic.
pub const TOPIC_PUBLISHERS: usize = 1_000;
/// Users who are named as those who may read a topic.
pub const TOPIC_READERS: usize = 1_000;
/// Notifications that one payload of a webhook makes, or marks as read; what it has more is listed in one further.
pub const PAYLOAD_NOTICES: usize = 100;
/// Characters of a title that is made from a payload.
pub const NOTICE_TITLE_CHARS: usize = 250;
