//! `source`: the sources of the inbox. A new source is asked before it is stored.

mod add;
mod import;

use std::io::Read;
use std::sync::Arc;

use serde_json::json;
use tidings_home::Home;
use tidings_model::{Clock, SystemClock};
use tidings_net::Error as NetError;
use tidings_net::secrets::StoredIn;
use tidings_replica::{Replica, Source as Row, SourceChange};
use tidings_sandbox::marks;
use tidings_sources::{Credential, Protocol, probe, protocol};
use tidings_sync::tokens::Grant;
use tidings_sync::{StoredTokens, presets};

use self::add::{Credentials, Name, New, add};
use self::import::{Import, import, print_feeds};
use super::certificate::certificate_hint;
use super::sign_in;
use crate::{
    args::Source,
    error::{Error, Result},
    inbox,
    output::{Output, Progress, clean, warn},
};

/// Runs `tidings source …`.
pub(crate) async fn run(args: Source, home: &Home, out: Output) -> Result<()> {
    let replica = inbox::open(home)?;
    match args {
        Source::List => return list(&replica, out),
        Source::Add { protocol: kind, url, token, sign_in, client_id, more, name } => {
            let (protocol, name) = (protocol(&kind)?, name.map(Name::Given));
            let (url, credential) = if sign_in {
                inbox::prepare_requests(home);
                let typed = url.unwrap_or_default();
                let (url, grant) = sign_in::granted(&replica, protocol, &typed, client_id, more).await?;
                (Some(url), Credentials::Granted(grant))
            } else {
                (url, Credentials::Entered(token))
            };
            let added = add(&replica, New { protocol, url, credential, name }, home).await?;
            let line = added.line();
            out.print(&added, |to| writeln!(to, "{line}"))?;
        }
        Source::SignIn { name, token, client_id, more } => {
            let source = inbox::find(&replica, &name)?;
            let protocol = protocol(&source.protocol)?;
            let tokens = inbox::tokens(home, &replica)?;
            inbox::prepare_requests(home);
            let grant = match token {
                Some(token) => Grant::of_token(entered(protocol, Some(&token))?),
                None => sign_in::granted(&replica, protocol, &source.url, client_id, more).await?.1,
            };
            sign_in_again(&source, protocol, grant, &tokens).await?;
            out.print(&json!({ "signed_in": name }), |to| writeln!(to, "signed in to {}", clean(&name)))?;
        }
        Source::Import { file, private, yes } => {
            return import(&replica, &Import { file, private, yes }, home, out).await;
        }
        Source::Opml => return print_feeds(&replica, out),
        Source::Remove { name, keep } => {
            let source = inbox::find(&replica, &name)?;
            let tokens = inbox::tokens(home, &replica)?;
            let progress = Progress::begin(out, "removing");
            presets::remove(&replica, source.id)?;
            replica.begin_removal(source.id, keep)?;
            // The rest may take minutes; if this process ends before, the next start finishes it.
            let grant = tokens.store().grant(&source);
            let token_removed = tokens.store().remove(&source);
            replica.finish_removal(keep)?;
            token_removed?;
            if let Some(grant) = grant {
                sign_in::take_back(&source, &grant).await;
            }
            drop(progress);
            out.print(&json!({ "removed": name }), |to| writeln!(to, "removed {}", clean(&name)))?;
        }
        Source::Retry { name } => return retry(&replica, &name, home, out).await,
        Source::Pause { name } => pause(&replica, &name, true, out)?,
        Source::Resume { name } => pause(&replica, &name, false, out)?,
    }
    inbox::notify_app(home).await;
    Ok(())
}

/// Has what was passed by of a source read again with the next pull, or one input by the name that `check` gives it.
async fn retry(replica: &Replica, name: &str, home: &Home, out: Output) -> Result<()> {
    let marks = marks::of_process().ok_or_else(|| Error::failed("nothing is marked in this data folder"))?;
    let source = inbox::find(replica, name).map(|source| source.id.to_string()).ok();
    let mut again = 0_usize;
    for input in marks.passed_by() {
        if input.id == name || source.as_ref() == Some(&input.of) {
            again += usize::from(marks.offer_again(&input.id)?);
        }
    }
    if again == 0 {
        return Err(Error::failed(format!("nothing of `{}` is skipped", clean(name))));
    }
    out.print(&json!({ "again": again }), |to| {
        writeln!(to, "{}: the next pull reads it again", clean(name))
    })?;
    inbox::notify_app(home).await;
    Ok(())
}

fn pause(replica: &Replica, name: &str, paused: bool, out: Output) -> Result<()> {
    let source = inbox::find(replica, name)?;
    replica.change_source(source.id, SourceChange { paused: Some(paused), ..SourceChange::default() })?;
    let verb = if paused { "paused" } else { "resumed" };
    out.print(&json!({ "name": name, "paused": paused }), |to| writeln!(to, "{verb} {}", clean(name)))
}

/// Stores another token of a source, if its service takes it and it is of the same user.
async fn sign_in_again(
    source: &Row,
    protocol: &'static Protocol,
    grant: Grant,
    tokens: &StoredTokens,
) -> Result<()> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let asked = probe::ask(source, grant.token.clone(), clock).await;
    let (info, _) = asked.map_err(|error| refusal(&error, protocol, &source.url, !grant.token.is_empty()))?;
    if let (Some(new), Some(known)) = (&info.user, &source.user)
        && new != known
    {
        let (new, known) = (clean(new), clean(known));
        return Err(Error::failed(format!(
            "that sign-in belongs to {new}, and the source to {known}: add it as another source; nothing was changed"
        )));
    }
    keep(tokens, source, grant)
}

/// Stores the token of a source.
fn keep(tokens: &StoredTokens, source: &Row, grant: Grant) -> Result<()> {
    match tokens.store().set_grant(source, grant) {
        Ok(StoredIn::Keyring) => Ok(()),
        Ok(StoredIn::File) => {
            warn("there is no keyring: the token is in tokens.json in the data folder, for you alone");
            Ok(())
        }
        Err(error) => Err(Error::failed(format!("the token can't be saved: {error}"))),
    }
}

/// The token to use; empty for none.
fn entered(protocol: &Protocol, token: Option<&str>) -> Result<String> {
    if protocol.credential == Credential::None {
        return Ok(String::new());
    }
    let token = match token {
        None => String::new(),
        Some("-") => from_stdin()?,
        Some(token) => token.trim().to_owned(),
    };
    if token.is_empty() && protocol.credential == Credential::Token {
        return Err(Error::Usage(
            "a token is required: use --token - to read it from standard input, or set TIDINGS_TOKEN"
                .to_owned()
                + if protocol.sign_in.rights().is_some() {
                    ", or use --sign-in to sign in with the browser"
                } else {
                    ""
                },
        ));
    }
    Ok(token)
}

/// Why a source was not added.
fn refusal(error: &NetError, protocol: &Protocol, at: &str, with_token: bool) -> Error {
    let service = match protocol.name {
        "tidings" => "a Tidings server",
        "feed" => "a feed",
        _ => protocol.label,
    };
    Error::failed(match error {
        NetError::SignIn | NetError::Forbidden if !with_token => format!("{at} asks for a sign-in"),
        NetError::SignIn => "the server does not accept this token".to_owned(),
        NetError::Forbidden => "this token may not read notifications there".to_owned(),
        NetError::Malformed | NetError::Resync | NetError::Refused(_) | NetError::AnswerTooLarge => {
            format!("{at} does not answer as {service}: {error}")
        }
        NetError::Address(_) => {
            format!("`{at}` is not an address of {service}, such as {}", protocol.example)
        }
        NetError::Certificate(fault) => {
            format!("{at} can't be tested: {error}{}", certificate_hint(*fault, at))
        }
        NetError::Setup(_) | NetError::NoSessionBus | NetError::MonitorRefused => error.to_string(),
        _ => format!("{at} can't be tested: {error}"),
    })
}

fn from_stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().take(64 << 10).read_to_string(&mut text)?;
    let token = text.trim().to_owned();
    if token.is_empty() { Err(Error::Usage("standard input had no token".to_owned())) } else { Ok(token) }
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
