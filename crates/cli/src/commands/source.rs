//! `source`: the sources of the inbox. A new source is asked before it is stored.

use std::{
    fs::File,
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;
use serde_json::json;
use tidings_app::{home::Home, suggested_name};
use tidings_model::{Clock, SystemClock};
use tidings_replica::{NewSource, Replica, Source as Row, SourceChange, SourceId};
use tidings_sandbox::marks;
use tidings_sync::egress;
use tidings_sync::imports::{self, ImportedSource, MAX_IMPORT_BYTES, opml};
use tidings_sync::probe::{self, Probed, same_inbox, unused_name};
use tidings_sync::source::{Credential, Protocol, presets, protocol};
use tidings_sync::{Error as SyncError, StoredTokens, secrets::StoredIn, tokens::Grant};

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
            let added = if sign_in {
                inbox::prepare_requests(home);
                let typed = url.unwrap_or_default();
                let (url, grant) = sign_in::granted(&replica, protocol, &typed, client_id, more).await?;
                add(
                    &replica,
                    New { protocol, url: Some(url), credential: Credentials::Granted(grant), name },
                    home,
                )
                .await?
            } else {
                add(&replica, New { protocol, url, credential: Credentials::Entered(token), name }, home)
                    .await?
            };
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

/// A source to be added, as it was typed.
struct New {
    protocol: &'static Protocol,
    url: Option<String>,
    credential: Credentials,
    /// The name. If it is missing, it is as in the window: the service, a document's title, or the host.
    name: Option<Name>,
}

/// What a source to be added is asked with.
enum Credentials {
    /// A token as it was typed, or none.
    Entered(Option<String>),
    /// A token of a sign-in with the browser.
    Granted(Grant),
}

/// The name of a source to be added.
enum Name {
    /// The name that the user wants. It is refused if another source has it.
    Given(String),
    /// The name that another program gave it. It gets a number if another source has it.
    Known(String),
}

/// A source that was added.
#[derive(Serialize)]
struct Added {
    id: SourceId,
    name: String,
    protocol: &'static str,
    url: String,
}

impl Added {
    fn line(&self) -> String {
        format!("added {}, at {}", clean(&self.name), clean(&self.url))
    }
}

async fn add(replica: &Replica, new: New, home: &Home) -> Result<Added> {
    let New { protocol, url, credential, name } = new;
    let typed = url.unwrap_or_default();
    if typed.trim().is_empty() && protocol.default_url.is_none() {
        let example = format!("tidings source add {} {}", protocol.name, protocol.example);
        return Err(Error::Usage(format!("an address is needed, for example: {example}")));
    }
    let grant = match credential {
        Credentials::Entered(token) => Grant::of_token(entered(protocol, token.as_deref())?),
        Credentials::Granted(grant) => grant,
    };
    let token = &grant.token;
    inbox::prepare_requests(home);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let addresses = probe::addresses(protocol, &typed)
        .map_err(|error| refusal(&error, protocol, &typed, !token.is_empty()))?;
    let probed = match probe::find(protocol, &addresses, token, &clock).await {
        Ok(probed) => probed,
        Err(error) => return Err(refusal(&error, protocol, &addresses.join(" or "), !token.is_empty())),
    };
    let name = match name {
        Some(Name::Given(name)) => name,
        Some(Name::Known(name)) if !name.trim().is_empty() => free_name(replica, protocol, &probed, &name)?,
        _ => free_name(replica, protocol, &probed, &suggested_name(protocol, &probed))?,
    };
    let Probed { url, info, .. } = probed;
    let new = NewSource {
        name: name.clone(),
        protocol: protocol.name.to_owned(),
        url: url.clone(),
        user: info.user,
        own: false,
    };
    let id = replica.add_source(new)?;
    if let Err(error) = complete(replica, id, protocol, grant, home) {
        presets::remove(replica, id)?;
        replica.remove_source(id, false)?;
        return Err(error);
    }
    Ok(Added { id, name, protocol: protocol.name, url })
}

/// An import, as it was asked for.
struct Import {
    file: PathBuf,
    /// Whether addresses on this computer or its network are asked.
    private: bool,
    /// Whether nothing is asked of the reader.
    yes: bool,
}

/// Adds the sources of another program's file. One that can't be added is said, and the others are added.
async fn import(replica: &Replica, import: &Import, home: &Home, out: Output) -> Result<()> {
    let file = &*import.file;
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let found = imports::read(file_to_import(file)?, &name)
        .await
        .map_err(|error| Error::failed(format!("{}: {error}", file.display())))?;
    let (mut added, mut refused) = (Vec::new(), Vec::new());
    if !import.yes && !is_wanted(&found.sources)? {
        return Err(Error::failed("nothing was asked, and nothing was added"));
    }
    let (progress, of) = (Progress::begin(out, "importing"), found.sources.len());
    for (done, ImportedSource { protocol: kind, name, url, token }) in found.sources.into_iter().enumerate() {
        progress.step(format!("asking {}, {} of {of}", clean(&url), done + 1));
        if !import.private && is_private(&url).await {
            let reason = format!(
                "{url} is on this computer or its network, so it was not asked; use --private to ask it"
            );
            refused.push((url, reason));
            continue;
        }
        let new = New {
            protocol: protocol(kind)?,
            url: Some(url.clone()),
            credential: Credentials::Entered(token),
            name: Some(Name::Known(name)),
        };
        match add(replica, new, home).await {
            Ok(one) => added.push(one),
            Err(error) => refused.push((url, error.to_string())),
        }
    }
    drop(progress);
    for name in &found.left_out {
        warn(&format!("{}: it can't be a source", clean(name)));
    }
    if found.left_out_count > found.left_out.len() {
        warn(&format!("{} more can't be sources", found.left_out_count - found.left_out.len()));
    }
    for (url, reason) in &refused {
        // Most reasons name the address that was asked.
        let about = if reason.contains(url) { String::new() } else { format!("{}: ", clean(url)) };
        warn(&format!("{about}{reason}"));
    }
    let reasons: Vec<_> =
        refused.iter().map(|(url, reason)| json!({ "url": url, "reason": reason })).collect();
    let document = json!({ "added": added, "refused": reasons, "left_out": found.left_out_count });
    out.print(&document, |to| added.iter().try_for_each(|one| writeln!(to, "{}", one.line())))?;
    if !added.is_empty() {
        inbox::notify_app(home).await;
    }
    if refused.is_empty() { Ok(()) } else { Err(Error::Reported) }
}

/// Shows the addresses that would be asked. In a terminal the reader says whether they are; whoever runs it elsewhere
/// has said so with the command.
fn is_wanted(sources: &[ImportedSource]) -> Result<bool> {
    if sources.is_empty() || !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Ok(true);
    }
    for ImportedSource { protocol, name, url, .. } in sources {
        eprintln!("{}  {protocol}  {}", clean(name), clean(url));
    }
    eprint!("Ask these {} addresses? [y/N] ", sources.len());
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Whether an address is on this computer or its network.
async fn is_private(url: &str) -> bool {
    match url.parse() {
        Ok(url) => egress::is_private(&url).await,
        Err(_) => false,
    }
}

/// The bytes of a file, or of standard input for `-`. One byte more than an import takes is enough to refuse it.
fn file_to_import(file: &Path) -> Result<Vec<u8>> {
    let reader: Box<dyn Read> =
        if file == Path::new("-") { Box::new(std::io::stdin()) } else { Box::new(File::open(file)?) };
    let mut bytes = Vec::new();
    reader.take(MAX_IMPORT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn print_feeds(replica: &Replica, out: Output) -> Result<()> {
    let rows = replica.sources()?;
    let feeds = rows.iter().filter(|row| row.protocol == "feed").map(|row| (&*row.name, &*row.url));
    let list = opml::write("Tidings", feeds);
    out.print(&json!({ "opml": list }), |to| write!(to, "{list}"))
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

/// Gives a new source the presets of its protocol, and stores its token, if it has one.
fn complete(
    replica: &Replica,
    id: tidings_replica::SourceId,
    protocol: &Protocol,
    grant: Grant,
    home: &Home,
) -> Result<()> {
    presets::apply(replica, id, protocol)?;
    if grant.token.is_empty() {
        return Ok(());
    }
    keep(&inbox::tokens(home, replica)?, &replica.source(id)?, grant)
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
            "a token is needed: use --token - to read it from standard input, or set TIDINGS_TOKEN"
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

/// A name for a new source, with a number if another source has that name.
fn free_name(replica: &Replica, protocol: &Protocol, probed: &Probed, name: &str) -> Result<String> {
    let known = replica.sources()?;
    match same_inbox(&known, protocol, probed) {
        Some(row) => {
            Err(Error::failed(format!("it is already added, as `{}`", clean(inbox::source_name(row)))))
        }
        None => Ok(unused_name(name, &known)),
    }
}

/// Why a source was not added.
fn refusal(error: &SyncError, protocol: &Protocol, at: &str, with_token: bool) -> Error {
    let service = match protocol.name {
        "tidings" => "a Tidings server",
        "feed" => "a feed",
        _ => protocol.label,
    };
    Error::failed(match error {
        SyncError::SignIn | SyncError::Forbidden if !with_token => format!("{at} asks for a sign-in"),
        SyncError::SignIn => "the server does not accept this token".to_owned(),
        SyncError::Forbidden => "this token may not read notifications there".to_owned(),
        SyncError::Malformed | SyncError::Resync | SyncError::Refused(_) | SyncError::AnswerTooLarge => {
            format!("{at} does not answer as {service}: {error}")
        }
        SyncError::Address(_) => {
            format!("`{at}` is not an address of {service}, such as {}", protocol.example)
        }
        SyncError::Certificate(fault) => {
            format!("{at} can't be asked: {error}{}", certificate_hint(*fault, at))
        }
        SyncError::Setup(_) | SyncError::NoSessionBus | SyncError::MonitorRefused => error.to_string(),
        _ => format!("{at} can't be asked: {error}"),
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
