//! Responses with a page of a list. Large ones are serialized on the writer threads.

use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;

use crate::domain::account::UserKey;
use crate::error::Error;
use crate::http::limits::budgets::{LoadLimits, SMALL};
use crate::http::response::error::{ApiResult, json_bytes, ok};
use crate::store::{Conversation, ItemsPage, JsonElements, ListPage, PullPage};

/// Estimated bytes of a page without its elements.
const FRAME: usize = 1024;
/// Estimated bytes of a conversation without the texts of its last item.
const CONVERSATION: usize = 1024;

/// A page whose size as JSON can be estimated.
pub(crate) trait Page: Serialize + Send + 'static {
    /// The estimated size as JSON, in bytes.
    fn bytes(&self) -> usize;
}

fn written(elements: &JsonElements) -> usize {
    elements.iter().map(|element| element.get().len() + 1).sum()
}

impl Page for PullPage {
    fn bytes(&self) -> usize {
        written(&self.items) + self.marks.len() * 128
    }
}

impl Page for ItemsPage {
    fn bytes(&self) -> usize {
        written(&self.items)
    }
}

impl Page for ListPage {
    fn bytes(&self) -> usize {
        written(&self.0)
    }
}

impl Page for Vec<Conversation> {
    fn bytes(&self) -> usize {
        self.iter().map(|c| CONVERSATION + c.last.content.title.len() + c.last.content.body.len()).sum()
    }
}

/// A response with status 200 and a page. A large page is serialized on the writer threads, in the queue of user `by`.
pub(crate) async fn page<T: Page>(load: &LoadLimits, by: UserKey, page: T) -> ApiResult {
    let bytes = page.bytes();
    if bytes <= SMALL {
        return ok(&page);
    }
    Ok(load.write(by, move || write(&page, bytes)).await??)
}

fn write<T: Page>(page: &T, bytes: usize) -> Result<Response, Error> {
    let mut body = Vec::with_capacity(bytes + FRAME);
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
    struct Told(usize, Arc<Mutex<Vec<String>>>);

    impl Serialize for Told {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            self.1.lock().unwrap().push(std::thread::current().name().unwrap_or_default().to_owned());
            to.serialize_str(&"x".repeat(self.0))
        }
    }

    impl Page for Told {
        fn bytes(&self) -> usize {
            self.0
        }
    }

    #[tokio::test]
    async fn a_large_page_is_written_by_a_thread_that_serves_no_connections() {
        let load = LoadLimits::default();
        let threads = Arc::default();
        for size in [SMALL, SMALL + 1] {
            let response = page(&load, UserKey(1), Told(size, Arc::clone(&threads))).await.unwrap();
            assert_eq!(to_bytes(response.into_body(), usize::MAX).await.unwrap().len(), size + 2);
        }
        let here = std::thread::current().name().unwrap_or_default().to_owned();
        assert_eq!(*threads.lock().unwrap(), [here, "writer of pages".to_owned()]);
    }
}
