//! `source`: the sources of the inbox. A new source is asked for its user before it is stored.

use std::{io::Read, sync::Arc, time::Duration};

use serde_json::json;
use tidings_app::home::Home;
use tidings_model::SystemClock;
use tidings_replica::{NewSource, Replica, SourceChange};
use tidings_sync::{Source as _, address, source::Tidings, tokens::StoredIn};
use url::Url;

use crate::{
    args::{Protocol, Source},
    error::{Error, Result},
    inbox,
    output::{Output, clean, warn},
};

/// The timeout of the first request to a new source.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs `tidings source …`.
pub(crate) async fn run(args: Source, home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    match args {
        Source::List => return list(&replica, out),
        Source::Add { protocol: Protocol::Tidings, url, token, name } => {
            add(&replica, &url, token, name, home, out).await?;
        }
        Source::Add { protocol, .. } => {
            return Err(Error::failed(format!(
                "this version can't pull from {} yet, only from tidings",
                match protocol {
                    Protocol::Ntfy => "ntfy",
                    Protocol::Gotify => "gotify",
                    Protocol::Github => "github",
                    Protocol::Tidings => "tidings",
                }
            )));
        }
        Source::Remove { name, keep } => {
            let source = inbox::find(&replica, &name)?;
            let tokens = inbox::tokens(home, &replica)?;
            replica.begin_removal(source.id, keep)?;
            // The rest may take minutes; if this process ends before, the next start finishes it.
            let token_removed = tokens.store().remove(&source);
            replica.finish_removal(keep)?;
            token_removed?;
            out.print(&json!({ "removed": name }), |to| writeln!(to, "removed {}", clean(&name)))?;
        }
        Source::Pause { name } => pause(&replica, &name, true, out)?,
        Source::Resume { name } => pause(&replica, &name, false, out)?,
    }
    inbox::notify_app(home).await;
    Ok(())
}

fn pause(replica: &Replica, name: &str, paused: bool, out: Output) -> Result<()> {
    let source = inbox::find(replica, name)?;
    replica.change_source(source.id, SourceChange { paused: Some(paused), ..SourceChange::default() })?;
    let verb = if paused { "paused" } else { "resumed" };
    out.print(&json!({ "name": name, "paused": paused }), |to| writeln!(to, "{verb} {}", clean(name)))
}

async fn add(
    replica: &Replica,
    url: &str,
    token: Option<String>,
    name: Option<String>,
    home: &Home,
    out: Output,
) -> Result<()> {
    let token = match token.as_deref() {
        None | Some("") => {
            return Err(Error::Usage(
                "a token is needed: --token - reads it from standard input, TIDINGS_TOKEN stands in for it"
                    .to_owned(),
            ));
        }
        Some("-") => from_stdin()?,
        Some(token) => token.to_owned(),
    };
    let (url, user) = find_user(url, &token).await?;
    let name = name.unwrap_or_else(|| host(&url));
    let new =
        NewSource { name: name.clone(), protocol: "tidings".to_owned(), url: url.clone(), user, own: false };
    let id = replica.add_source(new)?;
    let tokens = inbox::tokens(home, replica)?;
    match tokens.store().set(&replica.source(id)?, &token) {
        Ok(StoredIn::Keyring) => {}
        Ok(StoredIn::File) => {
            warn("there is no keyring: the token is in tokens.json in the data folder, for you alone");
        }
        Err(error) => {
            replica.remove_source(id, false)?;
            return Err(Error::failed(format!("the token can't be kept: {error}")));
        }
    }
    out.print(&json!({ "id": id, "name": name, "url": url }), |to| {
        writeln!(to, "added {}, at {}", clean(&name), clean(&url))
    })
}

/// The address of a new source, and its token's user where the server says it now.
async fn find_user(typed: &str, token: &str) -> Result<(String, Option<String>)> {
    let addresses = address::candidates(typed)?;
    let ask = |url: String| async move {
        let source = Tidings::new(&url, token.to_owned(), Arc::new(SystemClock))?;
        let answer = tokio::time::timeout(FIRST_REQUEST_TIMEOUT, source.server_info()).await;
        answer.unwrap_or(Err(tidings_sync::Error::Slow))
    };
    let trimmed = |url: &str| url.trim_end_matches('/').to_owned();
    match (address::first_answering(&addresses, ask).await, addresses.as_slice()) {
        (Ok((url, info)), _) => Ok((trimmed(&url), info.user)),
        (Err(error), _) if error.needs_sign_in() => Err(Error::failed("the server does not take this token")),
        (Err(error), _) if error.is_permanent() => {
            Err(Error::failed(format!("no Tidings server answers at {typed}: {error}")))
        }
        (Err(error), [url]) => {
            warn(&format!("added, though it can't be reached now: {error}"));
            Ok((trimmed(url), None))
        }
        (Err(error), urls) => Err(Error::failed(format!(
            "no Tidings server answers at {}: {error}. With http:// or https:// before it it is added all the same",
            urls.join(" or ")
        ))),
    }
}

fn from_stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().take(64 << 10).read_to_string(&mut text)?;
    let token = text.trim().to_owned();
    if token.is_empty() { Err(Error::Usage("standard input had no token".to_owned())) } else { Ok(token) }
}

fn host(url: &str) -> String {
    let url_parsed = url.parse::<Url>().ok();
    url_parsed.and_then(|u| u.host_str().map(str::to_owned)).unwrap_or_else(|| url.to_owned())
}

fn list(replica: &Replica, out: Output) -> Result<()> {
    let sources = replica.sources()?;
    let document: Vec<_> = sources
        .iter()
        .map(|s| {
            json!({
                "id": s.id, "name": inbox::source_name(s), "protocol": s.protocol, "url": s.url, "user": s.user,
                "own": s.own, "paused": s.paused, "last_pull": s.last_pull,
            })
        })
        .collect();
    out.print(&document, |to| {
        for s in &sources {
            let paused = if s.paused { "  (paused)" } else { "" };
            let when = s.last_pull.map_or_else(
                || "never pulled".to_owned(),
                |at| {
                    let at = at.to_datetime().with_timezone(&chrono::Local);
                    format!("pulled {}", at.format("%Y-%m-%d %H:%M"))
                },
            );
            writeln!(
                to,
                "{}  {}  {}  {when}{paused}",
                clean(inbox::source_name(s)),
                s.protocol,
                clean(&s.url)
            )?;
        }
        Ok(())
    })
}
