//! The socket in the data folder through which other processes of its owner reach the running app: one line as the
//! request, one line as the answer.

use std::io;
use std::path::Path;

use tidings_ports::MenuAction;

/// A request to the running app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Pull every source; answered when the pulls have ended.
    Pull,
    /// Another process wrote to the replica: read it again and send the outbox.
    Changed,
    /// Answer only, to show that the app runs.
    Ping,
    /// Show the window; with the desktop's activation token.
    Show(Option<String>),
    /// Open a `tidings:` link.
    Open(String),
    /// Do what an action of the desktop entry does, for example mark everything read.
    Act(MenuAction),
}

/// The most bytes read of a request or an answer.
const MAX_LINE_BYTES: u64 = 4_096;

impl Request {
    fn from_line(line: &str) -> Option<Self> {
        let (verb, argument) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        let argument = argument.trim();
        Some(match verb {
            "pull" => Self::Pull,
            "changed" => Self::Changed,
            "here" => Self::Ping,
            "show" => Self::Show((!argument.is_empty()).then(|| argument.to_owned())),
            "open" if !argument.is_empty() => Self::Open(argument.to_owned()),
            "act" => Self::Act(MenuAction::from_word(argument)?),
            _ => return None,
        })
    }

    fn to_line(&self) -> String {
        let line = match self {
            Self::Pull => "pull".to_owned(),
            Self::Changed => "changed".to_owned(),
            Self::Ping => "here".to_owned(),
            Self::Show(None) => "show".to_owned(),
            Self::Show(Some(token)) => format!("show {token}"),
            Self::Open(link) => format!("open {link}"),
            Self::Act(action) => format!("act {}", action.word().unwrap_or_default()),
        };
        line.replace(['\n', '\r'], " ") + "\n"
    }
}

#[cfg(unix)]
pub use unix::{Listener, RequestHandler, ask, ask_blocking, listen, spawn_server};

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;
    use std::sync::Arc;

    use futures_util::future::BoxFuture;
    use tidings_net::supervise;
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
    use tokio::net::{UnixListener, UnixStream};
    use tokio::task::JoinHandle;

    use super::{MAX_LINE_BYTES, Path, Request, io};

    /// The app's listening end of the socket. Dropping it removes the socket file.
    #[derive(Debug)]
    pub struct Listener {
        inner: UnixListener,
        path: PathBuf,
    }

    /// Binds the socket, for its owner alone (0600). Must run inside a tokio runtime.
    ///
    /// # Errors
    /// `AddrInUse` if another process answers on the socket; else the file system's error.
    pub fn listen(path: &Path) -> io::Result<Listener> {
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        // The socket file of a killed process has no listener.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let inner = UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Listener { inner, path: path.to_owned() })
    }

    /// Handles a request; the error is a sentence for the client.
    pub type RequestHandler = Arc<dyn Fn(Request) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

    /// Spawns a task that answers for as long as the program runs; after a panic it is restarted on the same socket.
    /// The socket file is gone once the task was aborted and awaited. Must run inside a tokio runtime.
    pub fn spawn_server(listener: Listener, handler: RequestHandler) -> JoinHandle<()> {
        let listener = Arc::new(listener);
        supervise::keep("the app's socket", move || {
            let (listener, handler) = (Arc::clone(&listener), Arc::clone(&handler));
            async move { listener.serve(handler).await }
        })
    }

    impl Listener {
        async fn serve(&self, handler: RequestHandler) {
            loop {
                match self.inner.accept().await {
                    Ok((stream, _)) => {
                        supervise::once(
                            "a request on the app's socket",
                            handle_connection(stream, Arc::clone(&handler)),
                        );
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the socket of the app failed");
                        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                    }
                }
            }
        }
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    async fn handle_connection(stream: UnixStream, handler: RequestHandler) {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        if (&mut stream).take(MAX_LINE_BYTES).read_line(&mut line).await.is_err() {
            return;
        }
        let result = match Request::from_line(&line) {
            Some(request) => handler(request).await,
            None => Err("this version does not know that request".to_owned()),
        };
        let reply = match result {
            Ok(()) => "ok\n".to_owned(),
            Err(why) => format!("failed {}\n", why.replace(['\n', '\r'], " ")),
        };
        let _ = stream.get_mut().write_all(reply.as_bytes()).await;
    }

    /// Sends a request to the running app: `Ok(None)` if none runs, `Ok(Some(Err(why)))` if it failed.
    ///
    /// # Errors
    /// The connection broke, or the app closed it without an answer.
    pub async fn ask(path: &Path, request: &Request) -> io::Result<Option<Result<(), String>>> {
        let mut stream = match UnixStream::connect(path).await {
            Ok(stream) => stream,
            Err(error) if is_not_running(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        stream.write_all(request.to_line().as_bytes()).await?;
        let mut answer = String::new();
        BufReader::new(stream).take(MAX_LINE_BYTES).read_line(&mut answer).await?;
        parse_answer(&answer)
    }

    /// Like [`ask`], blocking: for a process without a runtime.
    ///
    /// # Errors
    /// See [`ask`].
    pub fn ask_blocking(path: &Path, request: &Request) -> io::Result<Option<Result<(), String>>> {
        use std::io::{BufRead, Read, Write};
        let mut stream = match std::os::unix::net::UnixStream::connect(path) {
            Ok(stream) => stream,
            Err(error) if is_not_running(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        stream.write_all(request.to_line().as_bytes())?;
        let mut answer = String::new();
        std::io::BufReader::new(stream).take(MAX_LINE_BYTES).read_line(&mut answer)?;
        parse_answer(&answer)
    }

    fn is_not_running(error: &io::Error) -> bool {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
    }

    fn parse_answer(answer: &str) -> io::Result<Option<Result<(), String>>> {
        match answer.trim_end() {
            "ok" => Ok(Some(Ok(()))),
            "" => Err(io::ErrorKind::UnexpectedEof.into()),
            line => Ok(Some(Err(line.strip_prefix("failed ").unwrap_or(line).to_owned()))),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[tokio::test]
    async fn the_terminal_asks_and_is_answered() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("app.sock");
        assert_eq!(ask(&path, &Request::Pull).await.unwrap(), None, "nobody runs yet");
        let received = Arc::new(Mutex::new(Vec::new()));
        let listener = listen(&path).unwrap();
        let recorder = Arc::clone(&received);
        let handler: RequestHandler = Arc::new(move |request| {
            recorder.lock().unwrap().push(request.clone());
            Box::pin(
                async move { if request == Request::Pull { Ok(()) } else { Err("not\nnow".to_owned()) } },
            )
        });
        let task = spawn_server(listener, handler);
        assert_eq!(ask(&path, &Request::Pull).await.unwrap(), Some(Ok(())));
        let link = Request::Open("tidings:thread/7".into());
        assert_eq!(ask(&path, &link).await.unwrap(), Some(Err("not now".into())));
        let actions = [MenuAction::MarkAllRead, MenuAction::PauseHour].map(Request::Act);
        for action in &actions {
            ask(&path, action).await.unwrap();
        }
        let [read, pause] = actions;
        assert_eq!(*received.lock().unwrap(), [Request::Pull, link, read, pause]);
        task.abort();
        let _ = task.await;
        assert!(!path.exists(), "the socket goes with the app");
    }

    #[tokio::test]
    async fn a_request_that_panics_is_counted_and_the_next_one_is_answered() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("app.sock");
        let handler: RequestHandler = Arc::new(|request| {
            assert!(request != Request::Ping, "a fault on purpose");
            Box::pin(async { Ok(()) })
        });
        let task = spawn_server(listen(&path).unwrap(), handler);
        let before = tidings_net::supervise::faults();
        ask(&path, &Request::Ping).await.unwrap_err();
        assert!(tidings_net::supervise::faults() > before);
        assert_eq!(ask(&path, &Request::Pull).await.unwrap(), Some(Ok(())));
        task.abort();
    }

    #[tokio::test]
    async fn a_second_app_finds_the_first_and_a_killed_one_leaves_no_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("app.sock");
        let first = listen(&path).unwrap();
        assert_eq!(listen(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        std::mem::forget(first);
        drop(std::os::unix::net::UnixListener::bind(dir.path().join("dead.sock")).unwrap());
        assert!(listen(&dir.path().join("dead.sock")).is_ok());
    }
}
