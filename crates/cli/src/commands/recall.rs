//! `recall`: takes back what this token published.

use reqwest::Method;
use serde_json::json;
use tidings_home::Home;

use super::group::checked;
use crate::{error::Result, output::Output, server::Server};

/// Runs `tidings recall`.
pub(crate) async fn run(msgid: &str, home: &Home, out: Output) -> Result<()> {
    let path = format!("notifications/{}", checked("msgid", msgid)?);
    Server::find(home).await?.api(Method::DELETE, &path, None).await?;
    out.print(&json!({ "msgid": msgid }), |to| writeln!(to, "recalled {msgid}"))
}
