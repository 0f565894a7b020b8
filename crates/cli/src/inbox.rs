//! The replica of the data folder, which a running app may have open too, and the tokens of its sources.

use std::{path::PathBuf, sync::Arc};

use tidings_app::socket::{self, Request};
use tidings_home::Home;
use tidings_model::SystemClock;
use tidings_net::certificates::CertificateStore;
pub(crate) use tidings_render::export::{SourceNames, source_name};
use tidings_replica::{Replica, Source};
use tidings_sandbox::marks;
use tidings_sync::{StoredTokens, TokenStore};
use tokio::runtime::Handle;

use crate::{
    endpoint,
    error::{Error, Result},
    output::warn,
};

/// Opens the replica of the data folder, creates it if it is missing, and puts the certificates of its origins in force.
pub(crate) fn open(home: &Home) -> Result<Replica> {
    prepare(home)?;
    use_certificates(&TokenStore::new(home.dir()));
    Ok(Replica::open(home.dir(), Arc::new(SystemClock))?)
}

/// The tokens of the replica's sources; migrates those of an earlier version first.
pub(crate) fn tokens(home: &Home, replica: &Replica) -> Result<StoredTokens> {
    let store = TokenStore::new(home.dir());
    use_proxy(&store);
    let lost = store.migrate_legacy(&replica.sources()?)?;
    if lost > 0 {
        warn(&format!(
            "this inbox was restored from a backup, so it is not known for which addresses its tokens were kept: \
             they are forgotten; sign in again to {lost} of its sources"
        ));
    }
    let (home, runtime) = (home.clone(), Handle::current());
    Ok(StoredTokens::new(store, move |at| runtime.block_on(endpoint::runs_at(&home, at))))
}

/// The certificates of the data folder.
pub(crate) fn certificates(home: &Home) -> Result<CertificateStore> {
    prepare(home)?;
    Ok(TokenStore::new(home.dir()).certificates())
}

/// Puts the chosen proxy and the certificates of origins in force, with the keys of client certificates: for requests to
/// what is no stored source. May block while the keyring asks for its password.
pub(crate) fn prepare_requests(home: &Home) {
    let store = TokenStore::new(home.dir());
    use_proxy(&store);
    use_certificates(&store);
    store.certificates().load_keys();
}

fn use_certificates(store: &TokenStore) {
    if let Err(error) = store.certificates().load() {
        warn(&format!("the certificates that you added are not used: {error}"));
    }
}

fn use_proxy(store: &TokenStore) {
    if let Err(error) = store.proxy().load() {
        warn(&format!("the proxy that you chose is not used: {error}"));
    }
}

/// The path of the replica.
pub(crate) fn replica_file(home: &Home) -> PathBuf {
    home.dir().join(tidings_replica::FILE)
}

/// The path of the server's database.
pub(crate) fn server_file(home: &Home) -> PathBuf {
    home.dir().join("server.db")
}

/// Creates the data folder if it is missing, and keeps the marks of what is read in it.
pub(crate) fn prepare(home: &Home) -> Result<()> {
    let prepared = home.prepare().and_then(|()| marks::keep_in(home.dir(), env!("CARGO_PKG_VERSION")));
    prepared.map_err(|error| {
        Error::failed(format!("the data folder {} can't be written: {error}", home.dir().display()))
    })
}

/// Notifies a running app that the replica changed. An app that can't be reached sees the change with its next pull.
pub(crate) async fn notify_app(home: &Home) {
    match socket::ask(&home.socket(), &Request::Changed).await {
        Ok(Some(Err(reason))) => warn(&format!("the running app did not notice the change: {reason}")),
        Err(error) => warn(&format!("the running app did not notice the change: {error}")),
        Ok(_) => {}
    }
}

/// Finds a source by name, else by address.
pub(crate) fn find(replica: &Replica, name: &str) -> Result<Source> {
    let mut sources = replica.sources()?;
    let at = sources
        .iter()
        .position(|s| source_name(s) == name)
        .or_else(|| sources.iter().position(|s| s.url == name));
    at.map(|at| sources.swap_remove(at)).ok_or_else(|| Error::failed(format!("there is no source `{name}`")))
}
