//! Tests that links of notifications connect only to checked addresses, even if a name's address changes in between.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Mutex;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tidings_net::{Error, egress};
use tidings_testkit::scripted::ScriptedServer;
use url::Url;

/// A public address that is assigned to nobody.
const UNASSIGNED: &str = "2d00::1";
const LOOPBACK: &str = "127.0.0.1";

/// A hostile name resolver: each query gets the next answer, and the last answer repeats.
struct ChangingResolver(Mutex<(usize, Vec<Vec<IpAddr>>)>);

impl ChangingResolver {
    fn new(answers: &[&[&str]]) -> Self {
        let parsed = |answer: &&[&str]| answer.iter().map(|ip| ip.parse().unwrap()).collect();
        Self(Mutex::new((0, answers.iter().map(parsed).collect())))
    }

    fn lookups(&self) -> usize {
        self.0.lock().unwrap().0
    }
}

impl Resolve for ChangingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        assert_eq!(name.as_str(), "changes.example");
        let mut state = self.0.lock().unwrap();
        let at = state.0.min(state.1.len() - 1);
        state.0 += 1;
        let found: Vec<_> = state.1[at].iter().map(|ip| SocketAddr::new(*ip, 0)).collect();
        Box::pin(async move { Ok(Box::new(found.into_iter()) as Addrs) })
    }
}

fn url_at(listener: &TcpListener) -> Url {
    let port = listener.local_addr().unwrap().port();
    format!("http://changes.example:{port}/secret").parse().unwrap()
}

#[tokio::test]
async fn a_name_that_becomes_private_between_the_check_and_the_connection_reaches_nothing_private() {
    for answers in [&[&[UNASSIGNED][..], &[LOOPBACK]][..], &[&[UNASSIGNED, LOOPBACK]]] {
        let listener = TcpListener::bind((LOOPBACK, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let (names, url) = (ChangingResolver::new(answers), url_at(&listener));
        let client = egress::client_with_resolver(&names, &url, None)
            .await
            .expect("it is on the internet as it is checked");
        // Without a route to the internet the request fails at once; otherwise the timeout bounds it.
        client.get(url).timeout(Duration::from_secs(1)).send().await.unwrap_err();
        assert_eq!(
            listener.accept().unwrap_err().kind(),
            ErrorKind::WouldBlock,
            "nobody came to {answers:?}"
        );
        assert_eq!(names.lookups(), 1, "the name was asked for once");
    }
}

#[tokio::test]
async fn the_connection_goes_to_the_address_that_was_checked() {
    let server = ScriptedServer::start().await;
    let url: Url = server.url().replace(LOOPBACK, "changes.example").parse().unwrap();
    server.always(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec());
    let names = ChangingResolver::new(&[&[LOOPBACK], &[UNASSIGNED]]);
    let home: Url = "http://127.0.0.1:1/".parse().unwrap();
    let client = egress::client_with_resolver(&names, &url, Some(&home)).await.unwrap();
    assert_eq!(client.get(url).send().await.unwrap().status(), 204);
    assert_eq!(names.lookups(), 1, "the name was asked for once");
}

#[tokio::test]
async fn a_name_that_is_private_as_it_is_checked_is_refused_whatever_it_becomes() {
    let url: Url = "http://changes.example/".parse().unwrap();
    let elsewhere: Url = "https://93.184.216.34/".parse().unwrap();
    for home in [None, Some(&elsewhere)] {
        let names = ChangingResolver::new(&[&[LOOPBACK], &[UNASSIGNED]]);
        let refused = egress::client_with_resolver(&names, &url, home).await.map(drop);
        assert!(matches!(refused, Err(Error::Private)), "{refused:?}");
    }
}
