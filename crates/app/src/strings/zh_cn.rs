//! Simplified Chinese strings, with full-width punctuation between Chinese words.

use tidings_sync::{CertificateFault, PullEnd, Trouble};

use super::{NotPublished, OverBudget, Strings, UnreadCount, grouped};

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
        Some(by) => format!("{by} 回答了“{answer}”"),
        None => format!("你回答了“{answer}”"),
    },
    question_unanswered: |default| match default {
        Some(default) => format!("没有人及时回答，按“{default}”处理"),
        None => "没有人及时回答".to_owned(),
    },
    answer_late: |answer| format!("你的回答“{answer}”来得太晚"),
    answer_closed: "这个问题已经结束。你的回答没有发送；条目里显示了最终的回答",
    answer_not_offered: "这个问题没有这样的选项。什么都没有发送；可以选择其中一个回答",
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
    message_refused: |status, peer| match (status, peer) {
        ("403", None) => "你已不在这个聊天中".to_owned(),
        ("403", Some(_)) => "你不能在那里写消息".to_owned(),
        ("404", None) => "这个群组已不存在".to_owned(),
        ("404", Some(peer)) => format!("那里没有叫 {peer} 的人"),
        ("413", _) => "内容太长".to_owned(),
        (other, _) => format!("服务器拒绝了它（{other}）"),
    },
    file_refused: |status, limit| {
        Some(match (status, limit) {
            ("file", _) => "文件的副本已不在这台电脑上。丢弃这条消息，再添加一次文件".to_owned(),
            ("413", Some(limit)) => format!("文件超过服务器接受的大小（{limit}）"),
            ("413", None) => "文件超过服务器接受的大小".to_owned(),
            ("415", _) => "服务器不接受文件".to_owned(),
            ("507", _) => "服务器上现在没有空间存放你的文件。等旧文件过期后重试".to_owned(),
            _ => return None,
        })
    },
    subscription_refused: |source, thread| {
        format!("{source} 拒绝更改“{thread}”的订阅。订阅与之前一样；检查令牌是否有这个权限")
    },
    compose_bad_name: |name| format!("“{name}” 不是用户名，用户名只含字母、数字、点、_ 和 -"),
    compose_unknown: |source, names| match names {
        [] => format!("{source} 上没有其中的某个人。什么都没有发出，消息还在这里"),
        names => format!("{source} 上没有叫 {} 的人。什么都没有发出，消息还在这里", names.join("、")),
    },
    compose_no_groups: |source| format!("{source} 没有群组。只写给一个人"),
    compose_group_offline: |source| {
        format!("群组只能由服务器创建，而 {source} 现在连接不上。消息还在这里，恢复连接后再发送")
    },
    compose_group_paused: |source| {
        format!("群组只能由服务器创建，而 {source} 已暂停。消息还在这里，来源继续后再发送")
    },
    group_offline: |source| {
        format!("群组只能由服务器更改，而 {source} 现在连接不上。什么都没有变，恢复连接后再试")
    },
    group_paused: |source| format!("群组只能由服务器更改，而 {source} 已暂停。什么都没有变"),
    group_unknown: |source, user| {
        if user.is_empty() {
            format!("{source} 上已没有这个群组")
        } else {
            format!("{source} 上没有叫 {user} 的人，或其已离开。什么都没有变")
        }
    },
    group_not_owner: "只有群主可以这样做。什么都没有变",
    group_unsupported: |source| format!("{source} 的服务器版本太旧，做不到。什么都没有变"),
    group_refused: |source, status| format!("{source} 拒绝了它（{status}）。什么都没有变"),
    published_offline: |source| {
        format!("已发送的内容只能由服务器更改，而 {source} 现在连接不上。什么都没有变，恢复连接后再试")
    },
    published_paused: |source| format!("已发送的内容只能由服务器更改，而 {source} 已暂停。什么都没有变"),
    published_unknown: |source| format!("{source} 上已没有这条内容，或不允许你更改它。什么都没有变"),
    compose_refused: |source, status| match status {
        "403" => format!("{source} 不允许你新建聊天。消息还在这里"),
        "413" => "内容太长。消息还在这里".to_owned(),
        other => format!("{source} 拒绝了它（{other}）。消息还在这里"),
    },
    not_published: |why, source, topic| match why {
        NotPublished::Paused => {
            format!("{source} 已暂停。什么都没有发布，写的内容还在这里，来源继续后再发布")
        }
        NotPublished::Unreachable => format!("{source} 连接不上。什么都没有发布，写的内容还在这里"),
        NotPublished::SignIn => {
            format!("{source} 拒绝了令牌。什么都没有发布，写的内容还在这里。请在“设置 → 来源”里重新登录")
        }
        NotPublished::Forbidden => {
            format!(
                "你不能在 {source} 的“{topic}”上发布。写的内容还在这里：换一个主题，或换一个有写权限的令牌"
            )
        }
        NotPublished::TooLong => {
            format!("{source} 不接受这么长的通知。什么都没有发布，写的内容还在这里：请缩短")
        }
        NotPublished::TooMany(minutes) => {
            let when =
                minutes.map_or_else(|| "稍后".to_owned(), |minutes| format!("{} 分钟后", grouped(minutes)));
            format!("{source} 暂时不再接受。什么都没有发布，写的内容还在这里：请{when}再试")
        }
        NotPublished::Refused(status) => {
            format!("{source} 拒绝了它（{status}）。什么都没有发布，写的内容还在这里")
        }
        NotPublished::Unanswered => format!(
            "{source} 没有回答，不知道是否已经发布到“{topic}”。写的内容还在这里。再次发布会取代第一条；ntfy 2.16 之前的服务器会有两条"
        ),
    },
    new: |n| format!("{} 条新的", grouped(n)),
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
        n => format!("{} 条未读，其中 {} 条计数", grouped(n), grouped(counted)),
    },
    quiet_until: |time| format!("免打扰到 {time}"),
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
    toast_several: |heading, n| format!("“{heading}”有 {} 条新通知", grouped(n)),
    toast_several_from: |who, n| format!("{who}：{} 条新消息", grouped(n)),
    toast_gap: |source, n| format!("{source}：离开期间有 {} 条新通知", grouped(n)),
    toast_storm: |source, n| format!("{source}：{} 条新通知", grouped(n)),

    button_changed: "这个按钮已不是显示时的样子，因此什么都没有执行。查看通知现在的内容，再按那里的按钮",
    toast_calls: |label, host| format!("{label}（{host}）"),
    plain_reason: |why, markdown| match (why, markdown) {
        (OverBudget::Length, true) => "内容很长，以纯文本显示开头部分",
        (OverBudget::Length, false) => "内容很长，只显示开头部分",
        (OverBudget::Depth, _) => "引用或列表嵌套太深，以纯文本显示",
        (OverBudget::Elements, _) => "需要排版的部分太多，以纯文本显示",
    },

    private_host: |host| format!("{host} 位于本机或本地网络，什么都没有发出：只有位于该地址的来源才能访问它"),
    done: "已完成",
    answered: |host, status| format!("{host} 返回了 {status}"),
    no_answer: |host| format!("{host} 没有应答"),

    trouble: |trouble| match trouble {
        Trouble::Address => "无法使用这个地址".to_owned(),
        Trouble::Setup => "这台电脑无法建立安全连接".to_owned(),
        Trouble::Certificate(fault) => match fault {
            CertificateFault::UnknownAuthority => "对方的证书由未知的机构签发",
            CertificateFault::NotValidNow => "对方的证书已过期或尚未生效",
            CertificateFault::OtherName => "对方的证书属于另一个名称",
            CertificateFault::Untrusted => "对方的证书不受信任",
            CertificateFault::ClientWanted => "对方要求它认识的客户端证书",
            CertificateFault::ClientKey => "无法读取客户端证书的私钥",
        }
        .to_owned(),
        Trouble::Offline => "没有网络".to_owned(),
        Trouble::Unreachable => "没有应答".to_owned(),
        Trouble::Slow => "等待应答太久".to_owned(),
        Trouble::Unavailable(status) => format!("没有应答（{status}）"),
        Trouble::Waiting(_) => "对方要求暂停请求".to_owned(),
        Trouble::SignIn => "需要登录".to_owned(),
        Trouble::Refused(status) => format!("被拒绝（{status}）"),
        Trouble::Malformed => "无法读取对方的应答".to_owned(),
        Trouble::TooLarge => "对方的应答过大".to_owned(),
        Trouble::TooComplex => "对方的应答嵌套过深或重复过多，无法读取".to_owned(),
        Trouble::PassedBy => "上次无法读取对方的应答，已跳过".to_owned(),
        Trouble::NoProgress => "对方一直说还有更多，却没有送来任何内容".to_owned(),
        Trouble::PullEnded(PullEnd::Bytes(bytes)) => format!(
            "已拉取 {} MiB，达到一次的上限。收到的内容都已保存，下次接着拉取。如果不该有这么多，可以暂停这个来源",
            grouped(bytes >> 20)
        ),
        Trouble::PullEnded(PullEnd::Pages(pages)) => format!(
            "已拉取 {} 页，达到一次的上限。收到的内容都已保存，下次接着拉取。如果不该有这么多，可以暂停这个来源",
            grouped(pages.into())
        ),
        Trouble::PullEnded(PullEnd::Disk(bytes)) => format!(
            "磁盘要留出 {} MiB 的空间，拉取到此为止。收到的内容都已保存，腾出空间后接着拉取",
            grouped(bytes >> 20)
        ),
        Trouble::RedirectRefused => "这个地址指向另一个地址，不会自动跟随，请改填那个地址".to_owned(),
        Trouble::Fault => "Tidings 出了故障，已有的内容是安全的".to_owned(),
        Trouble::DiskFull => "磁盘已满".to_owned(),
        Trouble::ReadOnly => "无法写入数据文件夹".to_owned(),
        Trouble::Replica => "收到的内容无法保存".to_owned(),
        Trouble::Damaged => "本机的收件箱已损坏".to_owned(),
        Trouble::NoSessionBus => "没有会话总线，程序的通知经由它发送".to_owned(),
        Trouble::MonitorRefused => {
            "会话总线不允许读取其他程序的通知，例如在沙盒中，或 dbus-daemon 早于 1.10".to_owned()
        }
    },

    notice_no_tray: "这个桌面没有托盘。关闭窗口会退出 Tidings。",
    notice_no_tray_goes_on: "这个桌面没有托盘。关闭窗口后 Tidings 继续运行；再次启动即可打开窗口。",
    notice_no_toasts: "这个桌面不显示弹窗。新通知都在列表里，Tidings 会自动重试。",
    notice_no_keyring: "这个桌面没有密钥环。令牌保存在只有你能读取的文件里。",
    notice_port_taken: |usual, now| {
        format!("端口 {usual} 已被其他程序占用。Tidings 改用端口 {now}，发往 {usual} 的通知收不到。")
    },
    notice_no_server: |why| format!("本机的服务未能启动：{why}。已有内容不受影响，其他来源照常。"),
    notice_read_only: |folder| {
        format!("无法写入文件夹 {folder}。在它可写之前无法保存新内容，已有内容不受影响。")
    },
    notice_disk_full: "磁盘已满。腾出空间之前无法保存新内容，已有内容不受影响。",
    notice_passed_by: |of| format!("上次无法读取 {} 发来的内容，已跳过。已有内容不受影响。", of.join("、")),
    notice_no_replica: |why| format!("无法打开本机的收件箱：{why}。文件保持原样。"),
    notice_damaged: "本机的收件箱已损坏。它只是一份副本：修复会从各来源重新拉取，并保留还能读出的草稿、标记、置顶、规则和设置。",
    notice_clock_ahead: "本机的时间曾经偏快，因此本机服务器会给新通知标上未来的时间。没有丢失任何内容。如果现在时间正确，可以修正：通知的顺序、标记和草稿都会保留。",
    notice_repaired: "本机的收件箱已修复。退出 Tidings 再重新启动即可使用。",
    repaired: |items, lost| {
        let kept = format!("收件箱已修复，保留了 {} 条通知，各来源会重新拉取", grouped(items));
        match lost {
            [] => kept,
            lost => format!("{kept}。以下来源无法读出，需要重新添加：{}", lost.join("、")),
        }
    },
    not_repaired: |why| {
        format!("收件箱未能修复：{why}。它保持原样。可以退出 Tidings，在终端运行 `tidings repair`")
    },

    query_date: |token| {
        format!("“{token}”不是日期。可以写 2026-11-01 这样的日期、2026-11 这样的月份或 2026 这样的年份。")
    },
    query_state: |token| format!("“{token}”不是状态。“是:”之后可以写未读、已读、置顶、已推迟、完成或静音。"),
    query_kind: |token| format!("“{token}”不是类型。“类型:”之后可以写公告、提醒或消息。"),
    query_priority: |token| format!("“{token}”不是优先级。“优先级:”之后可以写 1 到 5 的数字。"),
    query_has: |token| format!("无法查找“{token}”。“带有:”之后可以写附件或链接。"),

    error_not_found: "它已经不在这里了。",
    error_invalid: "无法这样做。",
    error_storage: "本机的收件箱没有应答，什么都没有改变。",
    error_link: "只打开网页和邮件地址。",
    error_open: "这台电脑上没有程序能打开它。",
};
