//! Runs each request to its end, even if its client disconnects.
//!
//! A request runs in the task of its connection, which costs no hand-over between tasks. If the client leaves, it goes on
//! in a task of its own: the work is finished all the same, and listeners hear of it. Its body counts against its user's
//! budget until then. A read that nobody waits for any more is given up. The end of the server waits for all of it, at
//! most 3.5 s.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use axum::{BoxError, Router};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::body::{Frame, SizeHint};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{Request, Response, StatusCode};
use tidings_doors::gotify::clean_path;
use tidings_server_core::connections::{ActiveRequest, ClientPresence, Slot, StreamSlots};
use tidings_server_core::peer_user;
use tidings_server_core::task_failures::TaskFailures;
use tidings_store::request_time::of_request;
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// The connection of a request, and the state that tracks its tasks. All requests of a connection share it.
pub(super) struct RequestContext {
    pub(super) peer: SocketAddr,
    pub(super) local_peer: Option<peer_user::PeerConnection>,
    pub(super) slot: Arc<Slot>,
    pub(super) tasks: TaskTracker,
    pub(super) task_failures: Arc<TaskFailures>,
    /// Cancelled when the server was asked to end.
    pub(super) draining: CancellationToken,
}

/// A request without a response: its handler panicked, or the program ends. The connection ends with it.
#[derive(Debug, thiserror::Error)]
#[error("there is no answer to a request")]
pub(super) struct NoResponse;

/// Begins a request, which runs to its end even if the client disconnects: the work is finished, hints are sent, and
/// memory reservations are kept until then. It also keeps the connection's slot, so that there are never more requests
/// than slots.
pub(super) fn handle<B>(api: Router, context: &Arc<RequestContext>, mut request: Request<B>) -> RunsToEnd
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let RequestContext { peer, local_peer, slot, tasks, .. } = &**context;
    let active_request = slot.state.begin_request();
    let client = ClientPresence::default();
    let disconnect_guard = client.disconnect_guard();
    let extensions = request.extensions_mut();
    extensions.insert(ConnectInfo(*peer));
    extensions.insert(slot.state.clone());
    extensions.insert(StreamSlots::new(slot));
    extensions.insert(client);
    if let Some(local_peer) = local_peer {
        extensions.insert(local_peer.clone());
    }
    let connection = Arc::clone(context);
    let work = async move {
        let response =
            of_request(AssertUnwindSafe(api.oneshot(clean_path(request.map(Body::new)))).catch_unwind())
                .await;
        if response.is_err() {
            tracing::error!("a request panicked");
            connection.task_failures.record("request");
        }
        let Ok(mut response) = response.ok()?;
        // The header makes the client open its next connection elsewhere, before this one is closed under it.
        if connection.draining.is_cancelled() && response.status() != StatusCode::SWITCHING_PROTOCOLS {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Some(response.map(|body| ResponseBody { body, _active: active_request }))
    };
    RunsToEnd { work: Some(Box::pin(work)), tasks: tasks.clone(), disconnect_guard: Some(disconnect_guard) }
}

/// A request and its response. What is dropped before its end, because the client left, goes on as a task.
pub(super) struct RunsToEnd {
    /// `None` after its end.
    work: Option<BoxFuture<'static, Option<Response<ResponseBody>>>>,
    tasks: TaskTracker,
    disconnect_guard: Option<DropGuard>,
}

impl Future for RunsToEnd {
    type Output = Result<Response<ResponseBody>, NoResponse>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(work) = &mut self.work else { return Poll::Ready(Err(NoResponse)) };
        let response = ready!(work.as_mut().poll(cx));
        self.work = None;
        if let Some(guard) = self.disconnect_guard.take() {
            guard.disarm();
        }
        Poll::Ready(response.ok_or(NoResponse))
    }
}

impl Drop for RunsToEnd {
    fn drop(&mut self) {
        // Without a runtime the program ends.
        if let Some(work) = self.work.take()
            && let Ok(runtime) = Handle::try_current()
        {
            drop(self.tasks.spawn_on(work, &runtime));
        }
    }
}

/// The body of a response; its request counts as active until the body was dropped.
pub(super) struct ResponseBody {
    body: Body,
    _active: ActiveRequest,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod requests_of_strangers;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tidings_server_core::connections::Connections;
    use tokio::sync::Notify;

    use super::*;

    /// The context of a connection that has the only slot.
    fn context(connections: &Connections) -> Arc<RequestContext> {
        let peer: SocketAddr = "127.0.0.1:1".parse().unwrap();
        Arc::new(RequestContext {
            peer,
            local_peer: None,
            slot: Arc::new(connections.admit(peer.ip()).unwrap()),
            tasks: TaskTracker::new(),
            task_failures: Arc::default(),
            draining: CancellationToken::new(),
        })
    }

    async fn end(tasks: &TaskTracker) {
        tasks.close();
        tokio::time::timeout(Duration::from_secs(60), tasks.wait()).await.expect("it ends");
    }

    #[tokio::test]
    async fn a_request_that_panics_when_its_client_has_left_is_counted_and_gives_its_place_back() {
        let (connections, go) = (Connections::new(1), Arc::new(Notify::new()));
        let context = context(&connections);
        let peer = context.peer;
        let (tasks, task_failures) = (context.tasks.clone(), Arc::clone(&context.task_failures));
        let wait = Arc::clone(&go);
        let api = Router::new().fallback(move || {
            let wait = Arc::clone(&wait);
            async move {
                wait.notified().await;
                assert!(wait.notified().now_or_never().is_some(), "the handler fails");
            }
        });
        drop(handle(api, &context, Request::new(Body::empty())));
        drop(context);
        assert!(connections.admit(peer.ip()).is_none(), "the request has the only slot");
        go.notify_one();
        end(&tasks).await;
        assert_eq!(task_failures.counts(), [("request", 1)]);
        assert!(connections.admit(peer.ip()).is_some());
    }

    #[tokio::test]
    async fn a_request_has_a_task_of_its_own_only_when_its_client_has_left() {
        let connections = Connections::new(1);
        let context = context(&connections);
        let [go, done] = [(), ()].map(|()| Arc::new(Notify::new()));
        let (wait, tell) = (Arc::clone(&go), Arc::clone(&done));
        let api = Router::new().fallback(move || {
            let (wait, tell) = (Arc::clone(&wait), Arc::clone(&tell));
            async move {
                wait.notified().await;
                tell.notify_one();
            }
        });
        let mut request = handle(api.clone(), &context, Request::new(Body::empty()));
        assert!((&mut request).now_or_never().is_none(), "it waits");
        assert!(context.tasks.is_empty());
        go.notify_one();
        assert_eq!(request.await.expect("an answer").status(), StatusCode::OK);
        done.notified().await;
        assert!(context.tasks.is_empty(), "nothing is left of it");
        let mut request = handle(api, &context, Request::new(Body::empty()));
        assert!((&mut request).now_or_never().is_none(), "it waits");
        drop(request);
        assert_eq!(context.tasks.len(), 1);
        go.notify_one();
        end(&context.tasks).await;
        assert!(done.notified().now_or_never().is_some(), "it went on from where it was");
    }
}
