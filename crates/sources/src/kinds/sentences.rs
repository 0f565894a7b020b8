// Generated from `i18n/` by `cargo test -p tidings-strings export`.
//! How the notifications of services read that have no catalog of their own.

use tidings_model::ActionSentences;

pub(super) const DESKTOP: &[ActionSentences] = &[
    ("lost", &[("en", "{count} notifications of other programs arrived too fast to be kept"), ("zh-CN", "其他程序的 {count} 条通知到达过快，未保留")], &[]),
];

pub(super) const FORGEJO: &[ActionSentences] = &[
    ("comment", &[("en", "{actors} commented on {target}"), ("zh-CN", "{actors} 评论了 {target}")], &[]),
    ("release", &[("en", "{actors} released {target}"), ("zh-CN", "{actors} 发布了 {target}")], &[]),
    ("transfer", &[("en", "{actors} was transferred to you: {target}"), ("zh-CN", "{actors} 已转让给你：{target}")], &[]),
    ("update", &[("en", "{actors} updated {target}"), ("zh-CN", "{actors} 更新了 {target}")], &[]),
];

pub(super) const GITHUB: &[ActionSentences] = &[
    ("approval_requested", &[("en", "{actors} asked you to approve {target}"), ("zh-CN", "{actors} 请你批准 {target}")], &[]),
    ("assign", &[("en", "{actors} assigned {target} to you"), ("zh-CN", "{actors} 把 {target} 分配给了你")], &[]),
    ("author", &[("en", "{actors} updated {target}, which you opened"), ("zh-CN", "{actors} 更新了你发起的 {target}")], &[]),
    ("ci_activity", &[("en", "{actors} reports: {target}"), ("zh-CN", "{actors} 报告：{target}")], &[]),
    ("comment", &[("en", "{actors} updated {target}, where you commented"), ("zh-CN", "{actors} 更新了你评论过的 {target}")], &[]),
    ("invitation", &[("en", "{actors} invites you: {target}"), ("zh-CN", "{actors} 邀请你：{target}")], &[]),
    ("manual", &[("en", "{actors} updated {target}, which you follow"), ("zh-CN", "{actors} 更新了你关注的 {target}")], &[]),
    ("member_feature_requested", &[("en", "{actors} has a request of a member: {target}"), ("zh-CN", "{actors} 有一项成员请求：{target}")], &[]),
    ("mention", &[("en", "{actors} mentioned you in {target}"), ("zh-CN", "{actors} 在 {target} 中提到了你")], &[]),
    ("release", &[("en", "{actors} released {target}"), ("zh-CN", "{actors} 发布了 {target}")], &[]),
    ("review_requested", &[("en", "{actors} requested your review on {target}"), ("zh-CN", "{actors} 请你评审 {target}")], &[]),
    ("security_advisory_credit", &[("en", "{actors} credited you for {target}"), ("zh-CN", "{actors} 因 {target} 向你致谢")], &[]),
    ("security_alert", &[("en", "{actors} has a security alert: {target}"), ("zh-CN", "{actors} 有一条安全警报：{target}")], &[]),
    ("state_change", &[("en", "{actors} changed the state of {target}"), ("zh-CN", "{actors} 更改了 {target} 的状态")], &[]),
    ("subscribed", &[("en", "{actors} updated {target}"), ("zh-CN", "{actors} 更新了 {target}")], &[]),
    ("team_mention", &[("en", "{actors} mentioned your team in {target}"), ("zh-CN", "{actors} 在 {target} 中提到了你的团队")], &[]),
    ("update", &[("en", "{actors} updated {target}"), ("zh-CN", "{actors} 更新了 {target}")], &[]),
    ("your_activity", &[("en", "{actors} updated {target}, where you took part"), ("zh-CN", "{actors} 更新了你参与过的 {target}")], &[]),
];

pub(super) const GITLAB: &[ActionSentences] = &[
    ("added_approver", &[("en", "{actors} made you an approver of {target}"), ("zh-CN", "{actors} 把你设为 {target} 的批准人")], &[]),
    ("approval_required", &[("en", "{actors} asked you to approve {target}"), ("zh-CN", "{actors} 请你批准 {target}")], &[]),
    ("assigned", &[("en", "{actors} assigned {target} to you"), ("zh-CN", "{actors} 把 {target} 分配给了你")], &[]),
    ("build_failed", &[("en", "The pipeline of {target} failed"), ("zh-CN", "{target} 的流水线失败了")], &[]),
    ("directly_addressed", &[("en", "{actors} mentioned you directly in {target}"), ("zh-CN", "{actors} 在 {target} 中直接提到了你")], &[]),
    ("marked", &[("en", "{actors} put {target} on the to-do list"), ("zh-CN", "{actors} 把 {target} 加入了待办")], &[]),
    ("member_access_requested", &[("en", "{actors} asked for access to {target}"), ("zh-CN", "{actors} 请求访问 {target}")], &[]),
    ("mentioned", &[("en", "{actors} mentioned you in {target}"), ("zh-CN", "{actors} 在 {target} 中提到了你")], &[]),
    ("merge_train_removed", &[("en", "{target} left the merge train"), ("zh-CN", "{target} 已移出合并队列")], &[]),
    ("okr_checkin_requested", &[("en", "{actors} asked you for a check-in on {target}"), ("zh-CN", "{actors} 请你更新 {target} 的进展")], &[]),
    ("review_requested", &[("en", "{actors} requested your review on {target}"), ("zh-CN", "{actors} 请你评审 {target}")], &[]),
    ("review_submitted", &[("en", "{actors} reviewed {target}"), ("zh-CN", "{actors} 评审了 {target}")], &[]),
    ("ssh_key_expired", &[("en", "The SSH key {target} has expired"), ("zh-CN", "SSH 密钥 {target} 已过期")], &[]),
    ("ssh_key_expiring_soon", &[("en", "The SSH key {target} expires soon"), ("zh-CN", "SSH 密钥 {target} 即将过期")], &[]),
    ("unmergeable", &[("en", "{target} can't be merged"), ("zh-CN", "{target} 无法合并")], &[]),
    ("update", &[("en", "{actors} has a to-do for you: {target}"), ("zh-CN", "{actors} 有一项待办给你：{target}")], &[]),
];

pub(super) const MASTODON: &[ActionSentences] = &[
    ("mention", &[("en", "{actors} mentioned you"), ("zh-CN", "{actors} 提到了你")], &[]),
    ("status", &[("en", "{actors} posted {target}"), ("zh-CN", "{actors} 发布了 {target}")], &[]),
    ("reblog", &[("en", "{actors} boosted {target}"), ("zh-CN", "{actors} 转发了 {target}")], &[]),
    ("favourite", &[("en", "{actors} favourited {target}"), ("zh-CN", "{actors} 喜欢了 {target}")], &[]),
    ("reaction", &[("en", "{actors} reacted to {target}"), ("zh-CN", "{actors} 回应了 {target}")], &[]),
    ("quote", &[("en", "{actors} quoted you"), ("zh-CN", "{actors} 引用了你")], &[]),
    ("follow", &[("en", "{actors} followed you"), ("zh-CN", "{actors} 关注了你")], &[]),
    ("follow_request", &[("en", "{actors} asked to follow you"), ("zh-CN", "{actors} 请求关注你")], &[]),
    ("poll", &[("en", "The poll {target} has ended"), ("zh-CN", "投票 {target} 已结束")], &[]),
    ("update", &[("en", "{actors} edited {target}"), ("zh-CN", "{actors} 编辑了 {target}")], &[]),
    ("quoted_update", &[("en", "{actors} edited {target}, which you quoted"), ("zh-CN", "{actors} 编辑了你引用的 {target}")], &[]),
    ("move", &[("en", "{actors} moved to another account"), ("zh-CN", "{actors} 迁移到了另一个账号")], &[]),
    ("severed_relationships", &[("en", "Your follows with {target} have ended"), ("zh-CN", "你与 {target} 的关注关系已中断")], &[]),
    ("moderation_warning", &[("en", "The moderators warned you"), ("zh-CN", "管理员向你发出了警告")], &[]),
    ("annual_report", &[("en", "Your annual report is ready"), ("zh-CN", "你的年度总结已生成")], &[]),
    ("admin.sign_up", &[("en", "{actors} signed up on {target}"), ("zh-CN", "{actors} 在 {target} 注册了")], &[]),
    ("admin.report", &[("en", "{actors} reported {target}"), ("zh-CN", "{actors} 举报了 {target}")], &[]),
    ("notification", &[("en", "{actors} notified you"), ("zh-CN", "{actors} 通知了你")], &[]),
];
