//! The topics that an address ends with: `https://host/topic,topic`.

use percent_encoding::percent_decode_str;
use tidings_model::topic::is_valid_name;
use tidings_replica as replica;
use url::Url;

use super::protocol;

/// The most topics of a source.
const MAX_TOPICS: usize = 100;

/// The topics of a source on which one can publish; none if its protocol has no such thing.
pub fn topics(row: &replica::Source) -> Vec<String> {
    let can_publish = protocol(&row.protocol).is_ok_and(|known| known.abilities.publish_bytes.is_some());
    let found = can_publish.then(|| split(&row.url)).flatten();
    found.map_or_else(Vec::new, |(_, topics)| topics)
}

/// The base address and the topics of an address; `None` if its path does not end with names of topics.
pub(super) fn split(url: &str) -> Option<(Url, Vec<String>)> {
    let mut url: Url = url.parse().ok()?;
    let path = url.path().trim_end_matches('/').to_owned();
    let (prefix, last) = path.rsplit_once('/')?;
    let decoded = percent_decode_str(last).decode_utf8().ok()?;
    let mut topics: Vec<String> = Vec::new();
    for topic in decoded.split(',').map(str::trim).filter(|topic| !topic.is_empty()) {
        if !is_valid_name(topic) {
            return None;
        }
        if !topics.iter().any(|known| known == topic) {
            topics.push(topic.to_owned());
        }
    }
    if !(1..=MAX_TOPICS).contains(&topics.len()) {
        return None;
    }
    url.set_path(&format!("{prefix}/"));
    Some((url, topics))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_with_its_topics() {
        for (address, base, topics) in [
            ("https://ntfy.sh/alerts", "https://ntfy.sh/", "alerts"),
            ("https://ntfy.sh/alerts/", "https://ntfy.sh/", "alerts"),
            ("https://ntfy.sh/a,b%2Cc,,a", "https://ntfy.sh/", "a,b,c"),
            ("http://nas.local:8080/push/ntfy/my_topic-1", "http://nas.local:8080/push/ntfy/", "my_topic-1"),
        ] {
            let (found, names) = split(address).unwrap();
            assert_eq!((found.as_str(), names.join(",").as_str()), (base, topics), "{address}");
        }
        let long = format!("https://ntfy.sh/{}", "x".repeat(65));
        let names: Vec<_> = (0..=MAX_TOPICS).map(|n| format!("t{n}")).collect();
        let many = format!("https://ntfy.sh/{}", names.join(","));
        for odd in [
            "https://ntfy.sh",
            "https://ntfy.sh/",
            "https://ntfy.sh/a b",
            "https://ntfy.sh/%FF",
            &long,
            &many,
        ] {
            assert_eq!(split(odd), None, "{odd}");
        }
    }

    #[test]
    fn one_publishes_on_the_topics_of_an_address_where_the_protocol_has_them() {
        let row = |protocol: &str| replica::Source {
            protocol: protocol.to_owned(),
            url: "https://push.example/alerts,door".to_owned(),
            ..replica::Source::default()
        };
        assert_eq!(topics(&row("ntfy")), ["alerts", "door"]);
        for other in ["gotify", "tidings", "kept", "nothing"] {
            assert!(topics(&row(other)).is_empty(), "{other}");
        }
    }
}
