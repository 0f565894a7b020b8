//! The catalog that version 0.1 shipped. A server that has it, and on which nobody ever stored one, gets that of this version.

/// The catalog as JSON, as both stores have it.
pub const SHIPPED: &str = concat!(
    r#"{"actions":{"#,
    r#""assign":{"default":true,"class":"manual","template":{"en":"{actors} assigned you {target}","zh-CN":"{actors} 把 {target} 分配给了你"}},"#,
    r#""comment":{"default":true,"class":"manual","template":{"en":"{actors} commented on {target}","zh-CN":"{actors} 评论了 {target}"}},"#,
    r#""create":{"default":true,"class":"manual","template":{"en":"{actors} created {target}","zh-CN":"{actors} 创建了 {target}"}},"#,
    r#""follow":{"default":true,"class":"manual","template":{"en":"{actors} followed {target}","zh-CN":"{actors} 关注了 {target}"}},"#,
    r#""like":{"default":true,"class":"manual","template":{"en":"{actors} liked {target}","zh-CN":"{actors} 喜欢了 {target}"}},"#,
    r#""mention":{"default":true,"class":"manual","template":{"en":"{actors} mentioned you in {target}","zh-CN":"{actors} 在 {target} 中提到了你"}},"#,
    r#""publish":{"default":true,"class":"manual","template":{"en":"{actors} published {target}","zh-CN":"{actors} 发布了 {target}"}},"#,
    r#""reply":{"default":true,"class":"manual","template":{"en":"{actors} replied to {target}","zh-CN":"{actors} 回复了 {target}"}},"#,
    r#""share":{"default":true,"class":"manual","template":{"en":"{actors} shared {target}","zh-CN":"{actors} 分享了 {target}"}}"#,
    r#"},"reasons":{"comment_*":["reply","comment"],"create_*":["comment","like","reply"],"like_*":["comment"]}}"#
);

/// Puts a catalog (the first parameter) in the place of the earlier one (the second), if nobody has replaced that.
pub const REPLACE_UNCHANGED: &str = "UPDATE meta SET catalog = $1, catalog_version = catalog_version + 1
    WHERE catalog = $2 AND catalog_version = 1";
