//! Tests of reading GitLab's list page by page, and of its tokens and addresses.

use std::collections::BTreeMap;

use super::cursor::{MAX_STEPS_BACK, Walk};
use super::*;

/// The items with these ids, newest first.
fn todos(ids: impl DoubleEndedIterator<Item = u64>) -> Vec<Todo> {
    let todo = |id: u64| serde_json::json!({"id": id, "created_at": "2026-11-20T06:00:00Z"});
    ids.rev().map(|id| serde_json::from_value(todo(id)).unwrap()).collect()
}

#[test]
fn a_page_that_does_not_join_the_one_before_is_read_further_up() {
    let mut walk = Walk::default();
    assert!(walk.take_page(&todos(901..=1_000), NumberedPage::overlapping(0, 100), true));
    let second = NumberedPage::overlapping(walk.offset, 100);
    // Thirty items of the first page are done meanwhile.
    let start = second.start() + 30;
    assert!(!walk.take_page(&todos(1_000 - start - 98..=1_000 - start), second, true));
    assert!(walk.offset < 50);
    let again = NumberedPage::overlapping(walk.offset, 100);
    assert!(walk.take_page(&todos(871..=950), again, true));
    assert_eq!((walk.lowest, walk.steps_back, walk.is_broken), (Some(871), 0, false));
}

#[test]
fn a_list_that_never_joins_is_taken_as_it_is_and_nothing_in_it_for_done() {
    let mut walk = Walk { offset: 900, lowest: Some(5_000), ..Walk::default() };
    let mut pages = 0;
    while !walk.take_page(&todos(1..=50), NumberedPage { number: 10, size: 100 }, true) {
        pages += 1;
    }
    assert_eq!((pages, walk.is_broken), (MAX_STEPS_BACK, true));
    let mut cursor = Cursor { pending: BTreeMap::from([(5_500, 0)]), ..Cursor::default() };
    assert_eq!(cursor.done_elsewhere(&walk, false), []);
    assert_eq!(cursor.pending.len(), 1);
}

#[test]
fn only_tokens_of_a_sign_in_are_bearer_tokens() {
    assert!(is_oauth(&"0123456789abcdef".repeat(4)));
    for token in ["", "glpat-Ab3-xyz", "0123456789abcdef0123"] {
        assert!(!is_oauth(token), "{token}");
    }
}

#[test]
fn an_address_may_have_the_path_of_the_api() {
    let clock = Arc::new(tidings_model::SystemClock);
    for url in ["https://g.example", "https://g.example/", "https://g.example/api/v4/"] {
        let gitlab = GitLab::new(url, "", clock.clone(), Bounds::default()).unwrap();
        assert_eq!(gitlab.service.base().as_str(), "https://g.example/api/v4/");
    }
}
