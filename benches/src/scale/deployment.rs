//! One or several servers over one database, with users, readers and groups in it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, Url};
use serde_json::{Value, json};
use tidings_testkit::postgres::Cluster;
use tokio::task::JoinSet;

use super::database::{Database, Postgres, Users};
use crate::Result;
use crate::client::Client;
use crate::server_process::ServerProcess;

/// Members of each group.
pub(super) const GROUP_MEMBERS: usize = 16;
/// Readers that are made at the same time.
const MAKING: usize = 16;

/// The database of a set-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// What is measured beside each other.
#[derive(Debug, Clone)]
pub(crate) struct SetUp {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) nodes: usize,
    /// Further arguments of each server.
    pub(crate) args: Vec<String>,
}

impl SetUp {
    /// Whether its servers keep what is unread in Redis.
    pub(crate) fn is_cached(&self) -> bool {
        self.args.iter().any(|arg| arg == "--cache")
    }
}

/// A set-up that runs.
pub(crate) struct Deployment {
    nodes: Vec<ServerProcess>,
    /// Where the nodes listen.
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) database: Database,
    pub(crate) users: Users,
    /// A token that publishes on behalf of anybody.
    pub(crate) publisher: Arc<str>,
    /// The tokens of the users `r0`, `r1`…
    pub(crate) readers: Vec<Arc<str>>,
    /// The groups `g0`, `g1`…: `g<n>` is owned by the first of its members, `r<16 n>`.
    pub(crate) groups: usize,
}

/// Processor time so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cpu {
    pub(crate) nodes: Duration,
    pub(crate) database: Option<Duration>,
}

impl Deployment {
    /// Starts the servers of a set-up on an empty database, which is named as the folder `data`; `size` is the numbers of
    /// users and of readers.
    pub(crate) async fn start(
        set_up: &SetUp,
        cluster: &Cluster,
        data: &Path,
        size: (i64, usize),
    ) -> Result<Self> {
        let database = match set_up.kind {
            Kind::Sqlite => return Self::start_on_sqlite(data, size).await,
            Kind::Postgres => {
                let name = data.file_name().and_then(|name| name.to_str()).ok_or("no name")?;
                Database::Postgres(Postgres::create(cluster, name).await?)
            }
        };
        Self::start_over(database, set_up.nodes, &set_up.args, data, size).await
    }

    /// Starts one server with its own file as the database.
    pub(crate) async fn start_on_sqlite(data: &Path, size: (i64, usize)) -> Result<Self> {
        Self::start_over(Database::Sqlite(data.join("node0/server.db")), 1, &[], data, size).await
    }

    async fn start_over(
        database: Database,
        count: usize,
        args: &[String],
        data: &Path,
        (users, readers): (i64, usize),
    ) -> Result<Self> {
        let store = match &database {
            Database::Sqlite(_) => "sqlite",
            Database::Postgres(postgres) => &postgres.url,
        };
        let (mut nodes, mut addresses) = (Vec::new(), Vec::new());
        for n in 0..count {
            let node = ServerProcess::start_on(&data.join(format!("node{n}")), store, args).await?;
            let url: Url = node.url.parse()?;
            addresses.push(url.socket_addrs(|| None)?.into_iter().next().ok_or("no address")?);
            nodes.push(node);
        }
        let first = nodes.first().ok_or("no server")?;
        let client = Client::new(&first.url)?;
        let admin: Arc<str> = first.admin.as_deref().ok_or("no admin")?.into();
        let publisher = user(&client, &admin, "publisher", "publish").await?;
        let readers = make_readers(&client, &admin, readers).await?;
        let groups = make_groups(&client, &admin, readers.len()).await?;
        let users = database.insert_users(users).await?;
        Ok(Self { nodes, addresses, database, users, publisher, readers, groups })
    }

    /// The processor time of the servers and of the database so far.
    pub(crate) fn cpu(&self) -> Result<Cpu> {
        let mut nodes = Duration::ZERO;
        for node in &self.nodes {
            nodes += node.stats()?.cpu()?;
        }
        Ok(Cpu { nodes, database: self.database.cpu()? })
    }

    /// Resident memory of the node, bytes.
    pub(crate) fn resident(&self, node: usize) -> Result<u64> {
        self.nodes.get(node).ok_or("no such node")?.stats()?.resident()
    }

    /// What the servers logged.
    pub(crate) fn logs(&self) -> String {
        self.nodes.iter().map(ServerProcess::log).collect()
    }

    /// Stops the servers.
    pub(crate) async fn stop(self) -> Result<()> {
        for node in self.nodes {
            node.shut_down().await?;
        }
        Ok(())
    }
}

/// Makes a user with a token of this scope; gives the token.
async fn user(client: &Client, admin: &str, id: &str, scope: &str) -> Result<Arc<str>> {
    client.call(admin, Method::POST, "/users", &json!({"id": id})).await?;
    let created =
        client.call(admin, Method::POST, &format!("/users/{id}/tokens"), &json!({"scopes": [scope]})).await?;
    Ok(created.get("token").and_then(Value::as_str).ok_or("no token")?.into())
}

async fn make_readers(client: &Client, admin: &Arc<str>, count: usize) -> Result<Vec<Arc<str>>> {
    let mut readers: Vec<Arc<str>> = vec![Arc::from(""); count];
    let mut making: JoinSet<Result<(usize, Arc<str>)>> = JoinSet::new();
    for n in 0..count {
        let (client, admin) = (client.clone(), Arc::clone(admin));
        making.spawn(async move { Ok((n, user(&client, &admin, &format!("r{n}"), "inbox").await?)) });
        if making.len() == MAKING {
            keep(&mut readers, making.join_next().await.ok_or("nobody is made")??)?;
        }
    }
    while let Some(made) = making.join_next().await {
        keep(&mut readers, made?)?;
    }
    Ok(readers)
}

fn keep(readers: &mut [Arc<str>], made: Result<(usize, Arc<str>)>) -> Result<()> {
    let (n, token) = made?;
    if let Some(reader) = readers.get_mut(n) {
        *reader = token;
    }
    Ok(())
}

/// Makes a group of every sixteen readers, and one of fewer if there are no more.
async fn make_groups(client: &Client, admin: &str, readers: usize) -> Result<usize> {
    let groups = (readers / GROUP_MEMBERS).max(1);
    for n in 0..groups {
        let from = n * GROUP_MEMBERS;
        let members: Vec<String> =
            (from..(from + GROUP_MEMBERS).min(readers)).map(|reader| format!("r{reader}")).collect();
        let body = json!({"id": format!("g{n}"), "name": format!("Group {n}"), "members": members});
        client.call(admin, Method::POST, &format!("/groups?user=r{from}"), &body).await?;
    }
    Ok(groups)
}
