//! One app a data folder: a second start hands over to the first and ends. Refuses to guess by names on a bus: the
//! data folder's socket says who is first.

use tidings_app::Home;
use tidings_app::socket::Request;

use crate::args::Args;

/// What a second start asks of the first.
fn request(args: &Args) -> Option<Request> {
    match &args.link {
        Some(link) => Some(Request::Open(link.clone())),
        None if args.background => None,
        None => {
            let token =
                std::env::var("XDG_ACTIVATION_TOKEN").or_else(|_| std::env::var("DESKTOP_STARTUP_ID"));
            Some(Request::Show(token.ok().filter(|token| !token.is_empty())))
        }
    }
}

/// Whether an app runs already; it was asked to do what this start is about.
#[cfg(unix)]
pub(crate) fn handed_over(home: &Home, args: &Args) -> bool {
    use tidings_app::socket::ask_blocking;
    let Some(request) = request(args) else {
        // In the background there is nothing to ask; it is enough to know that one answers.
        return std::os::unix::net::UnixStream::connect(home.socket()).is_ok();
    };
    matches!(ask_blocking(&home.socket(), &request), Ok(Some(Ok(()))))
}

/// Elsewhere the toolkit's plugin does this once the program runs.
#[cfg(not(unix))]
pub(crate) fn handed_over(_home: &Home, _args: &Args) -> bool {
    false
}

/// What a second start asks, for the toolkit's plugin.
#[cfg(not(unix))]
pub(crate) fn asked(argv: Vec<String>) -> Option<Request> {
    crate::args::read(argv.into_iter().skip(1)).ok().as_ref().and_then(request)
}
