//! Tests of exported and imported settings.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use tidings_home::usual_port;
use tidings_ipc::{
    ErrorCode, NotifyLevel, NotifySettings, Rule, RuleThen, RuleWhen, SavedSearch, TokenRow, UserRow,
};
use tidings_model::Lang;
use tidings_ports::{ListenConfig, OwnServer, ServerStartError, TokenPurpose, UserError};

use super::harness::open;

/// A fake own server that reports the listen settings it was given, makes tokens of their names, is not announced in the
/// network, and accepts no backup. The second part: whether its stamps are ahead of the clock.
#[derive(Default)]
pub(super) struct FakeOwnServer(Mutex<ListenConfig>, pub(super) AtomicBool);

#[async_trait]
impl OwnServer for FakeOwnServer {
    fn reserve_port(&self, _listen: &ListenConfig) {}

    async fn start(&self, listen: ListenConfig) -> Result<u16, ServerStartError> {
        self.move_to(listen).await
    }
    fn origin(&self, text: &str) -> Option<String> {
        let origin = text.parse::<tidings_server::Origin>().ok()?;
        Some(origin.as_str().to_owned())
    }
    async fn move_to(&self, listen: ListenConfig) -> Result<u16, ServerStartError> {
        let port = listen.port.unwrap_or_else(usual_port);
        *self.0.lock().unwrap() = listen;
        Ok(port)
    }
    async fn token(&self, _purpose: TokenPurpose) -> Result<String, String> {
        Ok("tdg_own".into())
    }
    async fn accepts_token(&self, _token: &str) -> bool {
        true
    }
    async fn tokens(&self) -> Result<Vec<TokenRow>, String> {
        Ok(Vec::new())
    }
    async fn create_token(&self, label: &str, _reads: bool) -> Result<String, String> {
        Ok(format!("tdg_{label}"))
    }
    async fn create_application(&self, name: &str) -> Result<String, String> {
        Ok(format!("tdg_{name}"))
    }
    async fn revoke_token(&self, _id: &str) -> Result<bool, String> {
        Ok(false)
    }
    async fn users(&self) -> Result<Vec<UserRow>, String> {
        Ok(Vec::new())
    }
    async fn add_user(&self, _id: &str, _name: &str) -> Result<(), UserError> {
        Err(UserError::Taken)
    }
    async fn rename_user(&self, _id: &str, _name: &str) -> Result<(), UserError> {
        Err(UserError::Gone)
    }
    async fn remove_user(&self, _id: &str, _recalls: bool) -> Result<(), UserError> {
        Err(UserError::Own)
    }
    async fn export_user(&self, id: &str, to: &Path) -> Result<(), UserError> {
        std::fs::write(to, format!("{{\"profile\":\"{id}\"}}\n")).map_err(|e| UserError::Other(e.to_string()))
    }
    fn addresses(&self) -> Vec<String> {
        let addresses = ["http://192.168.1.20:7878", "http://desk.local:7878"].map(str::to_owned);
        if self.0.lock().unwrap().others { addresses.into() } else { Vec::new() }
    }
    fn discovery_trouble(&self) -> Option<String> {
        self.0.lock().unwrap().others.then(|| "multicast is not possible".to_owned())
    }
    async fn backup(&self, _to: &Path) -> Result<(), String> {
        Err("nothing is kept".into())
    }
    async fn restore(&self, _from: &Path) -> Result<u16, String> {
        Err("nothing is kept".into())
    }
    async fn stamps_are_ahead(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }
    async fn mend_clock(&self) -> Result<u16, String> {
        self.1.store(false, Ordering::Relaxed);
        Ok(usual_port())
    }
    async fn reclaimable_bytes(&self) -> u64 {
        0
    }
    async fn compact(&self) -> Result<(), String> {
        Ok(())
    }
    async fn stop(&self) {}
}

#[tokio::test]
async fn settings_go_to_another_computer_without_their_tokens() {
    let test = open();
    let work = test.source("Work");
    test.store_token_of(work, "tdg_secret");
    let mut settings = test.app.settings.current_settings();
    settings.keep_days = Some(90);
    test.app.settings.settings(&settings).await.unwrap();
    let file = test.folder.path().join("settings.json");
    test.choose_file(&file);
    test.app.settings_transfer.export_settings().await.unwrap().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"Work\"") && !text.contains("tdg_secret"));

    let other = open();
    other.choose_file(&file);
    let done = other.app.settings_transfer.import_settings().await.unwrap().unwrap();
    assert_eq!(done.text, "Settings imported. Added: 1 source that needs sign-in");
    assert_eq!(other.app.settings.current_settings().keep_days, Some(90));
    other.choose_file(&file);
    let twice = other.app.settings_transfer.import_settings().await.unwrap().unwrap();
    assert_eq!(twice.text, "Settings imported");
    assert_eq!(other.app.context.replica.sources().unwrap().len(), 1);
    std::fs::write(&file, "{\"tidings\": \"something else\"}").unwrap();
    other.choose_file(&file);
    let refused = other.app.settings_transfer.import_settings().await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.contains("has no settings"), "{}", refused.text);
}

#[tokio::test]
async fn rules_searches_and_what_sources_may_tell_go_along_and_are_not_doubled() {
    let test = open();
    let (own, work) = (test.source(""), test.source("Work"));
    let gone = test.app.context.replica.add_source(elsewhere()).unwrap();
    let quiet =
        NotifySettings { level: Some(NotifyLevel::Badge), from_priority: Some(4), sound: Some(false) };
    test.app.rules.set_source_notify(work, quiet).await.unwrap();
    test.app
        .rules
        .set_source_notify(own, NotifySettings { sound: Some(true), ..NotifySettings::default() })
        .await
        .unwrap();
    for (source, words) in [(None, "disk"), (Some(own), "backup"), (Some(work), "build"), (Some(gone), "old")]
    {
        let when = RuleWhen { source, words: words.into(), ..RuleWhen::default() };
        let then = RuleThen { mute: true, ..RuleThen::default() };
        let rule = Rule { name: words.into(), on: source != Some(work), when, then, ..Rule::default() };
        test.app.rules.save_rule(rule).await.unwrap();
    }
    for query in ["from:bob is:unread", "backup"] {
        let search = SavedSearch { id: 0, name: String::new(), query: query.into(), unread: 0, quiet: 0 };
        test.app.searches.save_search(search).await.unwrap();
    }
    test.app.context.replica.remove_source(gone, false).unwrap();
    let file = test.folder.path().join("settings.json");
    test.choose_file(&file);
    test.app.settings_transfer.export_settings().await.unwrap().unwrap();

    // Another computer, where the sources have other ids and one of the searches exists already.
    let other = open().running();
    let before = other.app.context.replica.add_source(elsewhere()).unwrap();
    let own = other.source("");
    let search = SavedSearch { id: 0, name: "Mine".into(), query: "backup".into(), unread: 0, quiet: 0 };
    other.app.searches.save_search(search).await.unwrap();
    other.choose_file(&file);
    let done = other.app.settings_transfer.import_settings().await.unwrap().unwrap();
    assert_eq!(done.text, "Settings imported. Added: 3 rules, 1 search, 1 source that needs sign-in");
    let sources = other.app.context.replica.sources().unwrap();
    let work = sources.iter().find(|source| source.name == "Work").unwrap();
    assert!(work.id != before && work.id != own);
    assert_eq!((work.notify.from_priority, work.notify.sound), (Some(4), Some(false)));
    let of_own = sources.iter().find(|source| source.own).unwrap();
    assert_eq!(of_own.notify.sound, Some(true));
    let rules = other.app.rules.rules().await.unwrap();
    let imported: Vec<_> = rules.iter().map(|rule| (rule.name.as_str(), rule.on, rule.when.source)).collect();
    assert_eq!(
        imported,
        [("disk", true, None), ("backup", true, Some(own)), ("build", false, Some(work.id))],
        "a rule for a source that is gone is not one for everything"
    );
    let names = || {
        other.app.context.replica.saved_searches().unwrap().into_iter().map(|s| s.name).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["Mine", "from:bob is:unread"]);
    other.choose_file(&file);
    assert_eq!(
        other.app.settings_transfer.import_settings().await.unwrap().unwrap().text,
        "Settings imported"
    );
    assert_eq!((other.app.rules.rules().await.unwrap().len(), names().len()), (3, 2));
}

#[tokio::test]
async fn settings_with_one_thing_that_makes_no_sense_change_nothing() {
    let test = open();
    let file = test.folder.path().join("settings.json");
    test.choose_file(&file);
    test.app.settings_transfer.export_settings().await.unwrap().unwrap();
    let valid: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let search = json!({"name": "", "query": "is:red"});
    let rule = json!({"rule": {"name": "x".repeat(2_000)}});
    let hundred: Vec<_> = (0..101).map(|n| json!({"query": format!("word{n}")})).collect();
    for (key, wrong) in [
        ("searches", json!([search])),
        ("rules", json!([rule])),
        ("searches", json!(hundred)),
        ("rules", json!(7)),
    ] {
        let mut written = valid.clone();
        written["settings"]["keep_days"] = json!(7);
        written["searches"] = json!([{"query": "fine"}]);
        written[key] = wrong;
        std::fs::write(&file, written.to_string()).unwrap();
        test.choose_file(&file);
        let refused = test.app.settings_transfer.import_settings().await.unwrap_err().to_ipc(Lang::En);
        assert_eq!(refused.code, ErrorCode::Invalid, "{key}: {}", refused.text);
        assert_eq!(test.app.settings.current_settings().keep_days, None, "{key}");
        assert!(test.app.context.replica.saved_searches().unwrap().is_empty(), "{key}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_has_no_settings_and_nobody_waits_for_its_writer() {
    let test = open();
    let pipe = test.folder.path().join("settings.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    test.choose_file(&pipe);
    let refused = test.app.settings_transfer.import_settings().await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.contains("has no settings"), "{}", refused.text);
}

#[tokio::test]
async fn no_file_lets_other_devices_in() {
    let test = open();
    let file = test.folder.path().join("settings.json");
    test.choose_file(&file);
    test.app.settings_transfer.export_settings().await.unwrap().unwrap();
    let mut written: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    written["server"] = json!({"port": 7900, "others": true, "origins": ["https://evil.example"]});
    std::fs::write(&file, written.to_string()).unwrap();

    let server = Arc::new(FakeOwnServer::default());
    test.app.server_state.set_server(Arc::<FakeOwnServer>::clone(&server));
    let listen = || server.0.lock().unwrap().clone();
    test.choose_file(&file);
    let done = test.app.settings_transfer.import_settings().await.unwrap().unwrap();
    assert_eq!(
        listen(),
        ListenConfig { port: Some(7900), ..ListenConfig::default() },
        "the port is taken over, the open doors are not"
    );
    assert_eq!(
        done.text,
        "Settings imported. Other devices are still not allowed. You can allow them in Settings, This computer. Pages in a \
         browser are still not allowed. You can allow them in Settings, This computer, Advanced"
    );
    written["server"]["origins"] = json!([]);
    let mut settings = test.app.settings.current_settings();
    settings.lang = Some(Lang::ZhCn);
    test.app.settings.settings(&settings).await.unwrap();
    written["settings"]["lang"] = json!("zh-CN");
    std::fs::write(&file, written.to_string()).unwrap();
    test.choose_file(&file);
    let done = test.app.settings_transfer.import_settings().await.unwrap().unwrap();
    assert_eq!(done.text, "已导入设置。仍不允许其他设备访问。可在“设置”的“本机”中允许");

    // If the user has allowed other computers, the import leaves that allowed.
    test.app.server.set_server(Some(7900), true).await.unwrap();
    test.choose_file(&file);
    let done = test.app.settings_transfer.import_settings().await.unwrap().unwrap();
    assert_eq!((listen().others, done.text.as_str()), (true, "已导入设置"));

    // The same holds for pages.
    test.app.server.set_origins(vec!["https://ntfy.example".to_owned()]).await.unwrap();
    test.choose_file(&file);
    test.app.settings_transfer.import_settings().await.unwrap().unwrap();
    assert_eq!(listen().origins, ["https://ntfy.example"]);
}

fn elsewhere() -> tidings_replica::NewSource {
    tidings_replica::NewSource {
        name: "Elsewhere".into(),
        protocol: "tidings".into(),
        url: "http://127.0.0.1:3".into(),
        user: None,
        own: false,
    }
}

#[tokio::test]
async fn no_file_makes_another_computer_keep_what_its_programs_tell() {
    let test = open();
    let desktop = || tidings_replica::NewSource {
        name: "Other programs".into(),
        protocol: "desktop".into(),
        url: "desktop:Mail".into(),
        user: None,
        own: false,
    };
    let source = test.app.context.replica.add_source(desktop()).unwrap();
    test.app.sources.keep_application(source, " Calendar ", true).await.unwrap();
    test.app.sources.keep_application(source, "Mail", false).await.unwrap();
    assert_eq!(test.app.context.replica.source(source).unwrap().url, "desktop:Calendar");
    let refused =
        test.app.sources.keep_application(source, "Tidings", true).await.unwrap_err().to_ipc(Lang::En);
    assert_eq!((refused.code, refused.text.contains("without Tidings itself")), (ErrorCode::Invalid, true));
    let work = test.source("Work");
    assert!(
        test.app.sources.keep_application(work, "Mail", true).await.is_err(),
        "another kind has no programs"
    );
    let (_, places) = test.app.page.sync_and_places().await.unwrap();
    let listed = places.sources.iter().find(|row| row.id == source).and_then(|row| row.applications.clone());
    assert_eq!(
        listed.unwrap().into_iter().map(|one| (one.name, one.kept)).collect::<Vec<_>>(),
        [("Calendar".to_owned(), true)]
    );

    let file = test.folder.path().join("settings.json");
    test.choose_file(&file);
    test.app.settings_transfer.export_settings().await.unwrap().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"Work\"") && !text.contains("desktop:") && !text.contains("Calendar"), "{text}");

    let mut written: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut made_up = written["sources"][0].clone();
    for (key, value) in [("name", "Other programs"), ("protocol", "desktop"), ("url", "desktop:Mail")] {
        made_up[key] = json!(value);
    }
    written["sources"].as_array_mut().unwrap().push(made_up);
    std::fs::write(&file, written.to_string()).unwrap();
    let other = open();
    other.choose_file(&file);
    other.app.settings_transfer.import_settings().await.unwrap().unwrap();
    let sources = other.app.context.replica.sources().unwrap();
    assert!(sources.iter().all(|source| source.protocol != "desktop"), "{sources:?}");
}
