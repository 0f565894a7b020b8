//! Tests of the import of sources from files of other programs, and of the export of feeds.

use std::fs;

use tidings_ipc::{ImportToken, ImportView};
use tidings_model::Lang;
use tidings_replica::NotifyLevel;
use tidings_testkit::scripted::ScriptedServer;
use tidings_testkit::services::{Feed, GitHub, ScriptedService as _};

use super::harness::{TestApp, open};

async fn chosen(test: &TestApp, name: &str, content: &str) -> ImportView {
    let file = test.app.folder().join(name);
    fs::write(&file, content).unwrap();
    test.choose_file(&file);
    test.app.imports.read_import().await.unwrap().unwrap()
}

fn outline(name: &str, url: &str) -> String {
    format!("<outline type=\"rss\" text=\"{name}\" xmlUrl=\"{url}\"/>")
}

fn names(test: &TestApp) -> Vec<String> {
    test.app.context.replica.sources().unwrap().into_iter().map(|source| source.name).collect()
}

#[tokio::test]
async fn feeds_of_a_reader_are_added_one_by_one_each_if_it_answers() {
    let (test, site) = (open(), Feed::start().await);
    site.publish(1);
    let closed = ScriptedServer::start().await.url();
    let outlines = [
        outline("Daily\u{202e}", &site.url()),
        outline("Gone", &format!("{closed}/feed")),
        outline("Script", "exec:news.sh"),
    ];
    let opml = format!("<opml version=\"2.0\"><body>{}</body></opml>", outlines.concat());
    let view = chosen(&test, "feeds.opml", &opml).await;
    assert_eq!(
        (view.file.as_str(), view.left_out.as_slice(), view.left_out_count),
        ("feeds.opml", &["Script".to_owned()][..], 1)
    );
    let lines: Vec<_> =
        view.lines.iter().map(|line| (line.name.as_str(), line.token, line.known.clone())).collect();
    assert_eq!(lines, [("Daily", ImportToken::None, None), ("Gone", ImportToken::None, None)]);
    assert!(site.requests().is_empty() && names(&test).is_empty(), "nothing is asked or added yet");
    assert!(view.lines.iter().all(|line| line.private), "the reader sees that they are on this computer");
    let refused = test.app.imports.add_imported(view.id, 0, "", false).await.unwrap();
    assert!(!refused.ok && refused.text.contains("on this computer"), "{}", refused.text);
    assert!(site.requests().is_empty(), "a list does not lead requests there");

    let added = test.app.imports.add_imported(view.id, 0, "", true).await.unwrap();
    assert_eq!((added.ok, added.name.as_str()), (true, "Daily"));
    let gone = test.app.imports.add_imported(view.id, 1, "", true).await.unwrap();
    assert!(!gone.ok && gone.text.contains("No answer from"), "{}", gone.text);
    assert_eq!(names(&test), ["Daily"]);
    let sources = test.app.context.replica.sources().unwrap();
    assert_eq!(sources[0].notify.level, Some(NotifyLevel::Badge), "as if it had been added by hand");

    // Once more: it is known, and is not added twice.
    let again = chosen(&test, "feeds.opml", &opml).await;
    assert_eq!(again.lines[0].known.as_deref(), Some("Daily"));
    let twice = test.app.imports.add_imported(again.id, 0, "", true).await.unwrap();
    assert!(!twice.ok && twice.text.contains("Already added, as “Daily”"), "{}", twice.text);
    assert!(
        test.app.imports.add_imported(view.id, 0, "", true).await.is_err(),
        "the earlier file is forgotten"
    );
    test.app.imports.end_import(again.id);
    assert!(test.app.imports.add_imported(again.id, 0, "", true).await.is_err());

    let exported = test.app.folder().join("exported.opml");
    test.choose_file(&exported);
    let done = test.app.imports.export_feeds().await.unwrap().unwrap();
    assert_eq!(done.text, "1 feed exported");
    let written = fs::read_to_string(exported).unwrap();
    assert!(written.contains(&site.url()) && written.contains("Daily"), "{written}");
}

#[tokio::test]
async fn a_token_in_a_file_stays_in_the_program_and_one_that_is_missing_is_entered() {
    let (test, github) = (open(), GitHub::start().await);
    let url = github.url().trim_end_matches("/api/v3").replace("http://", "");
    let accounts =
        format!(r#"{{"state":{{"accounts":[{{"hostname":"{url}","token":"djEx"}}]}},"version":0}}"#);
    let view = chosen(&test, "gitify.json", &accounts).await;
    assert_eq!((view.lines[0].protocol.as_str(), view.lines[0].token), ("github", ImportToken::Missing));
    let without = test.app.imports.add_imported(view.id, 0, " ", true).await.unwrap();
    assert!(!without.ok && without.text.contains("token"), "{}", without.text);

    let ntfy = tidings_testkit::services::Ntfy::start().await;
    let (server, topic) = ntfy.url().rsplit_once('/').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let client =
        format!("default-host: {server}\nsubscribe:\n  - topic: {topic}\n    token: {}\n", ntfy.token());
    let view = chosen(&test, "client.yml", &client).await;
    assert_eq!((view.lines[0].token, view.lines[0].url.as_str()), (ImportToken::There, ntfy.url().as_str()));
    assert!(!serde_json::to_string(&view).unwrap().contains(&ntfy.token()), "the page does not get it");
    let wrong = test.app.imports.add_imported(view.id, 0, "tk_wrong", true).await.unwrap();
    assert!(!wrong.ok && wrong.text.contains("refused the token"), "{}", wrong.text);
    let added = test.app.imports.add_imported(view.id, 0, "", true).await.unwrap();
    assert!(added.ok, "{}", added.text);
    let source = test.app.context.replica.sources().unwrap()[0].id;
    assert_eq!(test.token_of(source), Some(ntfy.token()));
}

#[tokio::test]
async fn a_file_that_is_none_of_them_is_refused_and_nothing_is_lost() {
    let test = open();
    assert!(test.app.imports.read_import().await.unwrap().is_none(), "the dialog was cancelled");
    let file = test.app.folder().join("notes.txt");
    fs::write(&file, "nothing of the kind").unwrap();
    test.choose_file(&file);
    let refused = test.app.imports.read_import().await.unwrap_err().to_ipc(Lang::En);
    assert!(refused.text.starts_with("notes.txt is neither OPML"), "{}", refused.text);
    fs::write(&file, vec![b' '; (8 << 20) + 1]).unwrap();
    test.choose_file(&file);
    let large = test.app.imports.read_import().await.unwrap_err().to_ipc(Lang::En);
    assert!(large.text.contains("larger than 8 MiB"), "{}", large.text);
    test.choose_file(&test.app.folder().join("missing.opml"));
    let missing = test.app.imports.read_import().await.unwrap_err().to_ipc(Lang::En);
    assert!(missing.text.contains("can't be read"), "{}", missing.text);
}
