//! The proxy of each request to another machine: the one that the reader chose, or that the environment names, or that
//! the desktop names for the address. The desktop is asked before the request, and its answer is remembered for a
//! minute. Requests to this machine, and to addresses that were checked, use none.
//!
//! The desktop's portal is asked for 3 s at most. If a proxy of its answer can't be reached, the next one is tried.

#[cfg(target_os = "linux")]
mod portal;

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;
use parking_lot::Mutex;
use reqwest::{ClientBuilder, Proxy};
use tokio::time::Instant;
use url::Url;

use super::hosts::is_loopback;

/// The time for which an answer of the desktop is remembered.
const ANSWER_LIFE: Duration = Duration::from_secs(60);
/// The longest wait for an answer; without one the request uses no proxy.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);
/// The most proxies of an answer that are tried.
const MAX_PROXIES: usize = 8;
/// The most answers that are remembered.
const MAX_ANSWERS: usize = 500;

/// The variables that name a proxy.
const VARIABLES: [&str; 6] =
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// Which proxy requests use. Has no `Debug`, because an address may hold a password.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    /// The one of the environment: what holds until the reader's choice was read.
    #[default]
    Environment,
    /// The proxy of the environment; if it names none, the one that the desktop names.
    Desktop,
    /// None.
    Direct,
    /// This one, with its user and password.
    This(Url),
}

/// The desktop's answer for an origin.
struct ProxyAnswer {
    /// The proxies in the order in which they are tried, `None` for a direct connection.
    proxies: Vec<Option<Url>>,
    /// The one that is used now: those before could not be reached.
    current: usize,
    until: Instant,
}

struct ProxyState {
    mode: Mode,
    answers: BTreeMap<String, ProxyAnswer>,
}

static STATE: Mutex<ProxyState> =
    Mutex::new(ProxyState { mode: Mode::Environment, answers: BTreeMap::new() });
/// Held while the desktop is asked.
static ASKING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
/// The proxies that the environment names.
static ENVIRONMENT: LazyLock<Matcher> = LazyLock::new(Matcher::from_system);
static IS_IN_ENVIRONMENT: LazyLock<bool> = LazyLock::new(|| {
    VARIABLES.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
});

/// Uses this proxy from now on. Whether it is another one than before, so that connections have to be made anew.
pub(crate) fn install(mode: Mode) -> bool {
    let mut state = STATE.lock();
    if state.mode == mode {
        return false;
    }
    state.mode = mode;
    state.answers.clear();
    true
}

/// Forgets the desktop's answers, for example on another network.
pub(super) fn forget_answers() {
    STATE.lock().answers.clear();
}

/// Gives a client of other machines its proxy.
pub(super) fn apply(builder: ClientBuilder) -> ClientBuilder {
    let mode = STATE.lock().mode.clone();
    match mode {
        Mode::Environment => builder,
        Mode::Desktop if *IS_IN_ENVIRONMENT => builder,
        Mode::Direct => builder.no_proxy(),
        // It is asked for each connection, and knows by then what the desktop says.
        Mode::Desktop => builder.no_proxy().proxy(Proxy::custom(answered)),
        Mode::This(proxy) => builder.no_proxy().proxy(Proxy::custom(move |_| Some(proxy.clone()))),
    }
}

/// Whether a request to an address of another machine uses a proxy, as far as it is known.
pub(super) fn is_proxied(url: &Url) -> bool {
    let mode = STATE.lock().mode.clone();
    match mode {
        Mode::Direct => false,
        Mode::This(_) => true,
        Mode::Desktop if !*IS_IN_ENVIRONMENT => answered(url).is_some(),
        Mode::Environment | Mode::Desktop => {
            url.as_str().parse().is_ok_and(|uri| ENVIRONMENT.intercept(&uri).is_some())
        }
    }
}

fn key(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The proxy that the desktop names for an address; `None` for a direct connection, and if it was not asked.
fn answered(url: &Url) -> Option<Url> {
    let state = STATE.lock();
    let answer = state.answers.get(&key(url))?;
    answer.proxies.get(answer.current)?.clone()
}

/// Asks the desktop which proxy a request to an address is to use, if the desktop is to be asked and was not asked
/// lately. The desktop learns the origin alone.
pub(super) async fn prepare(url: &Url) {
    if is_loopback(url) || *IS_IN_ENVIRONMENT {
        return;
    }
    let key = key(url);
    if !is_to_be_asked(&key) {
        return;
    }
    // Of several requests to an origin the first one asks.
    let _turn = ASKING.lock().await;
    if !is_to_be_asked(&key) {
        return;
    }
    let said = tokio::time::timeout(ANSWER_TIMEOUT, lookup(&key)).await.unwrap_or_default();
    let mut state = STATE.lock();
    if state.mode == Mode::Desktop {
        if state.answers.len() >= MAX_ANSWERS {
            state.answers.clear();
        }
        let (proxies, until) = (read(&said), Instant::now() + ANSWER_LIFE);
        state.answers.insert(key, ProxyAnswer { proxies, current: 0, until });
    }
}

fn is_to_be_asked(key: &str) -> bool {
    let state = STATE.lock();
    let is_fresh = state.answers.get(key).is_some_and(|answer| Instant::now() < answer.until);
    state.mode == Mode::Desktop && !is_fresh
}

/// The place of the present proxy for an address among those of the desktop's answer, if there is one after it.
pub(super) fn place_with_next(url: &Url) -> Option<usize> {
    let state = STATE.lock();
    let answer = state.answers.get(&key(url)).filter(|_| state.mode == Mode::Desktop)?;
    (answer.current + 1 < answer.proxies.len()).then_some(answer.current)
}

/// Uses the next proxy for an address, because the one at this place can't be reached. Of several requests that find that out
/// at the same time one turns to it.
pub(super) fn turn_from(url: &Url, place: usize) {
    if let Some(answer) = STATE.lock().answers.get_mut(&key(url))
        && answer.current == place
    {
        answer.current = (place + 1).min(answer.proxies.len().saturating_sub(1));
    }
}

#[cfg(target_os = "linux")]
async fn lookup(origin: &str) -> Vec<String> {
    portal::lookup(origin).await
}

#[cfg(not(target_os = "linux"))]
async fn lookup(_origin: &str) -> Vec<String> {
    Vec::new()
}

/// The proxies of an answer such as `["http://proxy:3128", "direct://"]`; of one that names none that is supported, a
/// direct connection.
fn read(said: &[String]) -> Vec<Option<Url>> {
    // What libproxy calls SOCKS of any version; the proxy resolves the name.
    let known = |text: &String| match text.trim().strip_prefix("socks://") {
        Some(rest) => format!("socks5h://{rest}"),
        None => text.trim().to_owned(),
    };
    let is_usable = |text: &String| text.starts_with("direct:") || parse(text).is_some();
    let usable = said.iter().map(known).filter(is_usable).take(MAX_PROXIES);
    let proxies: Vec<_> = usable.map(|text| parse(&text)).collect();
    if proxies.is_empty() { vec![None] } else { proxies }
}

/// The address of a proxy; `None` for one that is not supported.
pub(crate) fn parse(text: &str) -> Option<Url> {
    let url: Url = text.trim().parse().ok()?;
    let is_known = matches!(url.scheme(), "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h");
    (is_known && url.host_str().is_some_and(|host| !host.is_empty())).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_of_a_desktop_are_read_in_their_order() {
        let said = |texts: &[&str]| {
            let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
            let proxies = read(&texts).into_iter();
            proxies
                .map(|one| one.map_or_else(|| "direct".to_owned(), |url| url.to_string()))
                .collect::<Vec<_>>()
        };
        assert_eq!(said(&[]), ["direct"]);
        assert_eq!(said(&["pac+http://wpad/", "ftp://a", "nonsense", "http://"]), ["direct"]);
        assert_eq!(
            said(&["http://proxy.example:3128", "socks5://127.0.0.1:1080", "socks://[::1]:1", "direct://"]),
            ["http://proxy.example:3128/", "socks5://127.0.0.1:1080", "socks5h://[::1]:1", "direct"]
        );
        assert_eq!(said(&["http://a:1"; 20]).len(), MAX_PROXIES);
    }
}
