//! Notification threads as GitHub and Forgejo list them, and what the scripted servers of forges share.

use std::hash::{DefaultHasher, Hash, Hasher};

use reqwest::Url;
use serde_json::Value;

use crate::scripted::{Exchange, response};

/// The time of the first event, in seconds since 1970.
const FIRST_SECOND: i64 = 1_790_000_000;
/// The events that happen within one second.
const EVENTS_PER_SECOND: i64 = 3;

/// The threads of one user.
#[derive(Debug, Clone, Default)]
pub(super) struct Threads {
    all: Vec<Thread>,
    events: i64,
}

/// A thread about one issue or pull request.
#[derive(Debug, Clone)]
pub(super) struct Thread {
    pub(super) n: usize,
    /// The time of its last change, in seconds since 1970.
    pub(super) updated: i64,
    pub(super) unread: bool,
    /// Whether it is done, and so in no list.
    pub(super) done: bool,
    pub(super) comments: usize,
    /// The state of its subject.
    pub(super) state: &'static str,
    /// `subscribed` or `ignored`; `None` if the user did neither.
    pub(super) subscription: Option<&'static str>,
}

/// A page of threads, with the number of all, and whether more follow.
pub(super) struct Listed {
    pub(super) threads: Vec<Thread>,
    pub(super) total: usize,
    pub(super) has_next: bool,
}

impl Threads {
    /// Adds a thread.
    pub(super) fn publish(&mut self, n: usize) {
        let updated = self.next_event();
        let (comments, state, subscription) = (0, "open", None);
        self.all.push(Thread { n, updated, unread: true, done: false, comments, state, subscription });
    }

    /// Adds a comment to the subject of a thread.
    pub(super) fn comment(&mut self, n: usize) -> bool {
        self.change(n, |thread| {
            thread.comments += 1;
            (thread.unread, thread.done) = (true, false);
        })
    }

    /// Changes a thread, and the time of its last change.
    pub(super) fn change(&mut self, n: usize, change: impl FnOnce(&mut Thread)) -> bool {
        let updated = self.next_event();
        let Some(thread) = self.get_mut(n) else { return false };
        thread.updated = updated;
        change(thread);
        true
    }

    /// Marks the unread threads that did not change after a second as read, and returns their numbers.
    pub(super) fn read_through(&mut self, second: i64) -> Vec<usize> {
        let unread = self.all.iter_mut().filter(|thread| thread.unread && thread.updated <= second);
        let read = |thread: &mut Thread| {
            thread.unread = false;
            thread.n
        };
        unread.map(read).collect()
    }

    pub(super) fn get(&self, n: usize) -> Option<&Thread> {
        self.all.iter().find(|thread| thread.n == n)
    }

    pub(super) fn get_mut(&mut self, n: usize) -> Option<&mut Thread> {
        self.all.iter_mut().find(|thread| thread.n == n)
    }

    /// The page that a query asks for, newest change first. `size` names the parameter for the size of a page;
    /// `is_through` says whether `before` includes its second.
    pub(super) fn list(&self, url: &Url, size: &str, is_through: bool) -> Listed {
        let second = |name: &str| query(url, name).map(|time| seconds(&time));
        let (since, before) =
            (second("since"), second("before").map(|before| before + i64::from(is_through)));
        let all = query(url, "all").is_some_and(|all| all == "true");
        let mut found: Vec<&Thread> = self
            .all
            .iter()
            .filter(|thread| !thread.done && (all || thread.unread))
            .filter(|thread| since.is_none_or(|since| thread.updated >= since))
            .filter(|thread| before.is_none_or(|before| thread.updated < before))
            .collect();
        found.sort_by_key(|thread| std::cmp::Reverse((thread.updated, thread.n)));
        let size = number(url, size).unwrap_or(50).clamp(1, 50);
        let start = (number(url, "page").unwrap_or(1).max(1) - 1) * size;
        let threads: Vec<Thread> =
            found.iter().skip(start).take(size).map(|thread| (*thread).clone()).collect();
        Listed { has_next: start + threads.len() < found.len(), total: found.len(), threads }
    }

    fn next_event(&mut self) -> i64 {
        self.events += 1;
        FIRST_SECOND + self.events / EVENTS_PER_SECOND
    }
}

/// A time as the APIs write it.
pub(super) fn time(seconds: i64) -> String {
    tidings_model::Stamp::from_secs(seconds).to_string().replace(".000000", "")
}

/// The seconds since 1970 of a time that a request names.
pub(super) fn seconds(time: &str) -> i64 {
    time.parse::<tidings_model::Stamp>().unwrap().as_secs()
}

/// The value of a parameter in a query.
pub(super) fn query(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

/// The value of a parameter that is a whole number.
pub(super) fn number(url: &Url, name: &str) -> Option<usize> {
    query(url, name).and_then(|value| value.parse().ok())
}

/// The header `Link` to the next page of a list.
pub(super) fn next_link(url: &Url, host: &str) -> String {
    let mut next = url.clone();
    let others: Vec<_> = url.query_pairs().filter(|(name, _)| name != "page").collect();
    let page = (number(url, "page").unwrap_or(1) + 1).to_string();
    next.query_pairs_mut().clear().extend_pairs(others).append_pair("page", &page);
    format!("link: <http://{host}{}?{}>; rel=\"next\"\r\n", next.path(), next.query().unwrap_or_default())
}

/// The method of a request.
pub(super) fn method(exchange: &Exchange) -> &str {
    exchange.request.split(' ').next().unwrap_or_default()
}

/// A success with a JSON body.
pub(super) fn ok(headers: &str, body: &Value) -> Vec<u8> {
    response("200 OK", &format!("content-type: application/json\r\n{headers}"), body.to_string())
}

/// A success with a JSON body and an `ETag`, or 304 if the client has that body.
pub(super) fn unless_known(exchange: &Exchange, headers: &str, body: &Value) -> Vec<u8> {
    let mut hasher = DefaultHasher::new();
    body.to_string().hash(&mut hasher);
    let headers = format!("etag: W/\"{:x}\"\r\n{headers}", hasher.finish());
    if exchange
        .header("if-none-match")
        .is_some_and(|known| headers.starts_with(&format!("etag: {known}\r\n")))
    {
        return response("304 Not Modified", &headers, "");
    }
    ok(&headers, body)
}

/// The number of an item from the last part of a path, which has this first part added to it.
pub(super) fn item_number(part: &str, first: usize) -> Option<usize> {
    part.parse::<usize>().ok()?.checked_sub(first)
}
