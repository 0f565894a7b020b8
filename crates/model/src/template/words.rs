//! Words that the values of a template become: lists of people, types of targets, and names beside Chinese.

use super::Lang;

/// A list of actors: "Ana", "Ana and Bo", "Ana, Bo and 3 others". In Chinese the number includes the named ones:
/// "林晓、陈博等 5 人".
///
/// ```
/// use tidings_model::{Lang, template::actors};
///
/// assert_eq!(actors(Lang::En, &["Ana", "Bo"], 5), "Ana, Bo and 3 others");
/// ```
pub fn actors(lang: Lang, names: &[&str], count: usize) -> String {
    let count = count.max(names.len());
    match (lang, names) {
        (_, []) => String::new(),
        (_, [only]) if count == 1 => (*only).to_owned(),
        (Lang::En, [only]) => format!("{only} and {}", others(count - 1)),
        (Lang::ZhCn, [only]) => format!("{only}等 {count} 人"),
        (Lang::En, [a, b, ..]) if count == 2 => format!("{a} and {b}"),
        (Lang::ZhCn, [a, b, ..]) if count == 2 => format!("{a}和{b}"),
        (Lang::En, [a, b, ..]) => format!("{a}, {b} and {}", others(count - 2)),
        (Lang::ZhCn, [a, b, ..]) => format!("{a}、{b}等 {count} 人"),
    }
}

/// The short form of a list of actors: "Ana", "Ana, Bo", "Ana, Bo +3"; "林晓、陈博 +3".
pub fn actors_short(lang: Lang, names: &[&str], count: usize) -> String {
    let comma = if lang == Lang::ZhCn { "、" } else { ", " };
    let named: Vec<&str> = names.iter().take(2).copied().collect();
    let more = count.saturating_sub(named.len());
    let named = named.join(comma);
    if more == 0 { named } else { format!("{named} +{more}") }
}

fn others(n: usize) -> String {
    if n == 1 { "1 other".to_owned() } else { format!("{n} others") }
}

/// The word for a type of targets: "pull request" of `pull_request`; in Chinese 文章 of `article`, and the id of a type
/// without a word.
pub fn target_type(lang: Lang, id: &str) -> String {
    let word = match (lang, id) {
        (Lang::ZhCn, "article") => Some("文章"),
        (Lang::ZhCn, "post") => Some("帖子"),
        (Lang::ZhCn, "comment") => Some("评论"),
        (Lang::ZhCn, "reply") => Some("回复"),
        (Lang::ZhCn, "question") => Some("问题"),
        (Lang::ZhCn, "answer") => Some("回答"),
        (Lang::ZhCn, "photo") => Some("照片"),
        (Lang::ZhCn, "image" | "picture") => Some("图片"),
        (Lang::ZhCn, "video") => Some("视频"),
        (Lang::ZhCn, "album") => Some("相册"),
        (Lang::ZhCn, "product") => Some("商品"),
        (Lang::ZhCn, "project") => Some("项目"),
        (Lang::ZhCn, "task") => Some("任务"),
        (Lang::ZhCn, "issue") => Some("议题"),
        (Lang::ZhCn, "document") => Some("文档"),
        (Lang::ZhCn, "file") => Some("文件"),
        (Lang::ZhCn, "page") => Some("页面"),
        (Lang::ZhCn, "note") => Some("笔记"),
        (Lang::ZhCn, "event") => Some("活动"),
        (Lang::ZhCn, "list") => Some("列表"),
        (Lang::ZhCn, "review") => Some("评价"),
        (Lang::ZhCn, "poll") => Some("投票"),
        _ => None,
    };
    word.map_or_else(|| id.replace(['_', '-', '.'], " "), str::to_owned)
}

/// A name before Chinese words: with a space after it, unless it ends in Chinese itself.
///
/// ```
/// use tidings_model::template::before_chinese;
///
/// assert_eq!(before_chinese("Ana") + "加入了群组", "Ana 加入了群组");
/// assert_eq!(before_chinese("林晓") + "加入了群组", "林晓加入了群组");
/// ```
pub fn before_chinese(name: &str) -> String {
    if name.ends_with(is_chinese) { name.to_owned() } else { format!("{name} ") }
}

/// A name after Chinese words: with a space before it, unless it begins in Chinese itself.
pub fn after_chinese(name: &str) -> String {
    if name.starts_with(is_chinese) { name.to_owned() } else { format!(" {name}") }
}

/// Whether a character is a Chinese one or full-width punctuation, beside which Chinese has no space.
pub(super) const fn is_chinese(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}
