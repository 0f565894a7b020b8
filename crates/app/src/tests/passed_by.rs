//! A test of inputs that are passed by, as the window shows them.

use tidings_ipc::NoticeCode;
use tidings_model::Lang;
use tidings_sandbox::marks::{self, Kind};

use super::harness::open;

#[tokio::test]
async fn what_is_passed_by_is_named_in_the_window_and_read_again_on_request() {
    let test = open();
    marks::keep_in(test.app.folder(), "1").unwrap();
    let marks = marks::of_process().unwrap();
    let source = test.source("Blog");
    for (of, digest) in [(source.to_string(), "1"), (source.to_string(), "2"), ("feeds.opml".to_owned(), "3")]
    {
        marks.begin(Kind::Page, &of, digest).unwrap().pass_by();
    }
    test.app.page.sync_and_places().await.unwrap();
    let [notice] = test.app.context.notices.all(Lang::En).try_into().unwrap();
    assert_eq!(notice.code, NoticeCode::PassedBy);
    assert!(
        notice.text.matches("Blog").count() == 1 && notice.text.contains("feeds.opml"),
        "{}",
        notice.text
    );
    test.app.passed_by.read_again().unwrap();
    test.app.page.sync_and_places().await.unwrap();
    assert_eq!(test.app.context.notices.all(Lang::En), []);
    assert!(marks.begin(Kind::Page, "x", "1").is_ok(), "it is read again");
}
