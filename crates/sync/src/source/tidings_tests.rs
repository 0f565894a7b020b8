//! Tests of what a server of the same kind answers, and of its address.

use tidings_model::SystemClock;

use super::groups::quoted_names;
use super::*;

fn base(url: &str) -> Result<String> {
    Tidings::new(url, String::new(), Arc::new(SystemClock)).map(|t| t.base.to_string())
}

#[test]
fn a_server_names_whom_it_does_not_know_among_those_it_was_asked_for() {
    let sent = ["bo", "user", "chen.yu"].map(String::from);
    assert_eq!(quoted_names(&sent, "there is no user `bo`"), ["bo"]);
    assert_eq!(quoted_names(&sent, "“chen.yu” and “bo” are nobody"), ["bo", "chen.yu"]);
    assert!(quoted_names(&sent, "there is no such user, not even `bob`").is_empty());
}

#[test]
fn an_address_may_be_written_in_several_ways() {
    for url in
        ["http://a.example", "http://a.example/", "http://a.example/api/v1", "http://a.example/api/v1/"]
    {
        assert_eq!(base(url).unwrap(), "http://a.example/api/v1/", "{url}");
    }
    assert_eq!(base("https://b.example/tidings").unwrap(), "https://b.example/tidings/api/v1/");
    for url in ["a.example", "ftp://a.example", "", "http://"] {
        assert!(base(url).is_err(), "{url}");
    }
}
