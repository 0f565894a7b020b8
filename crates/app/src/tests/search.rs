//! Tests of searches and of marks on all results.

use serde_json::json;
use tidings_ipc::{BulkTarget, ErrorCode, Grouping, IpcEvent, Place, SavedSearch, SourceForm, ThreadQuery};
use tidings_model::{Clock, Lang, Mark};
use tidings_sync::PullReason;
use tidings_testkit::services::{GitHub, ScriptedService};
use tidings_testkit::wait;

use super::harness::{TestApp, notification, open, open_at, published, until};

fn query(search: &str) -> ThreadQuery {
    ThreadQuery { search: Some(search.into()), ..ThreadQuery::top(Place::Inbox) }
}

/// An app with two sources: a backup on a topic, and comments by Bob and 林晓.
async fn test(lang: Lang) -> TestApp {
    let test = open_at(tempfile::tempdir().unwrap(), lang).running();
    let (own, work) = (test.source(""), test.source("Work"));
    let at = &test.clock;
    let comment = |nth: i64, id: &str, name: &str, article: &str| {
        let more = json!({"thread": format!("article:{article}#comment"), "actor": {"id": id, "name": name},
            "target": {"type": "article", "id": article, "title": format!("Article {article}"), "owner": "me"},
            "body": "数据库备份已经完成"});
        notification(at, nth, &more)
    };
    test.pulled(own, PullReason::Live, vec![published(at, 1, "backups", "Backup done")]).await;
    let comments = vec![comment(2, "bob", "Bob Kessler", "7"), comment(3, "lin", "林晓", "8")];
    test.pulled(work, PullReason::Live, comments).await;
    test
}

async fn who(test: &TestApp, search: &str) -> Vec<String> {
    let page = test.app.reading.threads(query(search)).await.unwrap();
    page.rows.into_iter().map(|row| row.who).collect()
}

#[tokio::test]
async fn a_query_finds_in_both_languages() {
    let test = test(Lang::En).await;
    assert_eq!(who(&test, "from:bob is:unread type:activity source:work").await, ["Bob Kessler"]);
    assert_eq!(who(&test, "来自：林 是:未读 备份").await, ["林晓"]);
    assert_eq!(who(&test, "source:this").await, ["backups"], "by the name that is shown");
    assert_eq!(who(&test, "on:2023").await.len(), 3);
    assert_eq!(who(&test, "before:2023-01-01").await, [""; 0]);
    assert_eq!(who(&test, "\"Backup done\"").await, ["backups"]);
    let rows = test.app.reading.threads(query("\"article 7\"")).await.unwrap().rows;
    let found: Vec<&str> =
        rows[0].what.iter().filter(|span| span.found).map(|span| span.text.as_str()).collect();
    assert_eq!(found, ["Article 7"], "what stands together stands out together");
}

#[tokio::test]
async fn what_a_forge_says_is_merged_or_closed_is_found_as_that() {
    let github = GitHub::start_with_subjects().await;
    (0..3).for_each(|n| github.publish(n));
    github.merge(0);
    github.close(1);
    let test = open().connected().await;
    let form = SourceForm {
        protocol: "github".into(),
        url: github.url(),
        token: github.token(),
        name: "Code".into(),
        sign_in: None,
    };
    test.app.sources.add_source(form).await.unwrap();
    for (search, title) in [("is:merged", "item 0"), ("is:closed", "item 1")] {
        wait::until(&format!("{title} alone by {search}"), || async {
            let rows = test.app.reading.threads(query(search)).await.unwrap().rows;
            let told: Vec<String> =
                rows.iter().map(|row| row.what.iter().map(|span| span.text.as_str()).collect()).collect();
            told.len() == 1 && told[0].contains(title)
        })
        .await;
    }
}

#[tokio::test]
async fn a_query_that_cannot_be_read_says_what_to_write_instead() {
    let test = test(Lang::En).await;
    for (lang, text) in [
        (
            Lang::En,
            "“before:soon” is not a date. Enter a day such as 2026-11-01, a month such as 2026-11 or a year such as 2026.",
        ),
        (
            Lang::ZhCn,
            "“before:soon”不是日期。输入日期（如 2026-11-01）、月份（如 2026-11）或年份（如 2026）。",
        ),
    ] {
        let error = test.app.reading.threads(query("disk before:soon")).await.unwrap_err().to_ipc(lang);
        assert_eq!((error.code, error.text.as_str()), (ErrorCode::Invalid, text));
    }
    assert_eq!(who(&test, "from: ").await.len(), 3, "its value is yet to be typed");
}

#[tokio::test]
async fn a_list_by_source_has_the_sources_in_their_order() {
    let test = test(Lang::En).await;
    let query = ThreadQuery { group: Grouping::Source, limit: 2, ..ThreadQuery::top(Place::Inbox) };
    let first = test.app.reading.threads(query.clone()).await.unwrap();
    let names = |rows: &[tidings_ipc::ThreadRow]| rows.iter().map(|row| row.who.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(&first.rows), first.prev, first.total),
        (vec!["backups".into(), "林晓".into()], None, 3)
    );
    let next = test.app.reading.threads(ThreadQuery { after: first.next, ..query.clone() }).await.unwrap();
    assert_eq!((names(&next.rows), next.next.is_none()), (vec!["Bob Kessler".into()], true));
    let back = test.app.reading.threads(ThreadQuery { before: next.prev, ..query.clone() }).await.unwrap();
    assert_eq!(names(&back.rows), ["backups", "林晓"]);
    let bottom = test.app.reading.threads(ThreadQuery { bottom: true, ..query }).await.unwrap();
    assert_eq!(
        (names(&bottom.rows), bottom.next.is_none()),
        (vec!["林晓".into(), "Bob Kessler".into()], true)
    );
}

#[tokio::test]
async fn what_could_stand_in_a_query_is_suggested() {
    let test = test(Lang::En).await;
    let suggest = |query: &str| test.app.searches.suggest(query.to_owned());
    let tokens = |all: &[tidings_ipc::Suggestion]| all.iter().map(|s| s.token.clone()).collect::<Vec<_>>();
    let people = suggest("from:bo").await.unwrap();
    assert_eq!(
        (people[0].token.as_str(), people[0].label.as_str(), people[0].completes),
        ("from:bob", "Bob Kessler", true)
    );
    assert_eq!(tokens(&suggest("来源:w").await.unwrap()), ["source:work"]);
    assert_eq!(tokens(&suggest("source:th").await.unwrap()), ["source:\"this computer\""]);
    assert_eq!(tokens(&suggest("typ").await.unwrap()), ["type:"]);
    assert_eq!(tokens(&suggest("activ").await.unwrap()), ["type:activity"]);
    assert_eq!(tokens(&suggest("type:").await.unwrap()), ["type:activity"]);
    for typed in ["", "disk ", "k", "kind", "kind:", "kind:rem", "rem", "提", "from:bob is:unread ", "is:"] {
        let all = suggest(typed).await.unwrap();
        let built = ["kind", "reminder"];
        assert!(!all.iter().any(|one| built.iter().any(|word| one.token.contains(word))), "{typed}: {all:?}");
    }
    assert_eq!(tokens(&suggest("reason:pu").await.unwrap()), ["reason:publish"]);
    assert!(tokens(&suggest("after:2023-11").await.unwrap()).contains(&"after:2023-11-01".to_owned()));
    let next = suggest("from:bob type:activity ").await.unwrap();
    assert_eq!(tokens(&next), ["is:unread", "source:work"], "all of it is of today");
    assert!(next.iter().all(|one| !one.completes));
    assert!(!tokens(&suggest("is:unread ").await.unwrap()).contains(&"is:unread".to_owned()));
}

#[tokio::test]
async fn names_with_digits_hyphens_and_spaces_are_completed_while_they_are_typed() {
    let test = open().running();
    for (nth, source, topic) in [(1, "web-01", "backups-2026"), (2, "Old work", "doors")] {
        let source = test.source(source);
        test.pulled(source, PullReason::Live, vec![published(&test.clock, nth, topic, "x")]).await;
    }
    for (typed, token) in [
        ("source:web-0", "source:web-01"),
        ("source:\"old w", "source:\"old work\""),
        ("in:backups-2", "in:backups-2026"),
    ] {
        let all = test.app.searches.suggest(typed.to_owned()).await.unwrap();
        assert_eq!(all.iter().map(|one| one.token.as_str()).collect::<Vec<_>>(), [token], "{typed}");
    }
}

#[tokio::test]
async fn only_conditions_that_find_something_are_suggested() {
    let test = test(Lang::En).await;
    let suggest = async |query: &str| -> Vec<String> {
        let all = test.app.searches.suggest(query.to_owned()).await.unwrap();
        all.into_iter().map(|one| one.token).collect()
    };
    assert_eq!(suggest("rea").await, ["reason:"]);
    for nothing in ["is:pi", "is:me", "is:bo", "has:", "priority:5", "before:2023", "type:mess"] {
        let key = nothing.split_once(':').unwrap().0;
        let all = suggest(nothing).await;
        assert!(all.iter().all(|token| !token.starts_with(&format!("{key}:"))), "{nothing}: {all:?}");
    }
    // Each is in the inbox, but not together.
    assert_eq!(suggest("backup ").await, ["is:unread", "type:activity"]);
    assert_eq!(suggest("done").await, ["is:unread", "type:activity"], "a word that is there narrows at once");
    let bobs = test.app.reading.threads(query("from:bob")).await.unwrap().rows.remove(0).id;
    test.app.marks.mark(vec![bobs], Mark::Read).await.unwrap();
    test.app.marks.mark(vec![bobs], Mark::Pin).await.unwrap();
    assert_eq!(suggest("rea").await, ["reason:", "is:read"]);
    assert_eq!(suggest("disk is:p").await, ["is:pinned"]);
    assert_eq!(suggest("from:bob type:activity ").await, ["source:work"]);
}

#[tokio::test]
async fn a_row_of_a_search_shows_what_was_found_in_its_thread() {
    let test = open().running();
    let own = test.source("");
    let late = format!("{}and then disk 47 was full", "all is well ".repeat(40));
    for (nth, topic, title, body) in [
        (1, "night", "Event 47", "quiet"),
        (2, "night", "Event 487", "loud"),
        (3, "logs", "Report", late.as_str()),
        (4, "logs", "Report", "nothing"),
    ] {
        let at = test.clock.now().plus_secs(nth - 10);
        let more = json!({"created_at": at, "thread": format!("topic:{topic}#publish"), "actor": {"id": topic, "name": topic},
            "action": "publish", "target": {"type": "topic", "id": topic}, "title": title, "body": body});
        test.pulled(own, PullReason::Live, vec![notification(&test.clock, nth, &more)]).await;
    }
    let rows = test.app.reading.threads(query("47 ")).await.unwrap().rows;
    let text =
        |row: &tidings_ipc::ThreadRow| row.what.iter().map(|span| span.text.as_str()).collect::<String>();
    let [report, event] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (text(event).as_str(), event.snippet.as_str(), event.hit.as_deref()),
        ("Event 47", "quiet", Some("m1"))
    );
    let found: Vec<&str> =
        event.what.iter().filter(|span| span.found).map(|span| span.text.as_str()).collect();
    assert_eq!(found, ["47"]);
    let ago = (report.time - event.time, test.clock.now().as_millis() - event.time);
    assert_eq!(ago, (2_000, 9_000), "each has the time of what it shows");
    assert!(
        report.snippet.starts_with('…') && report.snippet.ends_with("and then disk 47 was full"),
        "{}",
        report.snippet
    );
    let newest = test.app.reading.threads(query("487")).await.unwrap().rows;
    assert_eq!(
        (text(&newest[0]).as_str(), newest[0].hit.as_deref()),
        ("Event 487", None),
        "it is the newest one"
    );
    let listed = test.app.reading.threads(ThreadQuery::top(Place::Inbox)).await.unwrap().rows;
    assert_eq!([text(&listed[0]), text(&listed[1])], ["Report", "Event 487"], "a list shows the newest");
    let narrowed = test.app.reading.threads(ThreadQuery { within: true, ..query("47 ") }).await.unwrap().rows;
    let shown: Vec<_> = narrowed.iter().map(|row| (text(row), row.hit.as_deref(), row.shown_at)).collect();
    let found =
        |row: &tidings_ipc::ThreadRow| (text(row), row.hit.as_deref().map(str::to_owned), Some(row.time));
    let expected = [found(report), found(event)];
    assert_eq!(shown, expected.each_ref().map(|(text, hit, at)| (text.clone(), hit.as_deref(), *at)));
    let order = narrowed.iter().map(|row| row.time).collect::<Vec<_>>();
    assert_eq!(
        order,
        listed.iter().map(|row| row.time).collect::<Vec<_>>(),
        "a narrowed place keeps its order"
    );
}

#[tokio::test]
async fn a_hit_in_the_title_of_an_action_stands_before_its_body() {
    let test = open().running();
    let work = test.source("Work");
    let more =
        json!({"title": "Panic in the parser", "body": "It began on **Monday**", "format": "markdown"});
    test.pulled(work, PullReason::Live, vec![notification(&test.clock, 1, &more)]).await;
    for (search, snippet) in [
        ("panic", "Panic in the parser · It began on Monday"),
        ("panic monday", "Panic in the parser · It began on Monday"),
        ("monday", "It began on Monday"),
        ("rust", "It began on Monday"),
        ("from:ana", "It began on Monday"),
    ] {
        let row = test.app.reading.threads(query(search)).await.unwrap().rows.remove(0);
        assert_eq!(row.snippet, snippet, "{search}");
    }
}

#[tokio::test]
async fn a_day_is_suggested_only_where_something_is_older_and_then_it_finds_that() {
    let test = test(Lang::En).await;
    let days = async || {
        let all = test.app.searches.suggest("is:unread ".to_owned()).await.unwrap();
        all.into_iter().map(|s| s.token).filter(|token| token.starts_with("before:")).collect::<Vec<_>>()
    };
    assert_eq!(days().await, [""; 0]);
    // The clock is fixed on 14 November 2023.
    let own = test.app.context.replica.sources().unwrap()[0].id;
    for (nth, created, day) in [
        (10, "2023-11-12T12:00:00Z", "2023-11-14"),
        (11, "2023-11-05T12:00:00Z", "2023-11-07"),
        (12, "2023-10-01T12:00:00Z", "2023-11-01"),
    ] {
        let more =
            json!({"created_at": created, "thread": format!("topic:old-{nth}#publish"), "body": "old"});
        test.pulled(own, PullReason::Gap, vec![notification(&test.clock, nth, &more)]).await;
        let suggested = days().await;
        assert_eq!(suggested, [format!("before:{day}")]);
        assert_eq!(who(&test, &suggested[0]).await.len(), 1, "{day}");
    }
}

#[tokio::test]
async fn a_kept_search_is_a_place_with_a_number_that_follows_what_happens() {
    let test = test(Lang::En).await;
    test.with_page().await;
    let search = |name: &str, query: &str| SavedSearch {
        id: 0,
        name: name.into(),
        query: query.into(),
        unread: 0,
        quiet: 0,
    };
    let searches = test.app.searches.save_search(search("From Bob", "from:bob is:unread")).await.unwrap();
    assert_eq!((searches[0].name.as_str(), searches[0].unread), ("From Bob", 1));
    let wrong = test.app.searches.save_search(search("", "is:red")).await.unwrap_err().to_ipc(Lang::En);
    assert_eq!(wrong.code, ErrorCode::Invalid);
    let searches = test.app.searches.save_search(search("", "backup")).await.unwrap();
    assert_eq!(searches[1].name, "backup", "a search without a name is called by its query");
    let (first, second) = (searches[0].id, searches[1].id);

    let place = Place::Saved { id: first };
    let page = test.app.reading.threads(ThreadQuery::top(place.clone())).await.unwrap();
    assert_eq!((page.rows.len(), page.total), (1, 1));
    let both = ThreadQuery { search: Some("nothing".into()), ..ThreadQuery::top(place.clone()) };
    assert_eq!(test.app.reading.threads(both).await.unwrap().total, 0);
    let numbers = || {
        test.events.lock().unwrap().iter().rev().find_map(|event| match event {
            IpcEvent::Threads { places, .. } => places.saved.first().map(|s| (s.unread, s.quiet)),
            _ => None,
        })
    };
    test.app.marks.mark(vec![page.rows[0].id], Mark::Mute { until: None }).await.unwrap();
    until("the match to be quiet", || numbers() == Some((0, 1))).await;
    test.app.marks.mark(vec![page.rows[0].id], Mark::Read).await.unwrap();
    until("the number to follow", || numbers() == Some((0, 0))).await;

    let searches = test.app.searches.order_searches(vec![second, first]).await.unwrap();
    assert_eq!(searches.iter().map(|s| s.id).collect::<Vec<_>>(), [second, first]);
    assert_eq!(test.app.searches.remove_search(first).await.unwrap().len(), 1);
    let gone = test.app.reading.threads(ThreadQuery::top(place)).await.unwrap_err().to_ipc(Lang::En);
    assert_eq!(gone.code, ErrorCode::NotFound);
    assert_eq!(test.app.page.bootstrap().await.unwrap().places.saved[0].id, second);
}

#[tokio::test]
async fn all_that_matches_is_marked_and_taken_back() {
    let test = test(Lang::En).await;
    let all = BulkTarget { place: Place::Inbox, search: Some("source:work".into()), within: false };
    let marked = test.app.marks.mark_bulk(&all, Mark::Archive).await.unwrap();
    assert_eq!(marked.threads, 2);
    assert_eq!(test.app.reading.threads(ThreadQuery::top(Place::Done)).await.unwrap().total, 2);
    test.app.marks.undo(marked.undo.unwrap()).await.unwrap();
    assert_eq!(test.app.reading.threads(ThreadQuery::top(Place::Done)).await.unwrap().total, 0);
    let again = test.app.marks.mark_all_read(&Place::Inbox).await.unwrap();
    assert_eq!((again.threads, test.app.page.sync_and_places().await.unwrap().1.inbox.unread), (3, 0));
}

#[tokio::test]
async fn threads_that_are_merely_opened_push_no_action_out_of_what_can_be_taken_back() {
    let test = open().running();
    let own = test.source("");
    let topics = (1..40).map(|n| published(&test.clock, n, &format!("topic-{n}"), "x")).collect();
    test.pulled(own, PullReason::Live, topics).await;
    let rows = test.app.reading.threads(ThreadQuery::top(Place::Inbox)).await.unwrap().rows;
    let archived = test.app.marks.mark(vec![rows[0].id], Mark::Archive).await.unwrap();
    for row in &rows[1..39] {
        test.app.marks.mark(vec![row.id], Mark::Read).await.unwrap();
    }
    test.app.marks.undo(archived.undo.unwrap()).await.unwrap();
    for row in &rows[1..22] {
        test.app.marks.mark(vec![row.id], Mark::Archive).await.unwrap();
    }
    assert!(test.app.marks.undo(archived.undo.unwrap()).await.is_err());
}

#[tokio::test]
async fn what_finds_nothing_is_corrected_to_what_finds_something() {
    let test = test(Lang::En).await;
    let app = &test.app;
    let corrections = |search: &str, place: Place, within: bool| {
        let target = BulkTarget { place, search: Some(search.into()), within };
        async move { app.searches.corrections(&target).await.unwrap() }
    };
    let of = |all: Vec<tidings_ipc::Correction>| {
        all.into_iter().map(|one| (one.query, one.threads)).collect::<Vec<_>>()
    };
    let everywhere = |search: &'static str| corrections(search, Place::Inbox, false);
    assert_eq!(of(everywhere("bakcup").await), [("backup".to_owned(), 1)]);
    assert_eq!(of(everywhere("bakcup doen is:unread").await), [("backup done is:unread".to_owned(), 1)]);
    assert_eq!(of(everywhere("from:bobb").await), [("from:bob".to_owned(), 1)]);
    assert_eq!(of(everywhere("bakcup from:bob").await), [], "only what finds something");
    assert_eq!(of(everywhere("backup kessler").await), [], "every word is known");
    assert_eq!(of(everywhere("bakcup xyzzyx").await), [], "one has nothing near");
    assert_eq!(of(corrections("artcle", Place::Source { source: 1 }, true).await), [], "not in this place");
    assert_eq!(
        of(corrections("artcle", Place::Source { source: 2 }, true).await),
        [("article".to_owned(), 2)]
    );
}
