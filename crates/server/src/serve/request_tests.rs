//! Requests of strangers to every door, as they are after their head was read.

use std::cell::RefCell;

use hyper::header::HOST;
use tempfile::TempDir;
use tidings_model::SystemClock;
use tidings_model::wire::Scope;
use tidings_server_core::config::ServerConfig;
use tidings_server_core::connections::Connections;
use tidings_server_core::server::Server;
use tidings_server_core::state::AppState;
use tokio::runtime::Runtime;

use super::*;

use crate::http::router;

/// The requests to one server. What they have done is gone with it.
const MAX_REQUESTS: u32 = 200;

/// A server in standalone mode, without a listener.
struct Doors {
    runtime: Runtime,
    api: Router,
    context: Arc<RequestContext>,
    server: Server,
    token: String,
    requests: u32,
    _connections: Connections,
    _dir: TempDir,
}

impl Doors {
    fn open() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (dir, connections) = (tempfile::tempdir().unwrap(), Connections::new(1));
        let config = ServerConfig {
            rate: None,
            standalone_owner: Some("ann".to_owned()),
            ..ServerConfig::new(dir.path())
        };
        let peer: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let (server, token, app) = runtime.block_on(async {
            let server = Server::open(config, Arc::new(SystemClock)).await.unwrap();
            let scopes = [Scope::Inbox, Scope::Publish, Scope::Admin];
            let token = server.owner("ann", "Ann", "test", &scopes).await.unwrap().token;
            let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
            let app = AppState::new(&server, peer, draining, stop, tidings_doors::refusal).await.unwrap();
            (server, token, app)
        });
        let context = Arc::new(RequestContext {
            peer,
            local_peer: None,
            slot: Arc::new(connections.admit(peer.ip()).unwrap()),
            tasks: TaskTracker::new(),
            task_failures: Arc::clone(&server.task_failures),
            draining: CancellationToken::new(),
        });
        let api = router(app);
        Self { runtime, api, context, server, token, requests: 0, _connections: connections, _dir: dir }
    }

    /// The request in an input: a line with method and path, lines with headers, an empty line, and a body. `TOKEN` in a
    /// header stands for a token of everything. `None` for what is no request, and for one that waits for an answer.
    fn request(&self, input: &[u8]) -> Option<Request<Body>> {
        let at = input.windows(2).position(|two| two == b"\n\n").unwrap_or(input.len());
        let (head, body) = input.split_at(at);
        let mut lines = std::str::from_utf8(head).ok()?.lines();
        let (method, path) = lines.next()?.split_once(' ')?;
        if path.contains("/notifications/") && path.contains('?') {
            return None;
        }
        let mut request = Request::builder().method(method).uri(path).header(HOST, "localhost");
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            request = request.header(name, value.replace("TOKEN", &self.token));
        }
        request.body(Body::from(body.get(2..).unwrap_or_default().to_vec())).ok()
    }

    fn ask(&mut self, input: &[u8]) {
        let Some(request) = self.request(input) else { return };
        self.requests += 1;
        let is_last = self.requests == MAX_REQUESTS;
        self.runtime.block_on(async {
            let response = handle(self.api.clone(), &self.context, request).await.expect("an answer");
            assert!(!response.status().is_server_error(), "{}", response.status());
            let failures = self.server.task_failures.counts();
            assert!(failures.is_empty(), "{failures:?}");
            if is_last {
                assert_eq!(self.server.check().await.unwrap(), []);
            }
        });
    }
}

#[test]
fn whatever_a_stranger_asks_there_is_an_answer_and_the_server_holds_together() {
    let doors = RefCell::new(Doors::open());
    tidings_testkit::fuzz::run("door", 600, |input| {
        let mut doors = doors.borrow_mut();
        if doors.requests == MAX_REQUESTS {
            *doors = Doors::open();
        }
        doors.ask(input);
    });
}
