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
    assert_eq!(say("买了 A4 {title} 纸", "Bo", "书"), "买了 A4 书纸");
    let latin = render(Lang::En, "“{target_type}”", &values(&[], 0, ("", "article"), "", &data));
    assert_eq!(latin.text(), "“article”", "an English sentence has its own spaces");
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
    let by_name = Sentence(vec![Piece::Actors("Ana".into()), Piece::Text(": buy".into())]);
    assert_eq!((by_name.text(), by_name.after_actors()), ("Ana: buy".to_owned(), "buy".to_owned()));
}

#[test]
fn one_who_is_named_for_several_is_told_with_their_number() {
    let lists = [1, 2, 5].map(|count| actors(Lang::En, &["Ana"], count));
    assert_eq!(lists, ["Ana", "Ana and 1 other", "Ana and 4 others"]);
    assert_eq!([1, 5].map(|count| actors(Lang::ZhCn, &["林晓"], count)), ["林晓", "林晓等 5 人"]);
    assert_eq!(actors(Lang::En, &[], 3), "");
    assert_eq!(actors(Lang::En, &["Ana", "Bo", "Cy"], 1), "Ana, Bo and 1 other", "all who are named count");
    let short =
        [(Lang::En, 2), (Lang::ZhCn, 2), (Lang::ZhCn, 5)].map(|(lang, n)| actors_short(lang, &["A", "B"], n));
    assert_eq!(short, ["A, B", "A、B", "A、B +3"]);
}

#[test]
fn every_usual_type_has_a_chinese_word() {
    for (id, word) in [
        ("article", "文章"),
        ("post", "帖子"),
        ("comment", "评论"),
        ("reply", "回复"),
        ("question", "问题"),
        ("answer", "回答"),
        ("photo", "照片"),
        ("image", "图片"),
        ("picture", "图片"),
        ("video", "视频"),
        ("album", "相册"),
        ("product", "商品"),
        ("project", "项目"),
        ("task", "任务"),
        ("issue", "议题"),
        ("document", "文档"),
        ("file", "文件"),
        ("page", "页面"),
        ("note", "笔记"),
        ("event", "活动"),
        ("list", "列表"),
        ("review", "评价"),
        ("poll", "投票"),
        ("pull_request", "pull request"),
    ] {
        assert_eq!(target_type(Lang::ZhCn, id), word, "{id}");
        assert_eq!(target_type(Lang::En, id), id.replace('_', " "), "{id}");
    }
}

#[test]
fn a_name_stands_apart_from_chinese_words_unless_it_is_chinese() {
    for (name, before, after) in
        [("Ana", "Ana ", " Ana"), ("林晓", "林晓", "林晓"), ("（甲）", "（甲）", "（甲）")]
    {
        assert_eq!((before_chinese(name).as_str(), after_chinese(name).as_str()), (before, after));
    }
    assert_eq!((before_chinese("林 Ana"), after_chinese("林 Ana")), ("林 Ana ".into(), "林 Ana".into()));
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
    let untyped = values(&["Ana"], 1, ("X", ""), "", &data);
    assert_eq!(
        render(Lang::En, "{actors} liked your {target_type} {target}", &untyped).text(),
        "Ana liked your X"
    );
    let nameless = render(Lang::En, "{actors} liked {target}", &values(&[""], 1, ("X", ""), "", &data));
    assert_eq!(nameless.text(), "liked X");
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
