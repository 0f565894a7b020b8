//! Tests of the sentences that templates make, in both languages.

use super::*;

fn values<'a>(
    actors: &'a [&'a str],
    actor_count: usize,
    (target, target_type): (&'a str, &'a str),
    title: &'a str,
    data: &'a Map<String, Value>,
) -> Values<'a> {
    Values { actors, actor_count, target, target_type, title, data }
}

fn say(lang: Lang, template: &str, names: &[&str], count: usize) -> String {
    let data = Map::from_iter([("floor".to_owned(), Value::from(3))]);
    let target = ("Rust in 2026", "article");
    render(lang, template, &values(names, count, target, "T", &data)).text()
}

#[test]
fn actors_are_named_twice_and_then_counted() {
    let t = "{actors} commented on {target}";
    assert_eq!(say(Lang::En, t, &["Ana"], 1), "Ana commented on Rust in 2026");
    assert_eq!(say(Lang::En, t, &["Ana", "Bo"], 2), "Ana and Bo commented on Rust in 2026");
    assert_eq!(say(Lang::En, t, &["Ana", "Bo"], 3), "Ana, Bo and 1 other commented on Rust in 2026");
    assert_eq!(say(Lang::En, t, &["Ana", "Bo", "Cy"], 5), "Ana, Bo and 3 others commented on Rust in 2026");
    assert_eq!(actors_short(Lang::En, &["Ana", "Bo", "Cy"], 5), "Ana, Bo +3");
}

#[test]
fn chinese_counts_everyone_and_quotes_titles() {
    let t = "{actors} 评论了 {target}";
    assert_eq!(say(Lang::ZhCn, t, &["林晓", "陈博"], 5), "林晓、陈博等 5 人评论了“Rust in 2026”");
    assert_eq!(say(Lang::ZhCn, t, &["林晓", "陈博"], 2), "林晓和陈博评论了“Rust in 2026”");
    assert_eq!(
        say(Lang::ZhCn, "{actors} 在 {target} 中提到了你", &["林晓"], 1),
        "林晓在“Rust in 2026”中提到了你"
    );
}

#[test]
fn a_space_stands_in_chinese_only_beside_latin_letters() {
    let data = Map::from_iter([("shop".to_owned(), Value::from("书 店")), ("bank".to_owned(), "ING".into())]);
    let say = |template: &str, actor: &str, title: &str| {
        render(Lang::ZhCn, template, &values(&[actor], 1, ("X", "article"), title, &data)).text()
    };
    assert_eq!(say("{actors} 喜欢了 {target}", "Bo", ""), "Bo 喜欢了“X”");
    assert_eq!(say("{actors} 喜欢了 {target}", "林 晓", ""), "林 晓喜欢了“X”", "a name keeps its own space");
    assert_eq!(say("在 {shop} 买了 {title} 并关注", "Bo", "书包"), "在书 店买了书包并关注");
    assert_eq!(say("在 {bank} 买了 {title} 并关注", "Bo", "A4 纸"), "在 ING 买了 A4 纸并关注");
    assert_eq!(say("你的 {target_type} 有更新", "Bo", ""), "你的文章有更新");
    let other = render(Lang::En, "{actors} 喜欢了", &values(&["林晓"], 1, ("", ""), "", &data));
    assert_eq!(other.text(), "林晓 喜欢了", "a template of another language is as its publisher wrote it");
}

#[test]
fn a_row_that_names_the_actors_leaves_them_out() {
    let data = Map::new();
    let values = values(&["Ana"], 1, ("X", ""), "", &data);
    let rest = render(Lang::En, "{actors} commented on {target}", &values).without_actors();
    assert_eq!(rest, [Piece::Text("commented on ".into()), Piece::Target("X".into())]);
    let rendered = render(Lang::En, "On {target}: {actors}", &values).without_actors();
    assert_eq!(rendered.len(), 4, "a template that starts otherwise is shown whole");
}

#[test]
fn values_are_text_and_never_templates_again() {
    assert_eq!(say(Lang::En, "{floor} {nope} {title} {", &["{target}"], 1), "3 T {");
    assert_eq!(say(Lang::En, "{actors}!", &["{target}"], 1), "{target}!");
}

#[test]
fn a_placeholder_without_a_value_is_left_out_with_the_white_space_before_it() {
    let data = Map::from_iter([("none".to_owned(), Value::Null), ("blank".to_owned(), "".into())]);
    let say = |lang, template: &str, target| {
        render(lang, template, &values(&["Ana"], 1, (target, "article"), "", &data)).text()
    };
    assert_eq!(say(Lang::En, "{actors} bought {target} for {price} today", "X"), "Ana bought X for today");
    assert_eq!(say(Lang::En, "{actors} {none} \t{blank} {title} liked {target}.", ""), "Ana liked.");
    assert_eq!(say(Lang::En, "{nope} {actors} came", ""), "Ana came");
    assert_eq!(say(Lang::ZhCn, "{actors} 评论了你的{target_type} {target}", ""), "Ana 评论了你的文章");
    let nobody = render(Lang::En, "{actors} liked {target}", &values(&[], 0, ("X", ""), "", &data));
    assert_eq!(nobody.text(), "liked X");
}

#[test]
fn a_type_is_a_word_of_the_language_and_its_id_where_there_is_none() {
    let data = Map::new();
    let say = |lang, template: &str, kind| {
        render(lang, template, &values(&["Bo"], 1, ("X", kind), "", &data)).text()
    };
    let en = "{actors} liked your {target_type} {target}";
    assert_eq!(say(Lang::En, en, "pull_request"), "Bo liked your pull request X");
    let zh = "{actors} 喜欢了你的{target_type} {target}";
    assert_eq!(say(Lang::ZhCn, zh, "article"), "Bo 喜欢了你的文章“X”");
    assert_eq!(say(Lang::ZhCn, zh, "widget"), "Bo 喜欢了你的 widget“X”");
}

#[test]
fn a_template_that_says_nothing_or_does_not_close_its_braces_is_refused() {
    for good in ["{actors} liked {target}", "x", "} {actors}", "{price}{price}"] {
        assert_eq!(check(good), Ok(()), "{good}");
    }
    for (bad, fault) in [
        ("", TemplateError::Empty),
        (" \n", TemplateError::Empty),
        ("{actors", TemplateError::Unclosed),
        ("{actors} {", TemplateError::Unclosed),
        ("{actors {target}", TemplateError::Unclosed),
        ("{}", TemplateError::Unnamed),
        ("{actors} { }", TemplateError::Unnamed),
    ] {
        assert_eq!(check(bad), Err(fault), "{bad}");
    }
}
