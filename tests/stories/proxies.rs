//! Tests of a machine that reaches other servers through a proxy only.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use support::program::{built, free_port};
use tempfile::TempDir;
use tidings_net::proxies::{ProxyChoice, ProxyCredentials};
use tidings_sync::TokenStore;
use tidings_testkit::bus::Bus;
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::wait::within_timeout;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use zbus::connection::Builder;
use zbus::{Connection, interface};

/// A SOCKS5 proxy that connects every name to one address; returns its port and the names that it was asked for.
async fn socks_proxy(to: String) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let names = Arc::<Mutex<Vec<String>>>::default();
    let asked = names.clone();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (to, asked) = (to.clone(), asked.clone());
            tokio::spawn(async move {
                let name = handshake(&mut client).await;
                asked.lock().unwrap().push(name);
                let mut server = TcpStream::connect(to).await.unwrap();
                drop(copy_bidirectional(&mut client, &mut server).await);
            });
        }
    });
    (port, names)
}

/// Grants a connection without a sign-in, as RFC 1928 has it; returns the name to connect to.
async fn handshake(client: &mut TcpStream) -> String {
    let mut greeting = [0; 2];
    client.read_exact(&mut greeting).await.unwrap();
    let mut methods = vec![0; usize::from(greeting[1])];
    client.read_exact(&mut methods).await.unwrap();
    client.write_all(&[5, 0]).await.unwrap();
    let mut head = [0; 5];
    client.read_exact(&mut head).await.unwrap();
    assert_eq!(head[..4], [5, 1, 0, 3], "a connection to a name");
    let mut name = vec![0; usize::from(head[4]) + 2];
    client.read_exact(&mut name).await.unwrap();
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
    name.truncate(usize::from(head[4]));
    String::from_utf8(name).unwrap()
}

#[tokio::test]
async fn a_source_is_reached_through_the_proxy_that_the_environment_names() {
    let server = ScriptedServer::start().await;
    let (proxy, names) = socks_proxy(server.host()).await;
    let requests = server.always(response("401 Unauthorized", "", ""));
    let data = TempDir::new().unwrap();
    let mut add = Command::new(built("tidings"));
    add.args(["source", "add", "tidings", "http://inbox.test", "--token", "tdg_x"])
        .env("TIDINGS_DATA_DIR", data.path())
        .env("ALL_PROXY", format!("socks5h://127.0.0.1:{proxy}"))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy");
    let added = tokio::task::spawn_blocking(move || add.output().unwrap());
    let added = within_timeout("the command", added).await.unwrap();
    assert_eq!(added.status.code(), Some(1), "{}", String::from_utf8_lossy(&added.stderr));
    assert!(names.lock().unwrap().iter().any(|name| name == "inbox.test"), "{names:?}");
    let requests = requests.lock().unwrap();
    assert!(requests.iter().any(|request| request.starts_with("GET /api/v1/me ")), "{requests:?}");
}

/// The desktop's portal, which gives one answer and notes what it was asked.
struct Portal {
    answer: Vec<String>,
    asked: Arc<Mutex<Vec<String>>>,
}

#[interface(name = "org.freedesktop.portal.ProxyResolver")]
impl Portal {
    fn lookup(&self, uri: &str) -> Vec<String> {
        self.asked.lock().unwrap().push(uri.to_owned());
        self.answer.clone()
    }
}

/// A desktop that says which proxies it uses.
struct Desk {
    bus: Bus,
    _portal: Connection,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Desk {
    async fn saying(answer: &[String]) -> Self {
        let (bus, asked) = (Bus::start(), Arc::<Mutex<Vec<String>>>::default());
        let portal = Portal { answer: answer.to_vec(), asked: asked.clone() };
        let builder = Builder::address(bus.address.as_str()).unwrap();
        let builder = builder.serve_at("/org/freedesktop/portal/desktop", portal).unwrap();
        let portal = builder.name("org.freedesktop.portal.Desktop").unwrap().build().await.unwrap();
        Self { bus, _portal: portal, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Adds a source on this desktop, in an environment that names no proxy.
    async fn add(&self, data: &Path, url: &str) -> Output {
        let mut add = Command::new(built("tidings"));
        add.args(["source", "add", "tidings", url, "--token", "tdg_x"])
            .env("TIDINGS_DATA_DIR", data)
            .env("TIDINGS_NO_KEYRING", "1")
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus.address);
        for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            add.env_remove(name).env_remove(name.to_uppercase());
        }
        let added = tokio::task::spawn_blocking(move || add.output().unwrap());
        within_timeout("the command", added).await.unwrap()
    }
}

#[tokio::test]
async fn where_the_environment_names_no_proxy_the_desktop_is_asked_and_its_answers_are_tried_in_turn() {
    let server = ScriptedServer::start().await;
    let (proxy, names) = socks_proxy(server.host()).await;
    let (near, requests) = (server.url(), server.always(response("401 Unauthorized", "", "")));
    let closed = free_port();
    let desk = Desk::saying(&[
        "pac+http://wpad/".to_owned(),
        format!("http://127.0.0.1:{closed}"),
        format!("socks://127.0.0.1:{proxy}"),
        "direct://".to_owned(),
    ])
    .await;
    let data = TempDir::new().unwrap();
    let added = desk.add(data.path(), "http://inbox.test/of/ana").await;
    let said = String::from_utf8_lossy(&added.stderr);
    assert!(added.status.code() == Some(1) && said.contains("does not accept this token"), "{said}");
    assert!(names.lock().unwrap().iter().any(|name| name == "inbox.test"), "{names:?}");
    assert_eq!(desk.asked(), ["http://inbox.test"], "once, and not for more than the origin");

    let before = requests.lock().unwrap().len();
    desk.add(data.path(), &near).await;
    assert!(requests.lock().unwrap().len() > before, "this machine is reached without a proxy");
    assert_eq!(desk.asked().len(), 1, "and without a question");
}

#[tokio::test]
async fn the_proxy_that_was_chosen_counts_before_what_the_desktop_says() {
    let proxy = ScriptedServer::start().await;
    let (address, requests) = (proxy.url(), proxy.always(response("401 Unauthorized", "", "")));
    let desk = Desk::saying(std::slice::from_ref(&address)).await;
    let data = TempDir::new().unwrap();
    let store = TokenStore::without_keyring(data.path()).proxy();
    store.set(ProxyChoice::None, None).unwrap();
    let direct = desk.add(data.path(), "http://inbox.test").await;
    assert_eq!(direct.status.code(), Some(1));
    assert!(requests.lock().unwrap().is_empty() && desk.asked().is_empty());

    let ana = ProxyCredentials { user: "ana".into(), password: "3f1c".into() };
    store.set(ProxyChoice::This { address }, Some(ana)).unwrap();
    let added = desk.add(data.path(), "http://inbox.test").await;
    let said = String::from_utf8_lossy(&added.stderr);
    assert!(said.contains("does not accept this token") && !said.contains("3f1c"), "{said}");
    let requests = requests.lock().unwrap();
    // Base64 of ana:3f1c.
    let authorization = "proxy-authorization: basic yw5hojnmmwm=";
    let asked_me = |request: &String| request.starts_with("GET http://inbox.test/api/v1/me ");
    assert!(requests.iter().any(asked_me), "{requests:?}");
    let is_signed_in = |request: &String| request.to_ascii_lowercase().contains(authorization);
    assert!(requests.iter().all(is_signed_in), "{requests:?}");
    assert!(desk.asked().is_empty());
}
