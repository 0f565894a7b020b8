//! Marks of inputs from outside that are being read, so that an input that ended the server is not read a second time.

use axum::body::Bytes;
use tidings_sandbox::marks::{self, Kind, Mark, PassedBy};
use tokio::task::spawn_blocking;

/// Marks an input that is about to be read; `of` is its topic. `None` if this process keeps no marks.
///
/// # Errors
/// The entry of the list if the input is passed by.
pub async fn begin(kind: Kind, of: &str, input: Bytes) -> Result<Option<Mark<'static>>, PassedBy> {
    let Some(kept) = marks::of_process() else { return Ok(None) };
    let of = of.to_owned();
    let begun = spawn_blocking(move || kept.begin(kind, &of, &marks::digest([input.as_ref()]))).await;
    begun.map_or(Ok(None), |begun| begun.map(Some))
}

/// Removes the mark of an input that was read.
pub async fn end(mark: Option<Mark<'static>>) {
    if let Some(mark) = mark {
        drop(spawn_blocking(move || drop(mark)).await);
    }
}

/// Puts an input, whose parser failed, on the list of those that are passed by.
pub async fn pass_by(mark: Option<Mark<'static>>) {
    if let Some(mark) = mark {
        drop(spawn_blocking(move || mark.pass_by()).await);
    }
}
