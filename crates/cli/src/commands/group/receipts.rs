//! `group receipts`: who has read a message of a group, with whom it has only arrived, and who does not have it yet.

use std::io;

use reqwest::Method;
use serde_json::Value;

use super::{MAX_PAGES, checked, text};
use crate::{
    error::Result,
    output::{Output, clean},
    server::Server,
};

/// Prints the members whose reading of a message counts; `group` is the path of the group.
pub(super) async fn show(server: &Server, group: &str, msgid: &str, out: Output) -> Result<()> {
    let path = format!("{group}/messages/{}/receipts", checked("msgid", msgid)?);
    let readers = whole(server, &path).await?;
    out.print(&readers, |to| describe(to, &readers))
}

/// The list with the members of all its pages.
async fn whole(server: &Server, path: &str) -> Result<Value> {
    let mut readers = server.api(Method::GET, path, None).await?;
    for _ in 0..MAX_PAGES {
        let Some(next) = readers.as_object_mut().and_then(|readers| readers.remove("next")) else { break };
        let Some(after) = next.as_str() else { break };
        let page = server.api(Method::GET, &format!("{path}?after={after}"), None).await?;
        for list in ["read", "delivered", "unread"] {
            let members = page.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
            if let Some(known) = readers.get_mut(list).and_then(Value::as_array_mut) {
                known.extend(members);
            }
        }
        if let (Some(readers), Some(next)) = (readers.as_object_mut(), page.get("next")) {
            readers.insert("next".to_owned(), next.clone());
        }
    }
    Ok(readers)
}

fn describe(to: &mut dyn io::Write, readers: &Value) -> io::Result<()> {
    let count = |name: &str| readers.get(name).and_then(Value::as_u64).unwrap_or_default();
    let (read, arrived, all) = (count("read_count"), count("delivered_count"), count("member_count"));
    writeln!(to, "read by {read} of {all}, delivered to {arrived} of {all}")?;
    let list = |name: &str| readers.get(name).and_then(Value::as_array).into_iter().flatten();
    for reader in list("read") {
        writeln!(to, "  read     {}  {}", text(reader, "user"), text(reader, "at"))?;
    }
    for member in list("delivered").filter_map(Value::as_str) {
        writeln!(to, "  arrived  {}", clean(member))?;
    }
    let has_it = |id: &&Value| list("delivered").any(|other| other == *id);
    for member in list("unread").filter(|id| !has_it(id)).filter_map(Value::as_str) {
        writeln!(to, "  not yet  {}", clean(member))?;
    }
    Ok(())
}
