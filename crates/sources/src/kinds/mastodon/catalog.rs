//! How notifications read, in both languages. Their types are the actions.

use tidings_model::Catalog;

use crate::kinds::{self, Template};

/// The action of a type that this version does not know.
const OTHER: &str = "notification";
/// The types of notifications with their templates.
const ACTIONS: &[Template] = &[
    ("mention", "{actors} mentioned you", "{actors} 提到了你"),
    ("status", "{actors} posted {target}", "{actors} 发布了 {target}"),
    ("reblog", "{actors} boosted {target}", "{actors} 转发了 {target}"),
    ("favourite", "{actors} favourited {target}", "{actors} 喜欢了 {target}"),
    ("reaction", "{actors} reacted to {target}", "{actors} 回应了 {target}"),
    ("quote", "{actors} quoted you", "{actors} 引用了你"),
    ("follow", "{actors} followed you", "{actors} 关注了你"),
    ("follow_request", "{actors} asked to follow you", "{actors} 请求关注你"),
    ("poll", "The poll {target} has ended", "投票 {target} 已结束"),
    ("update", "{actors} edited {target}", "{actors} 编辑了 {target}"),
    ("quoted_update", "{actors} edited {target}, which you quoted", "{actors} 编辑了你引用的 {target}"),
    ("move", "{actors} moved to another account", "{actors} 迁移到了另一个账号"),
    ("severed_relationships", "Your follows with {target} have ended", "你与 {target} 的关注关系已中断"),
    ("moderation_warning", "The moderators warned you", "管理员向你发出了警告"),
    ("annual_report", "Your annual report is ready", "你的年度总结已生成"),
    ("admin.sign_up", "{actors} signed up on {target}", "{actors} 在 {target} 注册了"),
    ("admin.report", "{actors} reported {target}", "{actors} 举报了 {target}"),
    (OTHER, "{actors} notified you", "{actors} 通知了你"),
];

/// The catalog of every instance.
pub(super) fn catalog() -> Catalog {
    kinds::catalog(ACTIONS)
}

/// The action of a type of notification; some services have names of their own for the same.
pub(super) fn action(kind: &str) -> &'static str {
    match kind {
        "pleroma:emoji_reaction" | "emoji_reaction" => "reaction",
        "favorite" => "favourite",
        "renote" | "boost" => "reblog",
        known => ACTIONS.iter().map(|(id, ..)| *id).find(|id| *id == known).unwrap_or(OTHER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_reads_in_both_languages_and_an_unknown_one_as_what_it_is() {
        catalog().check().unwrap();
        assert!(catalog().actions.values().all(|rule| rule.template.len() == 2));
        assert_eq!(action("favourite"), "favourite");
        assert_eq!(action("pleroma:emoji_reaction"), "reaction");
        assert!(catalog().actions.contains_key(action("something_new")));
    }
}
