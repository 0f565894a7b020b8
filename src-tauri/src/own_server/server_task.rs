//! Keeps the own server running on its port. After a failure it is restarted on the same listener, which stays open in
//! between, so that no other program can take the port in `endpoint.json`.

use std::future::Future;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use tidings_net::supervise;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The reason why the server ended before its first answer.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A server that is restarted after failures.
pub(super) struct ServerTask {
    stop: CancellationToken,
    /// The listener for the next start; `None` once the server is to stop.
    listener: SharedListener,
    /// Held while the server runs, but not between two starts.
    run_lock: Arc<tokio::sync::Mutex<()>>,
    task: JoinHandle<()>,
}

type SharedListener = Arc<Mutex<Option<std::net::TcpListener>>>;

/// Serves on a listener until [`ServerTask::stop`]. `serve` is called for each start, and returns once its token is
/// cancelled; after a panic or an error it is called again after a growing wait. The receiver gets the error of the
/// first start, for a caller that waits for its first answer. Needs a tokio runtime.
pub(super) fn start<S, W, E>(
    listener: TcpListener,
    serve: S,
) -> io::Result<(ServerTask, oneshot::Receiver<Failure>)>
where
    S: Fn(TcpListener, CancellationToken) -> W + Send + Sync + 'static,
    W: Future<Output = Result<(), E>> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let stop = CancellationToken::new();
    let shared: SharedListener = Arc::new(Mutex::new(Some(listener.into_std()?)));
    let (failed, failure) = oneshot::channel();
    let (listener, stopping, mut failed) = (Arc::clone(&shared), stop.clone(), Some(failed));
    let (serve, run_lock) = (Arc::new(serve), Arc::<tokio::sync::Mutex<()>>::default());
    let shared_run_lock = Arc::clone(&run_lock);
    let task = supervise::keep_serving("this computer's server", move || {
        let (listener, stop, failed) = (duplicate(&listener), stopping.clone(), failed.take());
        let (serve, run_lock) = (Arc::clone(&serve), Arc::clone(&shared_run_lock));
        async move {
            let _guard = run_lock.lock().await;
            let Some(listener) = listener.map_err(|error| error.to_string())? else { return Ok(()) };
            let listener = TcpListener::from_std(listener).map_err(|error| error.to_string())?;
            match (serve(listener, stop.clone()).await, failed) {
                (Err(error), Some(failed)) => {
                    let reason = error.to_string();
                    let _ = failed.send(error.into());
                    Err(reason)
                }
                (Err(error), None) => Err(error.to_string()),
                (Ok(()), _) if stop.is_cancelled() => Ok(()),
                (Ok(()), _) => Err("it ended by itself".to_owned()),
            }
        }
    });
    Ok((ServerTask { stop, listener: shared, run_lock, task }, failure))
}

/// A duplicate of the listener; `None` once the server is to stop.
fn duplicate(shared: &SharedListener) -> io::Result<Option<std::net::TcpListener>> {
    let shared = shared.lock();
    shared.as_ref().map(std::net::TcpListener::try_clone).transpose()
}

impl ServerTask {
    /// Ends the server: on return, requests in flight are finished and the port is free.
    pub(super) async fn stop(self) {
        self.listener.lock().take();
        self.stop.cancel();
        let _guard = self.run_lock.lock().await;
        // The task may be waiting after a failure.
        self.task.abort();
        let _ = self.task.await;
    }

    /// Ends the server at once, without finishing requests.
    pub(super) fn abort(self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

    /// Greets every client that connects.
    async fn serve_hello(listener: TcpListener, stop: CancellationToken) -> io::Result<()> {
        loop {
            let mut stream = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                accepted = listener.accept() => accepted?.0,
            };
            stream.write_all(b"hello").await?;
        }
    }

    async fn read_hello(at: SocketAddr) -> String {
        let mut answer = String::new();
        let exchange = async { TcpStream::connect(at).await?.read_to_string(&mut answer).await };
        tokio::time::timeout(ANSWER_TIMEOUT, exchange)
            .await
            .expect("an answer in time")
            .expect("the port is served");
        answer
    }

    #[tokio::test]
    async fn a_server_that_ends_by_a_fault_is_begun_again_and_its_port_was_never_anybody_elses() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let (starts, before) = (Arc::new(AtomicUsize::new(0)), supervise::faults());
        let start_counter = Arc::clone(&starts);
        let (serving, failed) = start(listener, move |listener, stop| {
            let nth = start_counter.fetch_add(1, Ordering::SeqCst);
            async move {
                assert!(nth != 0, "a fault on purpose");
                if nth == 1 {
                    Err(io::Error::other("an error on purpose"))
                } else {
                    serve_hello(listener, stop).await
                }
            }
        })
        .unwrap();
        failed.await.unwrap_err();
        // A client that connects between two starts waits.
        assert_eq!(read_hello(at).await, "hello");
        assert_eq!(starts.load(Ordering::SeqCst), 3);
        assert!(supervise::faults() >= before + 2, "each was counted");
        serving.stop().await;
        TcpListener::bind(at).await.expect("the port is free");
    }

    #[tokio::test]
    async fn why_a_server_could_not_even_begin_is_told() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (serving, failed) =
            start(listener, |_, _| async { Err::<(), _>(io::Error::other("the folder is taken")) }).unwrap();
        let why = tokio::time::timeout(ANSWER_TIMEOUT, failed).await.unwrap().unwrap();
        assert_eq!(why.to_string(), "the folder is taken");
        serving.abort();
    }
}
