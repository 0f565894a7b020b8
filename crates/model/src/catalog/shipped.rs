// Generated from `i18n/` by `cargo test -p tidings-strings export`.
//! The actions of a new server.

use super::ActionSentences;

pub(super) const ACTIONS: &[ActionSentences] = &[
    ("create", &[("en", "{actors} created {target}"), ("zh-CN", "{actors} 创建了 {target}")], &[]),
    ("comment", &[("en", "{actors} commented on {target}"), ("zh-CN", "{actors} 评论了 {target}")], &[("en", "{actors} commented on your {target_type} {target}"), ("zh-CN", "{actors} 评论了你的{target_type} {target}")]),
    ("reply", &[("en", "{actors} replied to {target}"), ("zh-CN", "{actors} 回复了 {target}")], &[("en", "{actors} replied to your {target_type} {target}"), ("zh-CN", "{actors} 回复了你的{target_type} {target}")]),
    ("like", &[("en", "{actors} liked {target}"), ("zh-CN", "{actors} 喜欢了 {target}")], &[("en", "{actors} liked your {target_type} {target}"), ("zh-CN", "{actors} 喜欢了你的{target_type} {target}")]),
    ("hate", &[("en", "{actors} disliked {target}"), ("zh-CN", "{actors} 踩了 {target}")], &[("en", "{actors} disliked your {target_type} {target}"), ("zh-CN", "{actors} 踩了你的{target_type} {target}")]),
    ("vote", &[("en", "{actors} voted for {target}"), ("zh-CN", "{actors} 投票给了 {target}")], &[("en", "{actors} voted for your {target_type} {target}"), ("zh-CN", "{actors} 投票给了你的{target_type} {target}")]),
    ("update", &[("en", "{actors} updated {target}"), ("zh-CN", "{actors} 更新了 {target}")], &[("en", "{actors} updated your {target_type} {target}"), ("zh-CN", "{actors} 更新了你的{target_type} {target}")]),
    ("mention", &[("en", "{actors} mentioned you in {target}"), ("zh-CN", "{actors} 在 {target} 中提到了你")], &[("en", "{actors} mentioned you in your {target_type} {target}"), ("zh-CN", "{actors} 在你的{target_type} {target} 中提到了你")]),
    ("follow", &[("en", "{actors} followed {target}"), ("zh-CN", "{actors} 关注了 {target}")], &[("en", "{actors} followed you"), ("zh-CN", "{actors} 关注了你")]),
    ("share", &[("en", "{actors} shared {target}"), ("zh-CN", "{actors} 分享了 {target}")], &[("en", "{actors} shared your {target_type} {target}"), ("zh-CN", "{actors} 分享了你的{target_type} {target}")]),
    ("assign", &[("en", "{actors} assigned you {target}"), ("zh-CN", "{actors} 把 {target} 分配给了你")], &[]),
    ("publish", &[("en", "{actors} published {target}"), ("zh-CN", "{actors} 发布了 {target}")], &[("en", "{actors} published your {target_type} {target}"), ("zh-CN", "{actors} 发布了你的{target_type} {target}")]),
];
