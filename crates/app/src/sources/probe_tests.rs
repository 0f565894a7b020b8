//! Tests of what a probe says of an address, and of the name that a new source gets.

use tidings_model::Lang;
use tidings_strings::settings::settings_strings;

use super::*;

#[test]
fn who_one_is_there_reads_in_the_order_of_its_letters_and_is_no_longer_than_a_name() {
    let table = settings_strings(Lang::En);
    let who = |name: &str| {
        let info = ServerInfo { name: Some(name.into()), ..ServerInfo::default() };
        signed_in_text(&info, None, table)
    };
    assert_eq!(who("an\u{202e}A\u{61c}\u{1b}[2J\r\nOk"), "Signed in as anA [2J Ok");
    assert!(who(&"x".repeat(1 << 20)).len() < 100);
    assert_eq!(valid_name("W\u{202e}ork\u{200f} ").as_deref(), Some("Work"));
    assert_eq!(valid_name("\u{202e}"), None);
}

#[test]
fn what_answers_without_a_token_is_named_in_quotes() {
    let info = ServerInfo { name: Some("Daily".into()), ..ServerInfo::default() };
    let asked = AskedService::of(protocol("feed").unwrap(), "");
    let text = |lang| asked.connected_text(&info, None, settings_strings(lang));
    assert_eq!([text(Lang::En), text(Lang::ZhCn)], ["Found: “Daily”", "找到“Daily”"]);
}

#[test]
fn an_address_is_taken_as_people_write_it() {
    let table = settings_strings(Lang::En);
    let tidings = protocol("tidings").unwrap();
    let entered = |text: &str| entered_addresses(text, tidings, table);
    for (text, url) in [
        ("tidings.example.org", "https://tidings.example.org"),
        (" https://a.example.org/api/v1/ ", "https://a.example.org"),
        ("http://me:secret@a.example.org:7878/x/?q#f", "http://a.example.org:7878/x"),
        ("tidings.example.org:7878/x/", "https://tidings.example.org:7878/x"),
    ] {
        assert_eq!(entered(text), Ok(vec![url.to_owned()]), "{text}");
    }
    let both = ["https://localhost:7878", "http://localhost:7878"].map(str::to_owned).to_vec();
    assert_eq!(entered(" localhost:7878/api/v1 "), Ok(both));
    for text in ["", "ftp://a.example.org", "http://", "a b"] {
        assert!(entered(text).is_err(), "{text}");
    }
}

#[test]
fn every_protocol_is_worded_without_the_name_of_another_one() {
    for lang in [Lang::En, Lang::ZhCn] {
        let table = settings_strings(lang);
        for known in tidings_sources::PROTOCOLS.iter().copied() {
            for token in ["", "secret"] {
                let asked = AskedService::of(known, token);
                let malformed = connect_error_text(&NetError::Malformed, "h.example", &asked, table);
                let names_it = malformed.contains(&(table.service)(known.name, known.label));
                assert!(names_it && malformed.contains("h.example"), "{malformed}");
                let refused = connect_error_text(&NetError::SignIn, "h.example", &asked, table);
                assert!(!refused.contains("secret"), "{refused}");
                assert!(known.name == "tidings" || !malformed.contains("Tidings"), "{malformed}");
            }
        }
    }
}

#[test]
fn a_new_source_is_called_like_its_service_its_title_or_its_host() {
    let tidings = *protocol("tidings").unwrap();
    let forge = Protocol { label: "Forge", default_url: Some("https://api.forge.example"), ..tidings };
    let feed = Protocol { credential: Credential::None, ..tidings };
    let named = |protocol: &Protocol, url: &str, title: &str| {
        let info = ServerInfo { name: Some(title.to_owned()), ..ServerInfo::default() };
        suggested_name(protocol, &Probed { url: url.to_owned(), info, preview: None })
    };
    assert_eq!(named(&forge, "https://api.forge.example", "Ana"), "Forge");
    assert_eq!(named(&forge, "https://git.example:81", "Ana"), "git.example:81");
    assert_eq!(named(&feed, "https://a.example/feed", "Daily\u{202e} news"), "Daily news");
    assert_eq!(named(&feed, "https://a.example/feed", " "), "a.example");
}
