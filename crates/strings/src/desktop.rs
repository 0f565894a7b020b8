//! Strings about what the desktop does: test notifications, running in the background, and the key for the window.

use tidings_model::Lang;
use tidings_model::template::after_chinese;

/// The strings of one language. A function's parameters are named in its comment.
#[derive(Debug)]
pub struct DesktopStrings {
    /// The title of a test notification that does not come from a server.
    pub test_title: &'static str,
    /// The text of a test notification.
    pub test_body: &'static str,
    /// The desktop showed it.
    pub test_shown: &'static str,
    /// `(time)`: quiet hours hold it back until then.
    pub test_quiet: fn(&str) -> String,
    /// A pause holds it back.
    pub test_paused: &'static str,
    /// The desktop's do-not-disturb mode holds it back.
    pub test_do_not_disturb: &'static str,
    /// The window has the focus, and toasts are off then.
    pub test_in_focus: &'static str,
    /// There is no notification daemon.
    pub test_no_daemon: &'static str,
    /// The daemon refused it.
    pub test_refused: &'static str,
    /// What the own server's source may tell keeps it back.
    pub test_source: &'static str,
    /// Nothing came in time.
    pub test_nothing: &'static str,

    /// The title of the toast that says once that the program goes on without a window.
    pub background_title: &'static str,
    /// `(key)`: how to come back, without a tray; the global shortcut if there is one.
    pub background_body: fn(Option<&str>) -> String,

    /// `(sources)`: they were out of reach for 15 minutes.
    pub outage_title: fn(&[String]) -> String,
    /// `(reasons)`: why, and what happens to their notifications.
    pub outage_body: fn(&[String]) -> String,

    /// `(keys)`: another program has these keys.
    pub shortcut_taken: fn(&str) -> String,
    /// The keys cannot be a shortcut of the desktop.
    pub shortcut_invalid: &'static str,
    /// This desktop lets no program have such keys.
    pub shortcut_unsupported: &'static str,
}

/// The strings of a language.
pub const fn desktop_strings(lang: Lang) -> &'static DesktopStrings {
    match lang {
        Lang::En => &EN,
        Lang::ZhCn => &ZH_CN,
    }
}

static EN: DesktopStrings = DesktopStrings {
    test_title: "Tidings",
    test_body: "A test notification",
    test_shown: "Shown by the desktop",
    test_quiet: |time| {
        format!("Quiet hours last until {time}. The notification is in the inbox; its toast appears then")
    },
    test_paused: "Toasts are paused. This notification is in the inbox. Resume toasts to see its toast",
    test_do_not_disturb: "Not shown: the desktop’s Do Not Disturb is on. To see toasts, turn it off there",
    test_in_focus: "Toasts are off while this window has the focus. The notification is in the inbox",
    test_no_daemon: "This desktop has no notification service. Start one, for example dunst. Tidings finds it automatically",
    test_refused: "The notification service refused the notification. The log says why",
    test_source: "Not shown: this computer’s toasts are off, or off for this priority. Change this in Settings, Sources",
    test_nothing: "No toast appeared. A rule, or the notification settings of its thread, held it back",
    background_title: "Tidings keeps running in the background",
    background_body: |keys| {
        let press = keys.map(|keys| format!(", or press {keys}")).unwrap_or_default();
        format!("Start it again to open its window{press}. To change this, open Settings, General.")
    },
    outage_title: |sources| format!("{} cannot be reached", sources.join(", ")),
    outage_body: |reasons| {
        let why = reasons.join(", ");
        format!(
            "For 15 minutes: {why}. What is here is safe, and what is missing comes when it works again. \
             Settings, About, Diagnostics says what you can do."
        )
    },
    shortcut_taken: |keys| format!("Another program uses {keys}. Choose other keys"),
    shortcut_invalid: "Choose a key together with Ctrl, Alt or Super",
    shortcut_unsupported: "On Wayland, only the desktop can set such keys. In its keyboard settings, add a shortcut that starts \
        “tidings-desktop”. It shows the window",
};

static ZH_CN: DesktopStrings = DesktopStrings {
    test_title: "Tidings",
    test_body: "一条测试通知",
    test_shown: "桌面已显示",
    test_quiet: |time| format!("免打扰至 {time}。通知已在收件箱，届时会显示弹窗"),
    test_paused: "弹窗已暂停。通知已在收件箱，恢复弹窗后会显示",
    test_do_not_disturb: "未显示：桌面的勿扰模式已打开。要查看弹窗，在桌面上关闭它",
    test_in_focus: "此窗口处于活动状态时不显示弹窗。通知已在收件箱",
    test_no_daemon: "此桌面没有通知服务。启动一个通知服务，例如 dunst。Tidings 会自动找到它",
    test_refused: "通知服务拒绝了此通知。原因见日志",
    test_source: "未显示：“本机”的弹窗已关闭，或对此优先级已关闭。可在“设置”的“来源”中更改",
    test_nothing: "没有出现弹窗。规则或会话的通知设置阻止了它",
    background_title: "Tidings 在后台继续运行",
    background_body: |keys| {
        let press = keys.map(|keys| format!("，或按 {keys}")).unwrap_or_default();
        format!("再次启动可打开窗口{press}。可在“设置”的“通用”中更改。")
    },
    outage_title: |sources| format!("无法连接{}", after_chinese(&sources.join("、"))),
    outage_body: |reasons| {
        format!(
            "已持续 15 分钟：{}。已有内容不受影响，恢复后会获取缺少的通知。“设置”的“关于”的“诊断”说明可以怎么做。",
            reasons.join("、")
        )
    },
    shortcut_taken: |keys| format!("{keys} 已被其他程序使用。选择其他快捷键"),
    shortcut_invalid: "快捷键须包含 Ctrl、Alt 或 Super",
    shortcut_unsupported: "在 Wayland 上，只有桌面能设置这样的快捷键。在桌面的键盘设置中添加一个启动“tidings-desktop”的快捷键，即可显示窗口",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sentence_about_the_desktop_shouts_or_begs() {
        for lang in [Lang::En, Lang::ZhCn] {
            let table = desktop_strings(lang);
            let sentences = [
                (table.test_quiet)("07:00"),
                (table.background_body)(Some("Ctrl")),
                (table.outage_title)(&["a".to_owned()]),
                (table.outage_body)(&["a".to_owned()]),
                (table.shortcut_taken)("a"),
            ];
            let text = format!("{table:?}{}", sentences.concat());
            for word in ["!", "！", "lease", "ops", "您", "请"] {
                assert!(!text.contains(word), "{lang:?}: {word}");
            }
        }
    }
}
