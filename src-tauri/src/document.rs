//! The document of the main window. It brings the data of the page's first paint, so that the page shows its list
//! without asking for it. A question of the page goes through three processes.

use std::borrow::Cow;

use parking_lot::Mutex;
use tauri::http::Response;
use tauri::http::header::CONTENT_TYPE;
use tauri::{AppHandle, Manager};
use tidings_app::App;
use tidings_net::supervise;
use tokio::sync::oneshot;
use tokio::task::block_in_place;

/// The element with the data. It is a block of data and nothing that runs, so the content policy lets it be.
const BEGIN: &[u8] = br#"<script id="first-paint" type="application/json">"#;
const END: &[u8] = b"</script>";
/// The element is put before this.
const BODY_END: &[u8] = b"</body>";

/// The data while it is read; `None` if the page has to ask for it.
type DocumentAhead = oneshot::Receiver<Option<String>>;

/// Fills the document each time that it is read in.
pub(crate) struct Document {
    handle: AppHandle,
    /// The data that was read before it was asked for; the next document takes it.
    ahead: Mutex<Option<DocumentAhead>>,
}

impl Document {
    pub(crate) fn new(handle: AppHandle) -> Self {
        Self { handle, ahead: Mutex::new(None) }
    }

    /// Begins to read the data, while the toolkit builds the window that shows it. Needs a tokio runtime.
    pub(crate) fn begin(&self) {
        *self.ahead.lock() = self.read();
    }

    /// Puts the data into an answer, if it is the document. Must be called on a worker thread of a tokio runtime.
    pub(crate) fn fill(&self, answer: &mut Response<Cow<'static, [u8]>>) {
        let kind = answer.headers().get(CONTENT_TYPE);
        let is_document = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        if !is_document {
            return;
        }
        let ahead = self.ahead.lock().take();
        let Some(reading) = ahead.or_else(|| self.read()) else { return };
        if let Some(data) = block_in_place(|| reading.blocking_recv()).ok().flatten()
            && let Some(filled) = with_data(answer.body(), data.as_bytes())
        {
            *answer.body_mut() = filled.into();
        }
    }

    fn read(&self) -> Option<DocumentAhead> {
        let app = self.handle.try_state::<App>()?.inner().clone();
        let (done, reading) = oneshot::channel();
        supervise::once("the data of the document", async move {
            let _ = done.send(app.document_data().await);
        });
        Some(reading)
    }
}

/// A document with the data in its last place; `None` if it has no such place.
fn with_data(document: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let at = document.windows(BODY_END.len()).rposition(|part| part == BODY_END)?;
    let (before, after) = document.split_at(at);
    Some([before, BEGIN, data, END, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_stands_at_the_end_of_the_document_s_body() {
        let filled = with_data(b"<!doctype html><body><p></body></html>", br#"{"rows":[]}"#).unwrap();
        assert_eq!(
            String::from_utf8(filled).unwrap(),
            "<!doctype html><body><p><script id=\"first-paint\" type=\"application/json\">{\"rows\":[]}</script>\
             </body></html>"
        );
        assert_eq!(with_data(b"<p>", b"{}"), None);
    }
}
