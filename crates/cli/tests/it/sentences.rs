//! Tests of the sentences of reminders in lists and exports: who did what to what, and whose that is.

use serde_json::{Value, json};

use crate::data_folder::{DataFolder, server_and_replica};
use crate::inbox::{put, request};

/// What a command prints if the desktop's language is this.
fn read(folder: &DataFolder, locale: &str, args: &[&str]) -> String {
    let mut command = folder.command(args);
    let done = DataFolder::run_command(command.env("LANG", locale));
    assert_eq!(done.code, Some(0), "{done:?}");
    done.out
}

#[test]
fn what_is_done_to_one_s_own_is_said_in_lists_and_exports_in_both_languages() {
    let (server_dir, serving, laptop) = server_and_replica();
    let (ana, admin) = (server_dir.token("ana", "inbox"), server_dir.token("admin", "admin"));
    let remind = |action: &str, kind: &str, owner: &str| {
        let target = json!({"type": kind, "id": "42", "title": "Rust in 2026", "owner": owner});
        let reminder = json!({"actor": {"id": "bo", "name": "Bo"}, "action": action, "target": target});
        request("POST", &serving.url, "/api/v1/reminders", &admin, &reminder);
    };
    for (kind, actions) in [("article", &["comment", "vote"][..]), ("user", &["follow"]), ("post", &["like"])]
    {
        let subscription = json!({"target": {"type": kind, "id": "42"}, "actions": actions});
        put(&serving.url, "/api/v1/subscriptions", &ana, &subscription);
    }
    remind("comment", "article", "ana");
    remind("vote", "article", "ana");
    remind("follow", "user", "ana");
    remind("like", "post", "cy");
    laptop.run(&["pull"]);
    let en = [
        "Bo commented on your article Rust in 2026",
        "Bo voted for your article Rust in 2026",
        "Bo followed you",
        "Bo liked Rust in 2026",
    ];
    let zh = [
        "Bo 评论了你的文章“Rust in 2026”",
        "Bo 投票给了你的文章“Rust in 2026”",
        "Bo 关注了你",
        "Bo 喜欢了“Rust in 2026”",
    ];
    // The shipped catalog has neither `zh-TW` nor `zh`.
    for (locale, sentences) in [("C.UTF-8", en), ("zh_CN.UTF-8", zh), ("zh_TW.UTF-8", en)] {
        let list = read(&laptop, locale, &["list"]);
        let json = read(&laptop, locale, &["export", "--format", "json"]);
        let csv = read(&laptop, locale, &["export", "--format", "csv"]);
        let json: Value = serde_json::from_str(&json).unwrap();
        let told: Vec<&str> =
            json.as_array().unwrap().iter().map(|item| item["sentence"].as_str().unwrap()).collect();
        assert_eq!(told, sentences);
        for sentence in sentences {
            assert!(list.contains(sentence), "{list}");
            assert!(csv.contains(&sentence.replace('"', "\"\"")), "{csv}");
        }
    }
    let mbox = read(&laptop, "C.UTF-8", &["export", "--format", "mbox"]);
    for sentence in en {
        assert!(mbox.contains(&format!("Subject: {sentence}\n")), "{mbox}");
    }
    // The server's own inboxes, of which each has another reader.
    let of_server = read(&server_dir, "C.UTF-8", &["export", "--of", "server", "--format", "csv"]);
    assert!(of_server.contains("Bo commented on your article Rust in 2026"), "{of_server}");
}

#[test]
fn a_sentence_is_in_any_language_that_the_catalog_has_and_an_unknown_action_says_who_and_what() {
    let (server_dir, serving, laptop) = server_and_replica();
    let (ana, admin) = (server_dir.token("ana", "inbox"), server_dir.token("admin", "admin"));
    let template = json!({"en": "{actors} bought {target} for {price}", "zh": "{actors} 买了 {target}",
        "de": "{actors} hat {target} gekauft"});
    let own = json!({"de": "{actors} hat dein {target} gekauft"});
    let catalog =
        json!({"actions": {"buy": {"template": template, "own": own}, "sell": {"template": {"en": "x"}}}});
    put(&serving.url, "/api/v1/catalog", &admin, &catalog);
    let subscription = json!({"target": {"type": "bike", "id": "7"}, "actions": ["buy", "sell"]});
    put(&serving.url, "/api/v1/subscriptions", &ana, &subscription);
    for (action, owner) in [("buy", "cy"), ("buy", "ana"), ("sell", "cy")] {
        let target = json!({"type": "bike", "id": "7", "title": "Red bike", "owner": owner});
        let reminder = json!({"actor": {"id": "bo", "name": "Bo"}, "action": action, "target": target});
        request("POST", &serving.url, "/api/v1/reminders", &admin, &reminder);
    }
    let catalog = json!({"actions": {"buy": {"template": template, "own": own}}});
    put(&serving.url, "/api/v1/catalog", &admin, &catalog);
    laptop.run(&["pull"]);
    let told = |locale: &str| -> Vec<String> {
        let json: Value =
            serde_json::from_str(&read(&laptop, locale, &["export", "--format", "json"])).unwrap();
        json.as_array().unwrap().iter().map(|item| item["sentence"].as_str().unwrap().to_owned()).collect()
    };
    let (mine, sold) = ("Bo hat dein Red bike gekauft", "Bo: sell · Red bike");
    assert_eq!(told("de_AT.UTF-8"), ["Bo hat Red bike gekauft", mine, sold]);
    // `own` has German alone; a price is not there.
    assert_eq!(told("C.UTF-8"), ["Bo bought Red bike for", mine, sold]);
    assert_eq!(told("zh_TW.UTF-8"), ["Bo 买了“Red bike”", mine, sold]);
    assert!(read(&laptop, "zh_CN.UTF-8", &["list"]).contains(sold));
}
