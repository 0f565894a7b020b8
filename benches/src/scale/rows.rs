//! What a user, a token, a subscription and an item that is brought in take in the database.

use std::path::Path;

use serde_json::{Value, json};
use tidings_testkit::postgres::Cluster;

use super::Sizes;
use super::database::Written;
use super::deployment::{Deployment, Kind, SetUp};
use super::http::{Connection, Request};
use crate::Result;
use crate::report::Report;

/// Subscriptions of each user.
const SUBSCRIPTIONS: i64 = 10;
/// Announcements that each reader pulls, in one request.
const ANNOUNCEMENTS: usize = 100;

/// Takes the figures of rows that no table of publications has.
pub(crate) async fn run(report: &mut Report, cluster: &Cluster, data: &Path, sizes: &Sizes) -> Result<()> {
    let set_up = SetUp { name: "PostgreSQL, 1 node", kind: Kind::Postgres, nodes: 1, args: Vec::new() };
    let size = (sizes.people, sizes.readers);
    let deployment = Deployment::start(&set_up, cluster, &data.join("rows"), size).await?;
    let (database, people) = (&deployment.database, sizes.people);
    let of_users = database.bytes_of_user().await?;
    let empty = database.written().await?;
    database.insert_tokens(deployment.users, people).await?;
    let tokens = database.written().await?;
    database.insert_subscriptions(deployment.users, SUBSCRIPTIONS).await?;
    let subscriptions = database.written().await?;
    announce(&deployment).await?;
    let announced = database.written().await?;
    let mut connection = Connection::open(*deployment.addresses.first().ok_or("no server")?).await?;
    for reader in &deployment.readers {
        let page = connection.send(&Request::get(format!("/sync?limit={ANNOUNCEMENTS}"), reader)).await?;
        let page: Value = serde_json::from_slice(&page)?;
        let items = page.get("items").and_then(Value::as_array).map(Vec::len);
        if items != Some(ANNOUNCEMENTS) {
            return Err(format!("a reader pulled {items:?} items").into());
        }
    }
    let pulled = database.written().await?;
    report.table(
        "What rows take",
        "bytes with their indexes, and of the write-ahead log; publications are in the table of what each takes",
        &["row", "bytes", "log"],
    );
    report.cells("a user, with the row of the inbox", &[of_users.to_string(), "–".to_owned()]);
    let readers = u64::try_from(deployment.readers.len())?;
    let people = people.unsigned_abs();
    for (what, (from, to), count) in [
        ("a token", (empty, tokens), people),
        ("a subscription", (tokens, subscriptions), people * SUBSCRIPTIONS.unsigned_abs()),
        ("an announcement in the inbox of one reader", (announced, pulled), readers * ANNOUNCEMENTS as u64),
    ] {
        let each =
            |bytes: fn(Written) -> u64| (bytes(to).saturating_sub(bytes(from)) / count.max(1)).to_string();
        report.cells(what, &[each(|written| written.rows), each(|written| written.log.unwrap_or_default())]);
    }
    deployment.stop().await
}

/// Publishes what each reader is going to pull.
async fn announce(deployment: &Deployment) -> Result<()> {
    let mut connection = Connection::open(*deployment.addresses.first().ok_or("no server")?).await?;
    let all = vec![json!({"title": "Maintenance", "body": "At noon"}); ANNOUNCEMENTS];
    let body = Value::Array(all).to_string();
    connection.send(&Request::post("/announcements", &deployment.publisher, body)).await?;
    Ok(())
}
