//! Tests of tokens that a former version kept in a Secret Service, with a real one over the bus.

use std::collections::HashMap;
use std::fs;

use serde_json::{Value as Json, json};
use support::{
    app::{self, App},
    desktop::{Desktop, DesktopOptions},
    server::ServerProcess,
    wait,
};
use zbus::Connection;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

const SERVICE: &str = "org.freedesktop.secrets";

/// A secret on the bus: session, parameters, bytes, content type.
type Secret = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);

/// A client of the desktop's Secret Service.
struct Secrets {
    bus: Connection,
    session: OwnedObjectPath,
}

impl Secrets {
    async fn of(desktop: &Desktop) -> Self {
        let bus = desktop.bus().await;
        let (_, session): (OwnedValue, OwnedObjectPath) =
            call(&bus, "/org/freedesktop/secrets", "Service", "OpenSession", &("plain", Value::from("")))
                .await;
        Self { bus, session }
    }

    /// Stores a password under a name, with the attributes that the program's keyring library uses.
    async fn store(&self, name: &str, password: &str) {
        let root = "/org/freedesktop/secrets";
        let collection: OwnedObjectPath = call(&self.bus, root, "Service", "ReadAlias", &"default").await;
        let label = format!("keyring:{name}@tidings");
        let about = HashMap::from([
            ("org.freedesktop.Secret.Item.Label", Value::from(label)),
            ("org.freedesktop.Secret.Item.Attributes", Value::from(attributes(name))),
        ]);
        let secret: Secret =
            (self.session.clone(), Vec::new(), password.as_bytes().to_vec(), "text/plain".to_owned());
        let made: (OwnedObjectPath, OwnedObjectPath) =
            call(&self.bus, &collection, "Collection", "CreateItem", &(about, secret, true)).await;
        assert_ne!(made.0.as_str(), "/", "it was kept without a question");
    }

    /// The passwords under a name.
    async fn passwords(&self, name: &str) -> Vec<String> {
        let root = "/org/freedesktop/secrets";
        let (found, locked): (Vec<OwnedObjectPath>, Vec<OwnedObjectPath>) =
            call(&self.bus, root, "Service", "SearchItems", &attributes(name)).await;
        assert!(locked.is_empty(), "the keyring is open");
        let mut passwords = Vec::new();
        for item in found {
            let secret: Secret = call(&self.bus, &item, "Item", "GetSecret", &self.session).await;
            passwords.push(String::from_utf8(secret.2).expect("a password is text"));
        }
        passwords
    }
}

fn attributes(name: &str) -> HashMap<&str, &str> {
    HashMap::from([("service", "tidings"), ("username", name)])
}

async fn call<T>(
    bus: &Connection,
    path: &str,
    interface: &str,
    method: &str,
    body: &(impl serde::Serialize + zbus::zvariant::DynamicType),
) -> T
where
    T: serde::de::DeserializeOwned + zbus::zvariant::Type,
{
    let interface = format!("org.freedesktop.Secret.{interface}");
    let answer = bus.call_method(Some(SERVICE), path, Some(&*interface), method, body).await;
    let answer = answer.unwrap_or_else(|error| panic!("{method}: {error}"));
    answer.body().deserialize().unwrap_or_else(|error| panic!("{method}: {error}"))
}

async fn wait_for_unread(desktop: &Desktop, count: u64) {
    wait::until_equal("unread", count, || async { app::unread(&desktop.data_dir()) }).await;
}

#[tokio::test]
async fn a_token_that_a_former_version_kept_by_number_moves_to_its_origin_and_user() {
    let desktop = Desktop::with_options(DesktopOptions { keyring: true, ..DesktopOptions::default() });
    let server = ServerProcess::start();
    let ana = server.admin().user("ana", &["inbox"]).await;
    app::add_source(&desktop.data_dir(), &ana);
    let sources = app::tidings_json(&desktop.data_dir(), &["source", "list"]);
    let id = sources[0]["id"].as_i64().expect("a source has a number");
    // The state that a former version left: one entry in the keyring, named by the source's id alone.
    for file in ["tokens.json", "tokens.lock"] {
        fs::remove_file(desktop.data_dir().join(file)).expect("it was written without a keyring");
    }
    let folder = fs::canonicalize(desktop.data_dir()).expect("the data folder");
    let former = format!("{}#{id}", folder.display());
    let secrets = Secrets::of(&desktop).await;
    secrets.store(&former, &ana.token).await;

    let mut app = App::start(&desktop, &["--background"]);
    server
        .admin()
        .post("announcements", json!({"title": "Welcome aboard", "body": "For everybody"}))
        .await
        .success();
    wait_for_unread(&desktop, 1).await;
    let now = format!("{former}@{}", server.url());
    wait::until_equal("what is under the number alone", Vec::<String>::new(), || secrets.passwords(&former))
        .await;
    let kept = secrets.passwords(&now).await;
    let kept: Vec<Json> = kept.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
    let entry = json!({"source": id, "origin": server.url(), "user": "ana", "token": ana.token});
    assert_eq!(kept, [entry]);
    let file = fs::read_to_string(desktop.data_dir().join("tokens.json")).unwrap_or_default();
    assert!(!file.contains(&ana.token), "it stays in the keyring");

    // From now on the app finds the token in the keyring.
    app.process.terminate();
    drop(app);
    let app = App::start(&desktop, &["--background"]);
    server
        .admin()
        .post("announcements", json!({"title": "Still aboard", "body": "For everybody"}))
        .await
        .success();
    wait_for_unread(&desktop, 2).await;
    assert!(!app.log().contains(&ana.token), "a token in the log");
    assert_eq!(secrets.passwords(&now).await.len(), 1);
}
