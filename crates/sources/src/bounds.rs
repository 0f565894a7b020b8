//! The bounds of pulls: how much one page, portion, queue or wait takes. A test makes them small, so that a few items fill
//! them.

use std::time::Duration;

tidings_model::bounds! {
    /// How much one step of a pull takes.
    pub struct Bounds {
        /// Items of the first page: few, so that the first ones are shown soon.
        first_items: 1 => 1_000,
        /// Items of a later page. It is the protocol's maximum; that of another service may be less.
        page_items: 1 => 5_000,
        /// The size of a page in bytes above which the next one has half as many items. A server's pages end at 4 MiB.
        heavy_page_bytes: 0 => 5 << 20,
        /// The size of a page in bytes from which on it is full, whatever its number of items.
        full_page_bytes: 0 => 1 << 20,
        /// Items of full pages that are written together.
        joined_items: 1 => 25_000,
        /// Bytes of answers after which no further page is fetched before they are written.
        joined_bytes: 1 => 16 << 20,
        /// Pages in a row that bring little and are asked for without a pause.
        quick_pages: 0 => 32,
        /// Milliseconds of the longest pause between two pages.
        pause_millis: 0 => 250,
        /// Groups that one pull asks for.
        groups: 1 => 50,
        /// Groups that are asked for at once.
        groups_at_once: 1 => 4,
        /// Subscriptions that are sent before the pull goes on.
        subscriptions: 1 => 100,
        /// Operations in one request; the protocol has no more.
        ops: 1 => 1_000,
        /// Operations that are sent one by one before the results are stored.
        single_ops: 1 => 20,
        /// Bytes that are read from a file at once, while it is sent.
        file_chunk_bytes: 1 => 64 << 10,
        /// Hints of a live channel that share a pull.
        hints: 1 => 1_000,
        /// Bytes above which an answer of a service waits for the room of large answers.
        large_answer_bytes: 0 => 4 << 20,
        /// Chunks of an item that is too large that are read ahead of its parser.
        chunks_ahead: 1 => 4,
        /// Messages of ntfy's live channel that are kept until a pull has stored them.
        kept_events: 0 => 200,
        /// Bytes of the lines of these messages.
        kept_event_bytes: 0 => 4 << 20,
        /// Ids of ntfy's last lines that are remembered.
        seen_lines: 0 => 256,
        /// Seconds for which the applications of a Gotify server are kept.
        applications_secs: 0 => 3_600,
        /// Seconds after which they are asked for again because of one that is not among them.
        unknown_application_secs: 0 => 60,
        /// Threads of a forge whose details are fetched in one pull: about what a list shows at once.
        detailed_threads: 0 => 10,
        /// Threads whose details are fetched for one page.
        page_details: 1 => 10,
        /// New threads whose details are awaited before they are shown, because then a toast has them.
        awaited_details: 0 => 5,
        /// Milliseconds for which such details are awaited.
        awaited_details_millis: 0 => 3_000,
        /// Milliseconds for which the details of a page are awaited.
        details_millis: 0 => 30_000,
    }
}

/// A bound of a time in milliseconds.
pub(crate) fn millis(bound: usize) -> Duration {
    Duration::from_millis(bound.try_into().unwrap_or(u64::MAX))
}

/// A bound of a time in seconds.
pub(crate) fn secs(bound: usize) -> Duration {
    Duration::from_secs(bound.try_into().unwrap_or(u64::MAX))
}
