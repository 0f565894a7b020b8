//! Tests of when a feed is asked again.

use reqwest::header::HeaderValue;

use super::*;

#[test]
fn the_longer_of_two_wishes_counts_and_neither_has_its_way_without_bounds() {
    let minutes = |n: u64| Duration::from_secs(n * 60);
    for (control, ttl, expected) in [
        ("", None, None),
        ("no-cache", None, None),
        ("public, max-age=3600", None, Some(minutes(60))),
        ("max-age=\"60\"", None, Some(MIN_WAIT)),
        ("max-age=0", None, None),
        ("max-age=600, s-maxage=9", Some(minutes(120)), Some(minutes(120))),
        ("max-age=99999999999", Some(minutes(5)), Some(MAX_WAIT)),
        ("", Some(minutes(5)), Some(MIN_WAIT)),
    ] {
        let headers = HeaderMap::from_iter([(CACHE_CONTROL, HeaderValue::from_static(control))]);
        assert_eq!(wait(&headers, ttl), expected, "{control} {ttl:?}");
    }
}
