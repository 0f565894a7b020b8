//! Responses with a page of a list. Large ones are serialized on the writer threads.

use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use tidings_store::domain::account::UserKey;
use tidings_store::{Conversation, Error, ItemsPage, JsonElements, ListPage, PullPage};

use crate::budgets::{LoadLimits, SMALL_BODY_BYTES};
use crate::http::response::error::{ApiResult, json_bytes, ok};

/// Estimated bytes of a page without its elements.
const ENVELOPE_BYTES: usize = 1024;
/// Estimated bytes of a conversation without the texts of its last item.
const CONVERSATION_BYTES: usize = 1024;

/// A page whose size as JSON can be estimated.
pub trait Page: Serialize + Send + 'static {
    /// The estimated size as JSON, in bytes.
    fn estimated_bytes(&self) -> usize;
}

fn elements_bytes(elements: &JsonElements) -> usize {
    elements.iter().map(|element| element.get().len() + 1).sum()
}

impl Page for PullPage {
    fn estimated_bytes(&self) -> usize {
        elements_bytes(&self.items)
            + (self.marks.len()
                + self.later_marks.len()
                + self.peer_marks.len()
                + self.groups.len()
                + self.closed.len())
                * 128
    }
}

impl Page for ItemsPage {
    fn estimated_bytes(&self) -> usize {
        elements_bytes(&self.items)
    }
}

impl Page for ListPage {
    fn estimated_bytes(&self) -> usize {
        elements_bytes(&self.0)
    }
}

impl Page for Vec<Conversation> {
    fn estimated_bytes(&self) -> usize {
        self.iter().map(|c| CONVERSATION_BYTES + c.last.content.title.len() + c.last.content.body.len()).sum()
    }
}

/// A response with status 200 and a page. A large page is serialized on the writer threads, in the queue of user `by`.
pub async fn page<T: Page>(load_limits: &LoadLimits, user: UserKey, page: T) -> ApiResult {
    let bytes = page.estimated_bytes();
    if bytes <= SMALL_BODY_BYTES {
        return ok(&page);
    }
    Ok(load_limits.write(user, move || write(&page, bytes)).await??)
}

fn write<T: Page>(page: &T, bytes: usize) -> Result<Response, Error> {
    let mut body = Vec::with_capacity(bytes + ENVELOPE_BYTES);
    serde_json::to_writer(&mut body, page)?;
    Ok(json_bytes(StatusCode::OK, body))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use axum::body::to_bytes;
    use serde::Serializer;

    use super::*;

    /// Records the names of the threads that serialized it.
    struct ThreadRecorder(usize, Arc<Mutex<Vec<String>>>);

    impl Serialize for ThreadRecorder {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            self.1.lock().unwrap().push(std::thread::current().name().unwrap_or_default().to_owned());
            to.serialize_str(&"x".repeat(self.0))
        }
    }

    impl Page for ThreadRecorder {
        fn estimated_bytes(&self) -> usize {
            self.0
        }
    }

    #[tokio::test]
    async fn a_large_page_is_written_by_a_thread_that_serves_no_connections() {
        let load_limits = LoadLimits::default();
        let threads = Arc::default();
        for size in [SMALL_BODY_BYTES, SMALL_BODY_BYTES + 1] {
            let response =
                page(&load_limits, UserKey(1), ThreadRecorder(size, Arc::clone(&threads))).await.unwrap();
            assert_eq!(to_bytes(response.into_body(), usize::MAX).await.unwrap().len(), size + 2);
        }
        let test_thread = std::thread::current().name().unwrap_or_default().to_owned();
        assert_eq!(*threads.lock().unwrap(), [test_thread, "writer of pages".to_owned()]);
    }
}
