//! One app a data folder: a second start hands over to the first and ends. The folder's lock says who is first, and its
//! socket is where the first one listens.

use std::time::{Duration, Instant};

use tidings_app::Home;
use tidings_app::socket::Request;
use tidings_sqlite::{DataDir, LockError};

use crate::args::Args;

/// What became of a start.
pub(crate) enum Start {
    /// It is the first. The lock is held for as long as this lives; none where the folder cannot be written.
    First(Option<DataDir>),
    /// Another one runs and was asked to do what this start is about.
    HandedOver,
    /// Another one runs and could not do it, and why.
    Refused(String),
    /// Another one runs and does not answer.
    CallError,
}

/// The first one may be starting, or ending, right now.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two tries.
const STEP: Duration = Duration::from_millis(50);

/// Finds out who is first. Where there are no sockets, the toolkit's plugin does once the program runs.
pub(crate) fn acquire(home: &Home, args: &Args) -> Start {
    if cfg!(not(unix)) {
        return Start::First(None);
    }
    let start = Instant::now();
    loop {
        match DataDir::lock(home.dir(), "app") {
            Ok(lock) => return Start::First(Some(lock)),
            Err(LockError::Held(_)) => {}
            // Nobody can hold a lock there; what can work does.
            Err(_) => return Start::First(None),
        }
        match hand_over(home, args) {
            Some(Ok(())) => return Start::HandedOver,
            Some(Err(why)) => return Start::Refused(why),
            None => {}
        }
        if start.elapsed() > PATIENCE {
            return Start::CallError;
        }
        std::thread::sleep(STEP);
    }
}

/// What a second start asks of the first.
fn request(args: &Args) -> Request {
    match &args.link {
        Some(link) => Request::Open(link.clone()),
        None if args.background => Request::Here,
        None => {
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

/// Never asked there.
#[cfg(not(unix))]
fn hand_over(_home: &Home, _args: &Args) -> Option<Result<(), String>> {
    None
}

/// What a second start asks, for the toolkit's plugin.
#[cfg(not(unix))]
pub(crate) fn asked(argv: Vec<String>) -> Option<Request> {
    crate::args::read(argv.into_iter().skip(1)).ok().as_ref().map(request)
}
