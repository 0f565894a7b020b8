//! One instance a data folder: a second start hands over to the first and ends. A lock on the folder decides which is
//! first, and the first listens on the folder's socket.

use std::time::{Duration, Instant};

use tidings_app::App;
use tidings_app::socket::Request;
use tidings_home::Home;
use tidings_sqlite::{DataDir, LockError};
use tokio::task::AbortHandle;

use crate::args::Args;

/// The result of a start.
pub(crate) enum Start {
    /// This is the first instance. The lock is held while this value lives; `None` if the folder cannot be locked.
    First(Option<DataDir>),
    /// Another instance runs and did what this start asked.
    HandedOver,
    /// Another instance runs and failed, with the reason.
    Refused(String),
    /// Another instance runs and does not answer.
    Unresponsive,
}

/// The longest wait for the first instance, which may be starting or ending.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval between two tries.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Takes the lock, or hands over to its holder. If there are no Unix sockets, the toolkit's plugin does this later.
pub(crate) fn acquire(home: &Home, args: &Args) -> Start {
    if cfg!(not(unix)) {
        return Start::First(None);
    }
    let start = Instant::now();
    loop {
        match DataDir::lock(home.dir(), "app") {
            Ok(lock) => return Start::First(Some(lock)),
            Err(LockError::InUse(_)) => {}
            // The folder cannot hold a lock, for example because it is read-only; the app starts all the same.
            Err(_) => return Start::First(None),
        }
        match hand_over(home, args) {
            Some(Ok(())) => return Start::HandedOver,
            Some(Err(why)) => return Start::Refused(why),
            None => {}
        }
        if start.elapsed() > HAND_OVER_TIMEOUT {
            return Start::Unresponsive;
        }
        std::thread::sleep(RETRY_INTERVAL);
    }
}

/// The request of a second start to the first.
fn request(args: &Args) -> Request {
    match (&args.link, args.action) {
        (_, Some(action)) => Request::Act(action),
        (Some(link), None) => Request::Open(link.clone()),
        (None, None) if args.background => Request::Ping,
        // A start by the bus, too: the first has not got the name yet, and most that is asked for is seen in the window.
        (None, None) => {
            let token =
                std::env::var("XDG_ACTIVATION_TOKEN").or_else(|_| std::env::var("DESKTOP_STARTUP_ID"));
            Request::Show(token.ok().filter(|token| !token.is_empty()))
        }
    }
}

#[cfg(unix)]
fn hand_over(home: &Home, args: &Args) -> Option<Result<(), String>> {
    tidings_app::socket::ask_blocking(&home.socket(), &request(args)).ok().flatten()
}

/// Not called: without Unix sockets the toolkit's plugin hands over.
#[cfg(not(unix))]
fn hand_over(_home: &Home, _args: &Args) -> Option<Result<(), String>> {
    None
}

/// The request of a second start, for the toolkit's plugin.
#[cfg(not(unix))]
pub(crate) fn request_of(argv: Vec<String>) -> Option<Request> {
    crate::args::parse(argv.into_iter().skip(1)).ok().as_ref().map(request)
}

/// Starts to answer the terminal and second starts on the app's socket. Aborting the task removes the socket file.
#[cfg(unix)]
pub(crate) fn listen(app: &App, home: &Home) -> Option<AbortHandle> {
    use std::sync::Arc;

    use tidings_app::socket;
    let listener = socket::listen(&home.socket())
        .inspect_err(|error| tracing::warn!(%error, "the terminal cannot reach the running app"))
        .ok()?;
    let app = app.clone();
    let answer: socket::RequestHandler = Arc::new(move |request| {
        let app = app.clone();
        Box::pin(async move { app.answer(request).await })
    });
    Some(socket::spawn_server(listener, answer).abort_handle())
}

#[cfg(not(unix))]
pub(crate) fn listen(_app: &App, _home: &Home) -> Option<AbortHandle> {
    None
}
