//! Groups on a server, as the token's user sees them. Refuses to know them: each command is one question.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_app::home::Home;

use super::send::Server;
use crate::{
    args::Group,
    error::{Error, Result},
    output::{Output, clean},
};

/// `tidings group …`
pub(crate) async fn run(args: Group, home: &Home, out: Output) -> Result<()> {
    let server = Server::find(home)?;
    match args {
        Group::Create { name, id, member } => {
            let mut new = json!({ "name": name, "members": member });
            if let (Some(new), Some(id)) = (new.as_object_mut(), id) {
                new.insert("id".to_owned(), id.into());
            }
            let group = server.api(Method::POST, "groups", Some(&new)).await?;
            out.give(&group, |to| writeln!(to, "made {}", text(&group, "id")))
        }
        Group::List => {
            let conversations = server.api(Method::GET, "conversations", None).await?;
            let groups: Vec<_> = conversations.as_array().into_iter().flatten().filter_map(listed).collect();
            out.give(&groups, |to| {
                for group in &groups {
                    let unread = group.pointer("/unread/count").and_then(Value::as_u64).unwrap_or(0);
                    writeln!(to, "{}  {}  {unread} unread", text(group, "id"), text(group, "name"))?;
                }
                Ok(())
            })
        }
        Group::Show { id } => {
            let group = server.api(Method::GET, &path(&id)?, None).await?;
            out.give(&group, |to| describe(to, &group))
        }
        Group::Add { id, user } => {
            let group = server.api(Method::PUT, &member(&id, &user)?, None).await?;
            out.give(&group, |to| describe(to, &group))
        }
        Group::Remove { id, user } => {
            server.api(Method::DELETE, &member(&id, &user)?, None).await?;
            out.give(&json!({ "removed": user }), |to| writeln!(to, "removed {}", clean(&user)))
        }
        Group::Leave { id } => {
            let path = path(&id)?;
            let me = server.api(Method::GET, "me", None).await?;
            let me = me.get("id").and_then(Value::as_str).unwrap_or_default();
            server.api(Method::DELETE, &format!("{path}/members/{me}"), None).await?;
            out.give(&json!({ "left": id }), |to| writeln!(to, "left {}", clean(&id)))
        }
    }
}

/// A group among the conversations: its id without `group:`, its name, and what is unread in it.
fn listed(conversation: &Value) -> Option<Value> {
    let id = conversation.get("id")?.as_str()?.strip_prefix("group:")?;
    Some(json!({
        "id": id,
        "name": conversation.get("title"),
        "unread": conversation.get("unread"),
        "last": conversation.pointer("/last/created_at"),
    }))
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

/// Refused before it becomes part of an address.
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
