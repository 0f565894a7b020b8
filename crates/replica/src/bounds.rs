//! The bounds of the transactions of long work. A test makes them small, so that work of few rows takes several.

tidings_model::bounds! {
    /// How many rows one transaction of long work takes.
    pub struct Bounds {
        /// Items of a page that may be tried in one transaction, which gives way to other writes.
        whole_items: 0 => usize::MAX,
        /// Items of one part of a page that gave way, or of a page that is written at once.
        part_items: 1 => 125,
        /// The page cache in KiB while the items of a large page are written: the more it holds, the fewer pages are written twice.
        items_cache_kib: 64 => 16 << 10,
        /// The same from the search rows of a large page on. What it holds at the end is written by the commit, for which short
        /// writes wait.
        end_cache_kib: 64 => 3 << 10,
        /// Items that are written in parts after a page gave way; then the rest of it is tried at once again.
        items_in_parts: 1 => 5_000,
        /// Items, threads or rows passed by a view's mark; also the size of a full operation.
        marked_rows: 1 => 500,
        /// Bytes of operations in one request; a larger operation is sent alone.
        request_bytes: 1 => 1 << 20,
        /// Rows that the answers to operations settle.
        settled_rows: 1 => 500,
        /// Items that are examined because their server removed older ones.
        forgotten_items: 1 => 200,
        /// Threads that the mute of an origin reaches or leaves.
        muted_threads: 1 => 250,
        /// Items that wake, or whose questions end.
        woken_items: 1 => 250,
        /// Items of a source that is removed; each has several dependent rows.
        removed_items: 1 => 100,
        /// Other rows of a source that is removed.
        removed_rows: 1 => 500,
        /// Rows that are discarded of a source whose items are kept.
        discarded_rows: 1 => 500,
        /// Items of which it is determined again whose own they are.
        own_items: 1 => 500,
        /// Items that are indexed anew.
        indexed_items: 1 => 500,
        /// Items, and rows of other kinds, that are written from a damaged file.
        salvaged_rows: 1 => 500,
    }
}
