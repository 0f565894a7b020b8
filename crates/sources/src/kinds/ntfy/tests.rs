//! Tests of a topic's address, its credential and its stream.

use futures_util::StreamExt;
use tidings_model::SystemClock;
use tidings_testkit::scripted::ScriptedServer;
use tidings_testkit::wait::within_timeout;

use super::*;

fn ntfy(url: &str, credential: &str) -> Result<Ntfy> {
    Ntfy::new(url, credential, Arc::new(SystemClock), Bounds::default())
}

#[test]
fn an_address_that_names_no_topics_is_refused() {
    for odd in ["https://ntfy.sh/", "https://ntfy.sh/a b", "ftp://ntfy.sh/alerts"] {
        assert!(matches!(ntfy(odd, ""), Err(Error::Address(_))), "{odd}");
    }
}

#[test]
fn a_credential_that_is_no_header_is_refused() {
    for credential in ["", "tk_right", "phil:mypass", "phil:", "phil:ä:ö"] {
        assert!(ntfy("https://ntfy.sh/alerts", credential).is_ok(), "{credential}");
    }
    assert!(matches!(ntfy("https://ntfy.sh/alerts", "tk_\n"), Err(Error::SignIn)));
}

#[tokio::test]
async fn a_silent_stream_is_dead() {
    let server = ScriptedServer::start().await;
    let url = format!("{}/alerts", server.url());
    server.serve(|mut exchange| async move {
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n";
        if exchange.send(head).await.is_ok() {
            std::future::pending::<()>().await;
        }
    });
    let ntfy = Ntfy { silence: Duration::from_millis(50), ..ntfy(&url, "").unwrap() };
    let mut live = ntfy.listen().await.unwrap().unwrap();
    assert!(ntfy.channel.is_open());
    let ended = within_timeout("the end of the stream", live.next()).await;
    assert!(matches!(ended, Some(Err(Error::Slow))), "{ended:?}");
    drop(live);
    assert!(!ntfy.channel.is_open());
}
