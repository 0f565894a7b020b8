//! Tests of the query language: parsing, filters, errors and suggestions.

use super::*;

fn terms(text: &str) -> Vec<Term> {
    Query::parse(text).unwrap().terms
}

fn wrong(text: &str) -> (String, Expected) {
    let QueryError { token, expected } = Query::parse(text).unwrap_err();
    (token, expected)
}

#[test]
fn every_key_is_read_in_both_languages() {
    let day = Date::parse("2026-11-01").unwrap();
    let english = "from:bob is:unread type:activity source:work before:2026-11-01 \"exact words\" loose";
    let chinese = "来自:bob 是：未读 类型:动态 来源：work 之前:2026年11月1日 “exact words” loose";
    let meant = [
        Term::From("bob".into()),
        Term::Is(StateFilter::Unread),
        Term::Kind(Kind::Reminder),
        Term::Source("work".into()),
        Term::Before(day),
        Term::Phrase("exact words".into()),
        Term::Word("loose".into()),
    ];
    assert_eq!(terms(english), meant);
    assert_eq!(terms(chinese), meant);
    // As they were written before.
    for older in ["kind:reminder", "Kind:reminders", "类型：提醒"] {
        assert_eq!(terms(older), [Term::Kind(Kind::Reminder)], "{older}");
        assert_eq!(Query::parse(older).unwrap().to_string(), "type:activity");
    }
    assert_eq!(
        terms("after:2026-11 on:2026 priority:4 has:attachment HAS:Link is:done"),
        [
            Term::After(Date::parse("2026-11").unwrap()),
            Term::On(Date::parse("2026").unwrap()),
            Term::Priority(4),
            Term::Has(Has::Attachment),
            Term::Has(Has::Link),
            Term::Is(StateFilter::Done),
        ]
    );
}

#[test]
fn tags_origins_and_qualities_are_read_in_both_languages() {
    let meant = [
        Term::Tag("CI/CD".into()),
        Term::In("Night backups".into()),
        Term::Quality(Quality::Merged),
        Term::Quality(Quality::Closed),
        Term::Quality(Quality::Bot),
        Term::Is(StateFilter::Quiet),
    ];
    assert_eq!(terms("tag:CI/CD in:\"Night backups\" is:merged is:closed is:bot is:quiet"), meant);
    assert_eq!(terms("标签：CI/CD 主题:“Night backups” 是:已合并 是:已关闭 是:机器人 是:静默"), meant);
    let filter =
        Query::parse("tag:a is:merged is:closed in:b in:c is:bot").unwrap().filter(&[], local_midnight);
    assert_eq!((filter.tags, filter.bot), (vec!["a".into(), "merged".into(), "closed".into()], true));
    assert_eq!(filter.origins, Some(vec!["b".into(), "c".into()]));
    assert_eq!(terms("tag: in:"), [], "their values are yet to be typed");
}

#[test]
fn a_reason_is_one_of_several() {
    let reasons = |text: &str| Query::parse(text).unwrap().filter(&[], local_midnight).actions;
    assert_eq!(terms("reason:review-requested"), [Term::Reason("review-requested".into())]);
    assert_eq!(
        reasons("原因：mention Reason:\"review requested\""),
        Some(vec!["mention".into(), "review requested".into()])
    );
    assert_eq!(reasons("reason: disk"), None);
}

#[test]
fn a_quoted_value_may_hold_spaces_and_an_unknown_key_is_a_word() {
    assert_eq!(terms("from:\"Bob Kessler\""), [Term::From("Bob Kessler".into())]);
    assert_eq!(terms("来自：“林 晓”"), [Term::From("林 晓".into())]);
    assert_eq!(
        terms("foo:bar https://x.example"),
        [Term::Word("foo:bar".into()), Term::Word("https://x.example".into())]
    );
    assert_eq!(terms("from: is:"), [], "their values are yet to be typed");
}

#[test]
fn what_makes_no_sense_is_said_with_its_token() {
    assert_eq!(wrong("disk before:soon"), ("before:soon".into(), Expected::Date));
    assert_eq!(wrong("on:2026-02-30"), ("on:2026-02-30".into(), Expected::Date));
    assert_eq!(wrong("是：好"), ("是：好".into(), Expected::State));
    assert_eq!(wrong("type:mail x"), ("type:mail".into(), Expected::Kind));
    assert_eq!(wrong("priority:6"), ("priority:6".into(), Expected::Priority));
    assert_eq!(wrong("has:fun"), ("has:fun".into(), Expected::Has));
    let Err(error) = Query::parse("before:soon") else { panic!() };
    assert!(error.text(Lang::En).contains("before:soon") && error.text(Lang::En).contains("2026-11-01"));
    assert!(error.text(Lang::ZhCn).contains("before:soon"));
}

#[test]
fn only_a_last_word_without_a_space_behind_it_may_be_the_beginning_of_one() {
    for (text, open) in
        [("disk", true), ("disk ", false), ("disk is:unread", false), ("is:unread disk", true)]
    {
        assert_eq!(Query::parse(text).unwrap().last_is_prefix, open, "{text}");
    }
    assert!(!Query::parse("\"disk\"").unwrap().last_is_prefix);
}

#[test]
fn a_month_and_a_year_are_ranges_of_days() {
    fn utc(day: chrono::NaiveDate) -> tidings_model::Stamp {
        tidings_model::Stamp::from_secs(day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp())
    }
    let range = |text: &str| {
        let filter = Query::parse(text).unwrap().filter(&[], utc);
        let day = |at: tidings_model::Stamp| at.to_datetime().format("%F").to_string();
        (filter.since.map(day), filter.before.map(day))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(range("on:2026-12"), (some("2026-12-01"), some("2027-01-01")));
    assert_eq!(range("on:2026-11-30"), (some("2026-11-30"), some("2026-12-01")));
    assert_eq!(range("on:2026"), (some("2026-01-01"), some("2027-01-01")));
    assert_eq!(range("before:2026-11 before:2026-10-05"), (None, some("2026-10-05")));
    assert_eq!(range("after:2026-11"), (some("2026-11-01"), None));
}

#[test]
fn sources_are_meant_by_the_beginning_of_their_names_and_by_their_protocol() {
    let named = |id, name: &str, protocol: &str| NamedSource {
        id,
        name: name.to_owned(),
        protocol: protocol.to_owned(),
    };
    let known = [
        named(1, "Work", "tidings"),
        named(2, "Old work", "tidings"),
        named(3, "工作", "tidings"),
        named(4, "api.github.com", "github"),
        named(5, "GitHub of Bo", "github"),
    ];
    let sources = |text: &str| Query::parse(text).unwrap().filter(&known, local_midnight).sources;
    assert_eq!(sources("source:wo"), Some(vec![1, 2]));
    assert_eq!(sources("来源:工"), Some(vec![3]));
    assert_eq!(sources("source:none"), Some(Vec::new()));
    assert_eq!(sources("source:GitHub"), Some(vec![4, 5]), "by its protocol");
    assert_eq!(sources("source:gith"), Some(vec![5]), "which is meant as a whole");
    assert_eq!(sources("disk"), None);
}

#[test]
fn whatever_is_typed_is_read_or_refused() {
    tidings_testkit::fuzz::run("query", 4_000, |input| {
        let Ok(query) = Query::parse(&String::from_utf8_lossy(input)) else { return };
        assert_eq!(Query::parse(&query.to_string()).as_ref(), Ok(&query));
        query.filter(&[], local_midnight);
    });
}
