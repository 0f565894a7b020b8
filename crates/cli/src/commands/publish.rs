//! `send --source`: publishes on a topic of a source, such as one of an ntfy server, as the window does.

use std::sync::Arc;

use serde_json::json;
use tidings_home::Home;
use tidings_model::{Clock, Priority, SystemClock};
use tidings_net::Error as NetError;
use tidings_sources::{Publication, protocol, topics};
use tidings_sync::tokens::valid_token;
use tidings_sync::{Error as SyncError, Tokens, publish_once};

use crate::args::Send;
use crate::error::{Error, Result};
use crate::inbox;
use crate::output::{Output, clean};

/// Publishes a text on a topic of the source with this name, and says so.
pub(super) async fn run(name: &str, args: Send, text: String, home: &Home, out: Output) -> Result<()> {
    let (source, topic) = on_source(name, args, text, home).await?;
    out.print(&json!({ "source": source, "topic": topic }), |to| {
        writeln!(to, "published to {topic}, at {}", clean(&source))
    })
}

/// Publishes a text on a topic of the source with this name; returns the names of both.
pub(super) async fn on_source(name: &str, args: Send, text: String, home: &Home) -> Result<(String, String)> {
    let replica = inbox::open(home)?;
    let row = inbox::find(&replica, name)?;
    let known = topics(&row);
    if known.is_empty() {
        return Err(Error::failed(format!("you can't publish at the source `{}`", clean(name))));
    }
    if !known.contains(&args.topic) {
        return Err(Error::Usage(format!(
            "`{}` has no topic `{}`: name one of {} with --topic",
            clean(name),
            clean(&args.topic),
            known.join(", ")
        )));
    }
    let most = protocol(&row.protocol)?.abilities.publish_bytes.unwrap_or_default();
    if text.trim().is_empty() || text.len() > most {
        return Err(Error::failed(format!(
            "a text has 1 to {most} bytes there, and this one has {}",
            text.len()
        )));
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let publication = Publication {
        key: format!("t{}", clock.now().as_micros()),
        topic: args.topic,
        title: args.title,
        text,
        is_markdown: args.markdown,
        priority: args.priority.and_then(|number| Priority::new(number.into()).ok()).unwrap_or_default(),
        tags: args.tag,
        click: args.click,
    };
    let tokens: Arc<dyn Tokens> = Arc::new(inbox::tokens(home, &replica)?);
    let (token, _) = valid_token(&replica, &tokens, &row, &clock).await?;
    let client = tidings_sources::open(&row, token, clock)?;
    publish_once(&replica, row.id, &*client, &publication)
        .await
        .map_err(|error| why(&error, &publication.topic))?;
    Ok((inbox::source_name(&row).to_owned(), publication.topic))
}

/// Why it was not published, or may not have been.
fn why(error: &SyncError, topic: &str) -> Error {
    Error::failed(match error {
        SyncError::Net(NetError::Forbidden) => {
            format!("the token may not publish to `{topic}`: nothing was published")
        }
        SyncError::Net(NetError::SignIn) => {
            "the server does not accept the token: nothing was published".to_owned()
        }
        SyncError::Net(
            NetError::Refused(_) | NetError::Offline | NetError::NameNotFound | NetError::Waiting { .. },
        ) => {
            format!("nothing was published: {error}")
        }
        SyncError::Net(NetError::Unavailable { status: 429, .. }) => {
            format!("the server accepts no more for now, so nothing was published: {error}")
        }
        _ => format!("it is unknown whether it was published: {error}"),
    })
}
