//! A web server with feeds: one that lists the newest items, and documents that a test puts there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

use tidings_model::Stamp;

use super::{Faults, ScriptedService, serve};
use crate::scripted::{Exchange, Requests, ScriptedServer, response};

/// The path of the feed.
const PATH: &str = "/feed.xml";
/// The most items that the feed lists.
const WINDOW: usize = 400;

/// A running server.
#[derive(Debug)]
pub struct Feed {
    url: String,
    pages: Arc<Mutex<Pages>>,
    faults: Faults,
    requests: Requests,
}

#[derive(Debug, Default)]
struct Pages {
    /// The numbers of the items in the feed, and the number of its changes.
    items: Vec<usize>,
    changes: usize,
    documents: BTreeMap<String, Document>,
}

#[derive(Debug, Clone, Default)]
struct Document {
    body: Vec<u8>,
    headers: String,
}

impl Feed {
    /// Starts a server whose feed is empty.
    pub async fn start() -> Self {
        let server = ScriptedServer::start().await;
        let url = server.url();
        let (pages, faults, requests) = serve(server, |exchange, pages| respond(exchange, pages));
        Self { url, pages, faults, requests }
    }

    /// The address of a path.
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Puts a document at a path. Each of `headers` ends with `\r\n`.
    pub fn put(&self, path: &str, headers: &str, body: impl AsRef<[u8]>) {
        let document = Document { body: body.as_ref().to_vec(), headers: headers.to_owned() };
        self.pages.lock().unwrap().documents.insert(path.to_owned(), document);
    }

    /// Removes the document at a path.
    pub fn remove(&self, path: &str) {
        self.pages.lock().unwrap().documents.remove(path);
    }
}

impl ScriptedService for Feed {
    fn protocol(&self) -> &'static str {
        "feed"
    }

    fn url(&self) -> String {
        self.at(PATH)
    }

    fn token(&self) -> String {
        String::new()
    }

    fn publish(&self, n: usize) {
        let mut pages = self.pages.lock().unwrap();
        pages.items.push(n);
        pages.changes += 1;
    }

    fn delete(&self, n: usize) -> bool {
        let mut pages = self.pages.lock().unwrap();
        let before = pages.items.len();
        pages.items.retain(|item| *item != n);
        pages.changes += 1;
        pages.items.len() < before
    }

    fn msgid(&self, n: usize) -> String {
        format!("entry-{n}")
    }

    fn faults(&self) -> &Faults {
        &self.faults
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn respond(exchange: &Exchange, pages: &Pages) -> Vec<u8> {
    let url = exchange.url();
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    if let Some(Document { body, headers }) = pages.documents.get(&path) {
        let etag = headers.lines().find_map(|header| header.strip_prefix("etag: "));
        if etag.is_some() && etag == exchange.header("if-none-match") {
            return response("304 Not Modified", headers, "");
        }
        return response("200 OK", headers, body);
    }
    if path != PATH {
        return response(
            "404 Not Found",
            "content-type: text/html\r\n",
            "<html><body>Not found</body></html>",
        );
    }
    let modified = Stamp::from_secs(1_790_000_000 + i64::try_from(pages.changes).unwrap());
    let modified = modified.to_datetime().format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    let validators = format!("etag: \"{}\"\r\nlast-modified: {modified}\r\n", pages.changes);
    let is_known = exchange.header("if-none-match") == Some(&*format!("\"{}\"", pages.changes))
        && exchange.header("if-modified-since") == Some(&*modified);
    if is_known {
        return response("304 Not Modified", &validators, "");
    }
    response("200 OK", &format!("content-type: application/rss+xml\r\n{validators}"), rss(&pages.items))
}

/// The newest items as RSS, newest first.
fn rss(items: &[usize]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Feed</title>\
         <link>https://feed.example/</link><description>Items</description>\n",
    );
    for n in items.iter().rev().take(WINDOW) {
        // Three entries share a second.
        let at = Stamp::from_secs(1_790_000_000 + i64::try_from(n / 3).unwrap()).to_datetime().to_rfc2822();
        let _ = writeln!(
            out,
            "<item><guid isPermaLink=\"false\">entry-{n}</guid><title>item {n}</title><pubDate>{at}</pubDate>\
             <link>https://feed.example/{n}</link><description>&lt;p&gt;Text of {n}&lt;/p&gt;</description></item>"
        );
    }
    out + "</channel></rss>"
}
