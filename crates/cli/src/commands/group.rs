//! `group`: groups on a server, with the rights of the token's user. The inbox receives the changes with its next
//! pull.

mod receipts;

use reqwest::Method;
use serde::Serialize;
use serde_json::{Value, json};
use tidings_home::Home;
use tidings_server::{FreshToken, ServerConfig};
use tidings_sqlite::is_present;

use crate::{
    args::Group,
    error::{Error, Result},
    inbox::{self, replica_file, source_name},
    output::{Output, clean, warn},
    server::{Server, env_value},
};

/// Runs `tidings group …`.
pub(crate) async fn run(args: Group, home: &Home, out: Output) -> Result<()> {
    let (server, borrowed) = match connect(home).await {
        Ok((server, borrowed)) => (Ok(server), borrowed),
        Err(error) => (Err(error), None),
    };
    let done = execute(server, args, home, out).await;
    if let Some(BorrowedToken { server, token }) = borrowed {
        server.give_back(token).await?;
    }
    done
}

/// A token of this machine's server that exists for one command only.
struct BorrowedToken {
    server: tidings_server::Server,
    token: FreshToken,
}

/// The server, and a token with the scope `inbox`: the token in `endpoint.json` only publishes. A user who may write
/// the server's data may create a token.
async fn connect(home: &Home) -> Result<(Server, Option<BorrowedToken>)> {
    let server = Server::find(home).await?;
    if env_value("TIDINGS_SERVER").is_some() || env_value("TIDINGS_TOKEN").is_some() {
        return Ok((server, None));
    }
    let me = server.api(Method::GET, "me", None).await?;
    let me = me.get("id").and_then(Value::as_str).unwrap_or_default();
    let data = super::accounts::open(ServerConfig::new(home.dir()), home).await?;
    let token = data.borrow_token(me).await?;
    let server = server.with_token(token.token.clone());
    Ok((server, Some(BorrowedToken { server: data, token })))
}

async fn execute(server: Result<Server>, args: Group, home: &Home, out: Output) -> Result<()> {
    match args {
        Group::Create { name, id, member } => {
            let mut new = json!({ "name": name, "members": member });
            if let (Some(new), Some(id)) = (new.as_object_mut(), id) {
                new.insert("id".to_owned(), id.into());
            }
            let group = server?.api(Method::POST, "groups", Some(&new)).await?;
            out.print(&group, |to| writeln!(to, "made {}", text(&group, "id")))
        }
        Group::List => list(server, home, out).await,
        Group::Show { id } => {
            let server = server?;
            let mut group = server.api(Method::GET, &path(&id)?, None).await?;
            let members = all(&server, &format!("{}/members", path(&id)?)).await?;
            if let Some(group) = group.as_object_mut() {
                let ids: Vec<Value> = members.iter().filter_map(|member| member.get("id").cloned()).collect();
                group.insert("members".to_owned(), ids.into());
                group.insert("names".to_owned(), names(&members).into());
            }
            out.print(&group, |to| describe(to, &group))
        }
        Group::Receipts { id, msgid } => receipts::show(&server?, &path(&id)?, &msgid, out).await,
        Group::Add { id, user } => {
            let group = server?.api(Method::PUT, &member(&id, &user)?, None).await?;
            out.print(&group, |to| describe(to, &group))
        }
        Group::Rename { id, name } => change(&server?, &id, &json!({ "name": name }), out).await,
        Group::HandOver { id, user } => change(&server?, &id, &json!({ "owner": user }), out).await,
        Group::Remove { id, user } => {
            server?.api(Method::DELETE, &member(&id, &user)?, None).await?;
            out.print(&json!({ "removed": user }), |to| writeln!(to, "removed {}", clean(&user)))
        }
        Group::End { id } => {
            server?.api(Method::DELETE, &path(&id)?, None).await?;
            out.print(&json!({ "ended": id }), |to| writeln!(to, "ended {}", clean(&id)))
        }
        Group::Leave { id } => {
            let path = path(&id)?;
            let server = server?;
            let me = server.api(Method::GET, "me", None).await?;
            let me = me.get("id").and_then(Value::as_str).unwrap_or_default();
            server.api(Method::DELETE, &format!("{path}/members/{me}"), None).await?;
            out.print(&json!({ "left": id }), |to| writeln!(to, "left {}", clean(&id)))
        }
    }
}

/// Changes the name or the owner of a group, and prints it.
async fn change(server: &Server, id: &str, change: &Value, out: Output) -> Result<()> {
    let group = server.api(Method::PATCH, &path(id)?, Some(change)).await?;
    out.print(&group, |to| describe(to, &group))
}

/// The most pages of a list that are requested.
const MAX_PAGES: usize = 1_000;

/// All elements of a list of the server, requested page by page.
async fn all(server: &Server, list: &str) -> Result<Vec<Value>> {
    let (mut found, mut path) = (Vec::new(), list.to_owned());
    for _ in 0..MAX_PAGES {
        let page = server.api(Method::GET, &path, None).await?;
        let page = page.as_array().cloned().unwrap_or_default();
        let last = page.last().and_then(|last| last.get("id")).and_then(Value::as_str);
        let Some(last) = last else { break };
        path = format!("{list}?after={last}");
        found.extend(page);
    }
    Ok(found)
}

/// The display names of those members whose name is not their id, by id.
fn names(members: &[Value]) -> serde_json::Map<String, Value> {
    let field = |member: &Value, name: &str| member.get(name).and_then(Value::as_str).map(str::to_owned);
    let named = members.iter().filter_map(|m| Some((field(m, "id")?, field(m, "name")?)));
    named.filter(|(id, name)| id != name).map(|(id, name)| (id, name.into())).collect()
}

/// A group in the output of `group list`.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct GroupRow {
    id: String,
    name: String,
    /// The number of unread messages, by the server or by the inbox.
    unread: u64,
    /// The time of its newest message; `None` if there is none.
    last: Option<String>,
    /// The name of the source that it was pulled from; `None` if the server itself listed it.
    source: Option<String>,
}

/// Lists the server's groups for the token, and all other groups that the inbox has; the latest first.
async fn list(server: Result<Server>, home: &Home, out: Output) -> Result<()> {
    let mut groups = groups_in_inbox(home)?;
    let answer = match server {
        Ok(server) => groups_of_server(&server).await.map(|server_groups| (server, server_groups)),
        Err(error) => Err(error),
    };
    match answer {
        Ok((server, server_groups)) => {
            groups.retain(|(url, group)| {
                !server_groups.iter().any(|listed| listed.id == group.id && server.is_at(url.as_deref()))
            });
            groups.extend(server_groups.into_iter().map(|group| (None, group)));
        }
        // Pulled groups can be listed even if the server does not answer.
        Err(error) if !groups.is_empty() => warn(&error.to_string()),
        Err(error) => return Err(error),
    }
    let mut groups: Vec<GroupRow> = groups.into_iter().map(|(_, group)| group).collect();
    groups.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.id.cmp(&b.id)));
    out.print(&groups, |to| {
        for group in &groups {
            let from = group.source.as_ref().map(|name| format!("  ({})", clean(name))).unwrap_or_default();
            writeln!(to, "{}  {}  {} unread{from}", clean(&group.id), clean(&group.name), group.unread)?;
        }
        Ok(())
    })
}

/// The groups of the user according to the server: those that the user is in, and former ones whose conversation has
/// messages.
async fn groups_of_server(server: &Server) -> Result<Vec<GroupRow>> {
    let member_groups = all(server, "groups").await?;
    let mut groups: Vec<GroupRow> = conversations(server).await?.iter().filter_map(group_row).collect();
    for group in &member_groups {
        let field = |name: &str| group.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if !groups.iter().any(|known| known.id == field("id")) {
            groups.push(GroupRow {
                id: field("id"),
                name: field("name"),
                unread: 0,
                last: None,
                source: None,
            });
        }
    }
    Ok(groups)
}

/// All conversations, requested page by page.
async fn conversations(server: &Server) -> Result<Vec<Value>> {
    let mut all: Vec<Value> = Vec::new();
    let mut before: Option<String> = None;
    loop {
        let from = before.as_ref().map(|before| format!("&before={before}")).unwrap_or_default();
        let page = server.api(Method::GET, &format!("conversations?limit=1000{from}"), None).await?;
        let Value::Array(page) = page else { return Ok(all) };
        let Some(last) =
            page.last().and_then(|last| last.pointer("/last/created_at")).and_then(Value::as_str)
        else {
            return Ok(all);
        };
        // A server without paging returns the same conversations again.
        if before.as_deref().is_some_and(|before| last >= before) {
            return Ok(all);
        }
        before = Some(last.to_owned());
        all.extend(page);
    }
}

/// Converts a conversation into a listed group; `None` if it is not with a group.
fn group_row(conversation: &Value) -> Option<GroupRow> {
    let text = |at: &str| conversation.pointer(at).and_then(Value::as_str).map(str::to_owned);
    Some(GroupRow {
        id: text("/id")?.strip_prefix("group:")?.to_owned(),
        name: text("/title").unwrap_or_default(),
        unread: conversation.pointer("/unread/count").and_then(Value::as_u64).unwrap_or(0),
        last: text("/last/created_at"),
        source: None,
    })
}

/// The groups in the inbox, each with the address of its source; empty if there is no inbox.
fn groups_in_inbox(home: &Home) -> Result<Vec<(Option<String>, GroupRow)>> {
    if !is_present(&replica_file(home)) {
        return Ok(Vec::new());
    }
    let replica = inbox::open(home)?;
    let sources = replica.sources()?;
    let mut groups = Vec::new();
    for ((source, id), name) in replica.group_names()? {
        let thread = replica.thread_by_key(source, &format!("group:{id}"))?;
        let source = sources.iter().find(|row| row.id == source);
        groups.push((
            source.map(|row| row.url.clone()),
            GroupRow {
                id,
                name,
                unread: thread.as_ref().map_or(0, |thread| thread.unread),
                last: thread.map(|thread| thread.last_at.to_string()),
                source: source.map(|row| source_name(row).to_owned()),
            },
        ));
    }
    Ok(groups)
}

fn describe(to: &mut dyn std::io::Write, group: &Value) -> std::io::Result<()> {
    writeln!(to, "{}  {}", text(group, "id"), text(group, "name"))?;
    let owner = group.get("owner").and_then(Value::as_str);
    for member in group.get("members").and_then(Value::as_array).into_iter().flatten() {
        let member = member.as_str().unwrap_or_default();
        writeln!(to, "  {}{}", clean(member), if owner == Some(member) { "  owner" } else { "" })?;
    }
    Ok(())
}

fn text(value: &Value, field: &str) -> String {
    clean(value.get(field).and_then(Value::as_str).unwrap_or_default())
}

/// Checks an id before it becomes part of a URL.
pub(super) fn checked<'a>(what: &str, id: &'a str) -> Result<&'a str> {
    tidings_model::check_id(id)
        .map_err(|error| Error::Usage(format!("`{}` is no {what}: {error}", clean(id))))?;
    Ok(id)
}

fn path(id: &str) -> Result<String> {
    Ok(format!("groups/{}", checked("group", id.strip_prefix("group:").unwrap_or(id))?))
}

fn member(id: &str, user: &str) -> Result<String> {
    Ok(format!("{}/members/{}", path(id)?, checked("user", user)?))
}
