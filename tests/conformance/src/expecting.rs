//! Checks of topics that expect a publication every so often: one notification says that none came, and one that they
//! are back.

use super::publishing::on_topic;
use super::*;
use tidings_model::Lang;
use tidings_store::domain::expectation::Watch;
use tidings_store::domain::topic::TopicSettings;

/// A topic with a name that expects something every ten minutes.
fn every_ten_minutes() -> TopicSettings {
    TopicSettings { name: "Jobs".into(), expect_secs: Some(600), ..TopicSettings::default() }
}

/// Looks once, topic by topic; gives how many notifications it published.
async fn look(store: &dyn Store, retain_secs: Option<i64>) -> usize {
    let watch = Watch { lang: Lang::En, owner: None, retain_secs, portion: 1 };
    let mut posts = 0;
    loop {
        let watched = store.watch_expectations(watch).await.unwrap();
        posts += watched.posts.len();
        if !watched.more {
            return posts;
        }
    }
}

/// Lets a server run for some minutes; gives how many notifications it published.
async fn run(store: &dyn Store, clock: &ManualClock, minutes: usize) -> usize {
    let mut posts = 0;
    for _ in 0..minutes {
        clock.advance(60);
        posts += look(store, None).await;
    }
    posts
}

async fn reader(store: &dyn Store) -> UserKey {
    let ann = user(store, "ann").await;
    let target = TargetRef { kind: "topic".into(), id: "job".into() };
    store.subscribe(ann, target, vec!["publish".into()], None).await.unwrap();
    ann
}

async fn titles(store: &dyn Store, user: UserKey) -> Vec<String> {
    all(store, user).await.into_iter().map(|item| item.content.title).filter(|t| !t.is_empty()).collect()
}

pub async fn a_silent_topic_is_told_once_and_once_more_when_it_is_back(
    store: &dyn Store,
    clock: &ManualClock,
) {
    let ann = reader(store).await;
    assert_eq!(look(store, None).await, 0, "nothing is expected anywhere");
    store.set_topic("job", every_ten_minutes()).await.unwrap();
    assert_eq!(run(store, clock, 9).await, 0);
    post(store, on_topic("done", None)).await;
    assert_eq!(run(store, clock, 9).await, 0, "it counts from the last one");
    assert_eq!(run(store, clock, 1).await, 1);
    assert_eq!(run(store, clock, 30).await, 0, "it is told once, and what tells it is none that is expected");
    let told = all(store, ann).await.pop().unwrap();
    assert_eq!(told.content.title, "Nothing came on Jobs");
    assert_eq!(told.content.body, "A notification is expected every 10 minutes. None came in that time.");
    assert_eq!((told.content.priority.get(), &*told.content.tags), (4, &["warning".to_owned()][..]));
    assert_eq!(told.thread.as_str(), "topic:job#publish");

    post(store, on_topic("10 %", Some("run"))).await;
    assert_eq!(run(store, clock, 2).await, 1, "it is back");
    assert_eq!(run(store, clock, 6).await, 0);
    post(store, on_topic("20 %", Some("run"))).await;
    assert_eq!(run(store, clock, 9).await, 0, "new content is a publication too");
    assert_eq!(run(store, clock, 2).await, 1, "it is silent again");
    let all = titles(store, ann).await;
    assert_eq!(all, ["Nothing came on Jobs", "Jobs is back", "Nothing came on Jobs"]);
}

pub async fn time_in_which_no_server_runs_raises_no_alarm(store: &dyn Store, clock: &ManualClock) {
    store.set_topic("job", every_ten_minutes()).await.unwrap();
    assert_eq!(run(store, clock, 5).await, 0);
    // A night asleep, a clock that is put back by a week, and one that is put ahead by a year.
    for (jump, before, after) in [(36_000, 2, 1), (-604_800, 1, 1), (31_536_000, 1, 2)] {
        clock.advance(jump);
        assert_eq!(run(store, clock, before).await, 0, "{jump}");
        post(store, on_topic("done", None)).await;
        assert_eq!(run(store, clock, 9).await, 0, "{jump}");
        clock.advance(jump);
        assert_eq!(run(store, clock, after).await, after / 2, "{jump}: the minute of the gap is not counted");
        post(store, on_topic("done", None)).await;
        run(store, clock, 1).await;
    }
    // What came just before the sleep is as old as the running time since then, whenever it is looked at.
    post(store, on_topic("done", None)).await;
    clock.advance(72_000);
    assert_eq!(run(store, clock, 9).await, 0);
    assert_eq!(run(store, clock, 3).await, 1);
}

pub async fn what_is_not_expected_any_more_is_not_missed(store: &dyn Store, clock: &ManualClock) {
    store.expect("job", Some(600)).await.unwrap();
    assert_eq!(store.topic_settings("job").await.unwrap().unwrap().expect_secs, Some(600));
    assert_eq!(run(store, clock, 9).await, 0);
    store.expect("job", None).await.unwrap();
    assert_eq!(run(store, clock, 30).await, 0);
    // The same again is no change, and another time begins anew.
    store.set_topic("job", every_ten_minutes()).await.unwrap();
    assert_eq!(run(store, clock, 6).await, 0);
    store.set_topic("job", every_ten_minutes()).await.unwrap();
    assert_eq!(run(store, clock, 5).await, 1);
    store.expect("job", Some(1_200)).await.unwrap();
    assert_eq!(store.topic_settings("job").await.unwrap().unwrap().name, "Jobs", "the rest stays");
    post(store, on_topic("done", None)).await;
    assert_eq!(run(store, clock, 15).await, 0, "who changes it knows that it was silent");
    store.remove_topic("job").await.unwrap();
    assert_eq!(run(store, clock, 60).await, 0);
}

pub async fn many_topics_are_watched_in_portions_and_retention_hides_nothing(
    store: &dyn Store,
    clock: &ManualClock,
) {
    for n in 0..5 {
        store.expect(&format!("quiet-{n}"), Some(600)).await.unwrap();
    }
    assert_eq!(run(store, clock, 9).await, 0);
    assert_eq!(run(store, clock, 3).await, 5);
    // What came is removed before its hour is over.
    store.expect("job", Some(3_600)).await.unwrap();
    let mut told = 0;
    for minute in 0..150 {
        if minute % 50 == 0 {
            post(store, on_topic("done", None)).await;
        }
        clock.advance(60);
        told += look(store, Some(1_200)).await;
        while store.prune(Some(clock.now().plus_secs(-1_200)), 100).await.unwrap() {}
    }
    assert_eq!(told, 0);
}
