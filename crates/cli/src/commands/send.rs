//! `send`: publishes on a topic, or sends a message to a user or a group; also with a file. The module `publish` publishes
//! on a topic of a source.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use reqwest::multipart::{Form, Part};
use reqwest::{Body, Method};
use serde_json::{Map, Value, json};
use tidings_home::Home;
use tidings_net::http;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio_util::io::ReaderStream;

use super::group::checked;
use super::publish;
use crate::{
    args::Send,
    error::{Error, Result},
    output::Output,
    server::Server,
};

/// Runs `tidings send`.
pub(crate) async fn run(args: Send, home: &Home, out: Output) -> Result<()> {
    let text = text(&args.body)?;
    if let Some(name) = args.source.clone() {
        return publish::run(&name, args, text, home, out).await;
    }
    if let Some(msgid) = &args.edit {
        return edit(msgid, &args, text, home, out).await;
    }
    let server = Server::find(home).await?;
    let file = match args.attach.as_deref().filter(|attach| !is_address(attach)) {
        Some(path) => Some(SentFile::open(Path::new(path)).await?),
        None => None,
    };
    let msgid = match file {
        Some(file) => msgid(&with_file(&server, &args, text, file).await?),
        None => post(&server, &args, text).await?,
    };
    let verb = if args.delay.is_some() { "will be sent as" } else { "sent" };
    out.print(&json!({ "msgid": msgid }), |to| writeln!(to, "{verb} {msgid}"))
}

/// Publishes a text without a file, at the source that is named or at the server.
pub(super) async fn publish(args: Send, text: String, home: &Home) -> Result<()> {
    if let Some(name) = args.source.clone() {
        return publish::on_source(&name, args, text, home).await.map(drop);
    }
    post(&Server::find(home).await?, &args, text).await.map(drop)
}

/// Sends a text without a file; returns its msgid.
pub(super) async fn post(server: &Server, args: &Send, text: String) -> Result<String> {
    if let Some(to) = &args.to {
        return Ok(msgid(&message(server, to, args, &text, None).await?));
    }
    let mut fields = written(args);
    fields.extend([("topic".to_owned(), json!(args.topic)), ("message".to_owned(), json!(text))]);
    Ok(msgid(&server.send(server.request(Method::POST, "")?.query(&options(args)).json(&fields)).await?))
}

async fn with_file(server: &Server, args: &Send, text: String, file: SentFile) -> Result<Value> {
    match &args.to {
        Some(to) => message(server, to, args, &text, Some(file)).await,
        None => publish_file(server, args, text, file).await,
    }
}

/// The msgid in an answer of either API.
fn msgid(answer: &Value) -> String {
    let id = answer.get("msgid").or_else(|| answer.get("id"));
    id.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Edits what was published; what the arguments leave out stays.
async fn edit(msgid: &str, args: &Send, text: String, home: &Home, out: Output) -> Result<()> {
    let mut fields = written(args);
    if !args.body.is_empty() {
        fields.insert("body".to_owned(), text.into());
    }
    fields.extend(args.click.clone().map(|url| ("url".to_owned(), url.into())));
    fields.extend(args.markdown.then(|| ("format".to_owned(), "markdown".into())));
    if fields.is_empty() {
        return Err(Error::Usage(
            "--edit needs something to change: a text, a title, a priority…".to_owned(),
        ));
    }
    let path = format!("notifications/{}", checked("msgid", msgid)?);
    let answer = Server::find(home).await?.api(Method::PATCH, &path, Some(&fields.into())).await?;
    let msgid = answer.get("msgid").and_then(Value::as_str).unwrap_or(msgid);
    out.print(&json!({ "msgid": msgid }), |to| writeln!(to, "edited {msgid}"))
}

/// The text: the words of the command line, or standard input if they are `-`.
fn text(words: &[String]) -> Result<String> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text.trim_end_matches('\n').to_owned())
}

fn is_address(attach: &str) -> bool {
    attach.starts_with("https://") || attach.starts_with("http://")
}

/// What a publication and a message call by the same name.
fn written(args: &Send) -> Map<String, Value> {
    let title = args.title.clone().map(|title| ("title".to_owned(), title.into()));
    let priority = args.priority.map(|priority| ("priority".to_owned(), priority.into()));
    let tags = (!args.tag.is_empty()).then(|| ("tags".to_owned(), json!(args.tag)));
    title.into_iter().chain(priority).chain(tags).collect()
}

/// What only a publication has, or calls otherwise, as parameters of the query.
fn options(args: &Send) -> Vec<(&'static str, String)> {
    let actions = (!args.action.is_empty()).then(|| args.action.join(";"));
    let link = args.attach.clone().filter(|attach| is_address(attach));
    [
        ("click", args.click.clone()),
        ("actions", actions),
        ("markdown", args.markdown.then(|| "yes".to_owned())),
        ("attach", link),
        ("delay", args.delay.clone()),
        ("x-expect", args.expect.map(|expected| expected.to_string())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// Publishes a file on a topic; everything else goes into the query.
async fn publish_file(server: &Server, args: &Send, text: String, file: SentFile) -> Result<Value> {
    let mut query = options(args);
    query.extend(args.title.clone().map(|title| ("title", title)));
    query.extend(args.priority.map(|priority| ("priority", priority.to_string())));
    query.extend((!args.tag.is_empty()).then(|| ("tags", args.tag.join(","))));
    query.extend((!text.is_empty()).then_some(("message", text)));
    query.push(("filename", file.name.clone()));
    let request = server.request(Method::PUT, checked("topic", &args.topic)?)?.query(&query);
    let request = request.header(reqwest::header::CONTENT_LENGTH, file.size);
    let (body, taken) = file.into_body();
    server.upload(request.body(body), &taken).await
}

/// Sends a message to a user, or to a group as `group:ID`.
async fn message(
    server: &Server,
    to: &str,
    args: &Send,
    text: &str,
    file: Option<SentFile>,
) -> Result<Value> {
    if file.is_none() && args.attach.is_some() {
        return Err(Error::Usage("a message can have a file, not an address".to_owned()));
    }
    let mut fields = written(args);
    fields.insert("body".to_owned(), text.into());
    fields.extend(args.click.clone().map(|url| ("url".to_owned(), url.into())));
    fields.extend(args.markdown.then(|| ("format".to_owned(), "markdown".into())));
    let path = match to.split_once(':').unwrap_or(("user", to)) {
        ("user", user) => {
            fields.insert("to".to_owned(), user.into());
            "api/v1/messages".to_owned()
        }
        ("group", gid) => format!("api/v1/groups/{}/messages", checked("group", gid)?),
        _ => return Err(Error::Usage("--to takes a user, or group:ID for a group".to_owned())),
    };
    let request = server.request(Method::POST, &path)?;
    let Some(file) = file else { return server.send(request.json(&fields)).await };
    let (name, size) = (file.name.clone(), file.size);
    let (body, taken) = file.into_body();
    let message = Part::text(serde_json::to_string(&fields)?);
    let content = Part::stream_with_length(body, size).file_name(name);
    let form = Form::new().part("message", message).part("file", content);
    server.upload(request.multipart(form), &taken).await
}

/// A file that goes with a notification, read as it is sent.
struct SentFile {
    file: File,
    /// The name, without a folder.
    name: String,
    /// The size in bytes.
    size: u64,
}

impl SentFile {
    async fn open(path: &Path) -> Result<Self> {
        let unreadable = |error: io::Error| {
            Error::failed(format!("{} can't be read, so nothing was sent: {error}", path.display()))
        };
        let file = File::open(path).await.map_err(unreadable)?;
        let metadata = file.metadata().await.map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(Error::failed(format!("{} is not a file, so nothing was sent", path.display())));
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Self { file, name: name.unwrap_or_default(), size: metadata.len() })
    }

    /// The body of a request, and the number of its bytes that were taken so far.
    fn into_body(self) -> (Body, Arc<AtomicU64>) {
        // A log that goes on growing is sent as it was.
        http::counted_body(ReaderStream::new(self.file.take(self.size)))
    }
}
