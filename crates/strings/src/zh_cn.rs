//! Simplified Chinese strings, with full-width punctuation between Chinese words.

mod troubles;

use tidings_model::template::{after_chinese as after, before_chinese as before};

use crate::{OverBudget, Strings, UnreadCount, grouped};

pub(super) static STRINGS: Strings = Strings {
    announcement: "公告",
    announcements: "公告",
    you: "我",
    this_computer: "本机",
    sender_and_text: |name, text| format!("{name}：{text}"),

    yours: |kind| {
        if kind.starts_with(|first: char| first.is_ascii()) {
            format!("你的 {kind}")
        } else {
            format!("你的{kind}")
        }
    },
    question_answered: |by, answer| match by {
        Some(by) => format!("{}回答了“{answer}”", before(by)),
        None => format!("你回答了“{answer}”"),
    },
    question_unanswered: |default| match default {
        Some(default) => format!("没有人及时回答，按“{default}”处理"),
        None => "没有人及时回答".to_owned(),
    },
    answer_late: |answer| format!("你的回答“{answer}”太晚了"),
    answer_closed: "此问题已结束，你的回答未发送。条目中显示了有效的回答",
    answer_not_offered: "此问题没有该选项，未发送任何内容。选择其中一个回答",
    items: |action, n| {
        let n = grouped(n);
        match action {
            Some("comment") => format!("{n} 条评论"),
            Some("reply") => format!("{n} 条回复"),
            Some("like" | "favourite") => format!("{n} 次喜欢"),
            Some("hate") => format!("{n} 次踩"),
            Some("vote") => format!("{n} 票"),
            Some("update") => format!("{n} 次更新"),
            Some("mention") => format!("{n} 次提到"),
            Some("follow") => format!("{n} 次关注"),
            Some("share") => format!("{n} 次分享"),
            Some("assign") => format!("{n} 次分配"),
            Some("reblog") => format!("{n} 次转发"),
            Some("follow_request") => format!("{n} 个关注请求"),
            Some("announcement") => format!("{n} 条公告"),
            _ => format!("{n} 条通知"),
        }
    },
    members: |n| format!("{} 人", grouped(n)),
    joined: |who| format!("{}加入了群组", before(who)),
    left: |who| format!("{}离开了群组", before(who)),
    renamed: |name| format!("群组已改名为“{name}”"),
    message_refused: |status, peer| match (status, peer) {
        ("403", None) => "你已不在这个聊天中".to_owned(),
        ("403", Some(_)) => "你不能给此人写消息".to_owned(),
        ("404", None) => "此群组已不存在".to_owned(),
        ("404", Some(peer)) => format!("没有用户 {peer}"),
        ("413", _) => "消息太长".to_owned(),
        (other, _) => format!("服务器拒绝了这条消息（{other}）"),
    },
    file_refused: |status, limit| {
        Some(match (status, limit) {
            ("file", _) => "文件的副本已不在本机。丢弃此消息，然后重新添加文件".to_owned(),
            ("413", Some(limit)) => format!("文件超过服务器的上限（{limit}）"),
            ("413", None) => "文件超过服务器的上限".to_owned(),
            ("415", _) => "服务器不接受文件".to_owned(),
            ("507", _) => "服务器现在没有空间存放你的文件。等旧文件过期后重试".to_owned(),
            _ => return None,
        })
    },
    subscription_refused: |source, thread| {
        format!("{}拒绝更改“{thread}”的订阅，订阅没有改变。检查令牌是否有此权限", before(source))
    },
    compose_bad_name: |name| format!("“{name}”不是用户名。用户名只含字母、数字、点、_ 和 -"),
    compose_unknown: |source, names| match names {
        [] => format!("{}上没有其中的某些用户。未发送任何内容，消息还在这里", before(source)),
        names => {
            let source = before(source);
            format!("{source}上没有用户 {}。未发送任何内容，消息还在这里", names.join("、"))
        }
    },
    compose_no_groups: |source| format!("{}没有群组。改为写给一个人", before(source)),
    compose_group_offline: |source| {
        format!("无法连接{}，未创建群组。消息还在这里，恢复连接后再发送", after(source))
    },
    compose_group_paused: |source| {
        format!("{}已暂停，未创建群组。消息还在这里，恢复来源后再发送", before(source))
    },
    group_offline: |source| format!("无法连接{}，群组没有改变。恢复连接后重试", after(source)),
    group_paused: |source| format!("{}已暂停，群组没有改变。恢复来源后重试", before(source)),
    group_unknown: |source, user| {
        if user.is_empty() {
            format!("{}上已没有这个群组", before(source))
        } else {
            format!("{}上没有用户 {user}，或其已离开群组。没有任何改变", before(source))
        }
    },
    group_not_owner: "只有群主可以这样做。没有任何改变",
    group_unsupported: |source| format!("{}的服务器版本太旧，不支持此操作。没有任何改变", before(source)),
    group_refused: |source, status| format!("{}拒绝了更改（{status}）。没有任何改变", before(source)),
    published_offline: |source| format!("无法连接{}，没有任何改变。恢复连接后重试", after(source)),
    published_paused: |source| format!("{}已暂停，没有任何改变。恢复来源后重试", before(source)),
    published_unknown: |source| format!("{}上已没有此条目，或不允许你更改它。没有任何改变", before(source)),
    compose_refused: |source, status| match status {
        "403" => format!("{}不允许你新建聊天。消息还在这里", before(source)),
        "413" => "消息太长，还在这里。缩短后再发送".to_owned(),
        other => format!("{}拒绝了这条消息（{other}）。消息还在这里", before(source)),
    },
    not_published: troubles::not_published,
    new: |n| format!("{} 条新内容", grouped(n)),
    verb: |action| {
        Some(match action {
            "create" => "创建了它",
            "comment" => "评论了",
            "reply" => "回复了",
            "like" | "favourite" => "喜欢",
            "hate" => "踩了",
            "vote" => "投票给了它",
            "mention" => "提到了你",
            "follow" => "关注了",
            "share" => "分享了",
            "assign" => "分配给了你",
            "reblog" => "转发了",
            "reaction" => "回应了",
            "quote" => "引用了你",
            "follow_request" => "请求关注你",
            "status" => "发布了",
            "update" | "quoted_update" => "编辑了",
            "publish" | "poll" => "",
            _ => return None,
        })
    },

    unread: |UnreadCount { unread, counted }| match unread {
        0 => "全部已读".to_owned(),
        n if n == counted => format!("{} 条未读", grouped(n)),
        n if counted == 0 => format!("{} 条静默", grouped(n)),
        n => format!("{} 条未读，{} 条静默", grouped(counted), grouped(n.saturating_sub(counted))),
    },
    quiet_until: |time| format!("免打扰至 {time}"),
    paused: "弹窗已暂停",
    menu_open: "打开 Tidings",
    menu_mark_all_read: "全部标为已读",
    menu_pause: "暂停弹窗",
    menu_pause_hour: "暂停弹窗一小时",
    menu_pause_tomorrow: "暂停弹窗到明天",
    menu_resume: "恢复弹窗",
    menu_quit: "退出",

    toast_open: "打开",
    toast_read: "标为已读",
    toast_archive: "归档",
    toast_reply: "回复",
    toast_answer: "回答",
    toast_several: |heading, n| format!("“{heading}”有 {} 条新通知", grouped(n)),
    toast_several_from: |who, n| format!("{who}：{} 条新消息", grouped(n)),
    toast_gap: |source, n| format!("{source}：离开期间有 {} 条新通知", grouped(n)),
    toast_storm: |source, n| format!("{source}：{} 条新通知", grouped(n)),

    button_changed: "此按钮在显示后已更改，因此未执行任何操作。打开该通知，然后使用其中的按钮",
    reply_changed: "此弹窗在显示后已更改，因此未发送任何内容。打开该通知，然后在其中回复",
    toast_calls: |label, host| format!("{label}（{host}）"),
    plain_reason: |why, markdown| match (why, markdown) {
        (OverBudget::Length, true) => "内容很长，以纯文本显示开头部分",
        (OverBudget::Length, false) => "内容很长，只显示开头部分",
        (OverBudget::Depth, _) => "引用或列表嵌套太深，以纯文本显示",
        (OverBudget::Elements, _) => "需要排版的部分太多，以纯文本显示",
    },

    private_host: |host| format!("{host} 位于本机或本地网络。未发送任何内容：只有位于该地址的来源才能访问它"),
    done: "已完成",
    copied: "已复制",
    answered: |host, status| format!("{host} 返回了 {status}"),
    no_answer: |host| format!("{host} 没有应答"),

    trouble: troubles::trouble,

    notice_no_tray: "此桌面没有托盘。关闭窗口会退出 Tidings。",
    notice_no_tray_goes_on: "此桌面没有托盘。关闭窗口后，Tidings 会继续运行。再次启动可打开窗口。",
    notice_no_toasts: "此桌面不显示弹窗。新通知在列表中，Tidings 会自动重试。",
    notice_no_keyring: "此桌面没有密钥环。令牌保存在只有你能读取的文件中。",
    notice_port_taken: |usual, now| {
        format!("端口 {usual} 已被其他程序占用。Tidings 正在使用端口 {now}，发布到 {usual} 的通知无法收到。")
    },
    notice_no_server: |why| format!("本机服务器未能启动：{why}。已有内容不受影响，其他来源照常工作。"),
    notice_read_only: |folder| {
        format!("无法写入文件夹 {folder}。在可以写入之前，无法保存新内容；已有内容不受影响。")
    },
    notice_disk_full: "磁盘已满。腾出空间之前，无法保存新内容；已有内容不受影响。",
    notice_disk_fails: "磁盘出错。磁盘恢复正常之前，无法保存新内容；仍能读取的内容会继续显示。",
    notice_passed_by: |of| {
        let of = after(&before(&of.join("、")));
        format!("之前无法读取{of}发送的内容，已跳过。已有内容不受影响。")
    },
    notice_no_replica: |why| format!("无法打开本机的收件箱：{why}。其文件没有改变。"),
    notice_damaged: "本机的收件箱已损坏。它是一份副本。修复时，Tidings 会从各来源重新获取，并保留能读取的草稿、标记、置顶、规则和设置。",
    notice_clock_ahead: "本机的时间曾经偏快，因此本机服务器会给新通知标上未来的时间。没有丢失任何内容。如果现在时间正确，可修正通知的时间：通知的顺序、标记和草稿都会保留。",
    notice_repaired: "本机的收件箱已修复。退出并重新启动 Tidings 后即可使用。",
    notice_newer_version: |version| format!("Tidings {version} 已发布。"),
    repaired: |items, lost, parts| {
        let mut kept = format!("收件箱已修复，保留了 {} 条通知，各来源会重新获取", grouped(items));
        if parts > 0 {
            kept = format!("{kept}。原收件箱有 {} 处无法读取", grouped(parts));
        }
        match lost {
            [] => kept,
            lost => format!("{kept}。无法读取以下来源，需要重新添加：{}", lost.join("、")),
        }
    },
    not_repaired: |why| {
        format!("收件箱未能修复：{why}。它没有改变。退出 Tidings，然后在终端中运行 `tidings repair`")
    },

    query_date: |token| {
        format!("“{token}”不是日期。输入日期（如 2026-11-01）、月份（如 2026-11）或年份（如 2026）。")
    },
    query_state: |token| {
        format!(
            "“{token}”不是状态。在“是:”后输入未读、静默、已读、置顶、已推迟、完成、静音、已合并、已关闭或机器人。"
        )
    },
    query_kind: |token| format!("“{token}”不是类型。在“类型:”后输入公告、动态或消息。"),
    query_priority: |token| format!("“{token}”不是优先级。在“优先级:”后输入 1 到 5 的数字。"),
    query_has: |token| format!("无法搜索“{token}”。在“带有:”后输入附件或链接。"),

    error_not_found: "它已不在这里。",
    error_invalid: "无法执行此操作。",
    error_storage: "本机的收件箱没有应答。没有任何改变。",
    error_link: "Tidings 只能打开网页和邮件地址。",
    error_open: "本机上没有程序能打开它。",
    error_too_often: "操作过于频繁。过一分钟再试。",
};
