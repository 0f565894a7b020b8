//! Tests of the queue of other programs' toasts.

use tidings_model::Priority;

use super::*;

fn queue() -> Queue {
    Queue::new("q1".to_owned(), BTreeSet::from(["Mail".to_owned()]))
}

fn told(text: &str) -> DesktopNotification {
    DesktopNotification {
        application: "Mail".to_owned(),
        lasts: true,
        title: "New mail".to_owned(),
        text: text.to_owned(),
        priority: Priority::DEFAULT,
    }
}

fn put(queue: &mut Queue, n: i64) -> bool {
    queue.put(format!("m{n}").as_str().into(), Stamp::from_secs(n), told(&n.to_string()))
}

fn texts(fetched: &Fetched) -> Vec<&str> {
    fetched.page.service_items.iter().map(|item| item.content.body.as_str()).collect()
}

#[test]
fn what_arrived_is_pulled_until_the_cursor_says_that_the_inbox_has_it() {
    let mut queue = queue();
    assert!(put(&mut queue, 1) && put(&mut queue, 2));
    let first = queue.page(None, 1_000);
    assert_eq!((texts(&first), first.page.more), (vec!["1", "2"], false));
    // The page was not stored, as after a full disk.
    assert_eq!(texts(&queue.page(None, 1_000)), ["1", "2"]);
    put(&mut queue, 3);
    let cursor = first.page.next;
    assert_eq!(texts(&queue.page(cursor.as_deref(), 1_000)), ["3"]);
    assert_eq!(queue.arrived.len(), 1, "what the inbox has is gone from memory");
    assert_eq!(texts(&queue.page(None, 1_000)), ["3"]);
}

#[test]
fn a_page_that_is_asked_for_ahead_acknowledges_nothing() {
    let mut queue = queue();
    for n in 1..=5 {
        put(&mut queue, n);
    }
    let first = queue.page(None, 2);
    assert_eq!((texts(&first), first.page.more), (vec!["1", "2"], true));
    let second = queue.page(first.page.next.as_deref(), 2);
    assert_eq!((texts(&second), second.page.more), (vec!["3", "4"], true));
    let third = queue.page(second.page.next.as_deref(), 2);
    assert_eq!((texts(&third), third.page.more), (vec!["5"], false));
    // None of these pages was stored.
    assert_eq!(texts(&queue.page(None, 1_000)), ["1", "2", "3", "4", "5"]);
    let all = queue.page(third.page.next.as_deref(), 1_000);
    assert!(texts(&all).is_empty() && queue.arrived.is_empty());
}

#[test]
fn a_cursor_of_an_earlier_start_skips_nothing_and_knows_the_applications_still() {
    let mut before = queue();
    before.see("Mail");
    for n in 1..=9 {
        put(&mut before, n);
    }
    let cursor = before.page(None, 1_000).page.next;
    let mut queue = Queue::new("q2".to_owned(), BTreeSet::new());
    queue.see("Chat");
    put(&mut queue, 10);
    let fetched = queue.page(cursor.as_deref(), 1_000);
    assert_eq!(texts(&fetched), ["10"]);
    assert_eq!(cursors::read::<Cursor>(fetched.page.next.as_deref()).seen, ["Mail", "Chat"]);
}

#[test]
fn a_replaced_notification_is_one_item_and_the_same_words_again_are_none() {
    let mut queue = queue();
    let at = |n| Stamp::from_secs(n);
    assert!(queue.put("a".into(), at(1), told("one")));
    assert!(!queue.put("a".into(), at(2), told("one")));
    assert!(queue.put("a".into(), at(3), told("two")));
    let fetched = queue.page(None, 1_000);
    assert_eq!(texts(&fetched), ["two"]);
    assert_eq!(fetched.page.service_items[0].created_at, at(3));
    assert!(!queue.put("a".into(), at(4), told("two")), "also after it was pulled");
}

#[test]
fn a_full_queue_loses_the_oldest_and_one_item_says_how_many() {
    let mut queue = queue();
    let most = i64::try_from(MAX_QUEUED).unwrap();
    for n in 1..=most + 7 {
        put(&mut queue, n);
    }
    let fetched = queue.page(None, 10_000);
    let items = &fetched.page.service_items;
    assert_eq!(items.len(), MAX_QUEUED + 1);
    assert_eq!((items[0].action.as_deref(), &items[0].content.data["count"]), (Some(LOST), &7.into()));
    assert_eq!((texts(&fetched)[1], texts(&fetched)[MAX_QUEUED]), ("8", &*(most + 7).to_string()));
    let again = queue.page(fetched.page.next.as_deref(), 10_000);
    assert!(again.page.service_items.is_empty(), "it is said once");
}

#[test]
fn no_more_applications_are_remembered_than_are_listed() {
    let mut queue = queue();
    assert!(queue.see("Mail") && !queue.see("Mail"));
    for n in 0..1_000 {
        queue.see(&n.to_string());
    }
    assert_eq!(queue.seen.len(), MAX_APPLICATIONS);
    assert!(queue.keeps("Mail") && !queue.keeps("999"));
}
