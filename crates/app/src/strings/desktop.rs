//! Strings about what the desktop does: test notifications, running in the background, and the key for the window.

use tidings_model::Lang;

/// The strings of one language. A function's parameters are named in its comment.
#[derive(Debug)]
pub(crate) struct DesktopStrings {
    /// The title of a test notification that does not come from a server.
    pub(crate) test_title: &'static str,
    /// The text of a test notification.
    pub(crate) test_body: &'static str,
    /// The desktop showed it.
    pub(crate) test_shown: &'static str,
    /// `(time)`: quiet hours hold it back until then.
    pub(crate) test_quiet: fn(&str) -> String,
    /// A pause holds it back.
    pub(crate) test_paused: &'static str,
    /// The desktop's do-not-disturb mode holds it back.
    pub(crate) test_do_not_disturb: &'static str,
    /// The window has the focus, and toasts are off then.
    pub(crate) test_in_focus: &'static str,
    /// There is no notification daemon.
    pub(crate) test_no_daemon: &'static str,
    /// The daemon refused it.
    pub(crate) test_refused: &'static str,
    /// What the own server's source may tell keeps it back.
    pub(crate) test_source: &'static str,
    /// Nothing came in time.
    pub(crate) test_nothing: &'static str,

    /// The title of the toast that tells once that the program goes on without a window.
    pub(crate) background_title: &'static str,
    /// `(key)`: how to come back, without a tray; the global shortcut where there is one.
    pub(crate) background_body: fn(Option<&str>) -> String,

    /// `(keys)`: another program has these keys.
    pub(crate) shortcut_taken: fn(&str) -> String,
    /// The keys cannot be a shortcut of the desktop.
    pub(crate) shortcut_invalid: &'static str,
    /// This desktop lets no program have such keys.
    pub(crate) shortcut_unsupported: &'static str,
}

/// The strings of a language.
pub(crate) const fn desktop_strings(lang: Lang) -> &'static DesktopStrings {
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
        format!("Held back by quiet hours until {time}. It is in the inbox; its toast comes then")
    },
    test_paused: "Held back, as toasts are paused. It is in the inbox; resume them to see its toast",
    test_do_not_disturb: "Held back by the desktop, whose do-not-disturb mode is on. Switch that off there to see toasts",
    test_in_focus: "Not shown, as this window has the focus and toasts are off while it has. It is in the inbox",
    test_no_daemon: "This desktop has no notification service. Start one, for example dunst; Tidings finds it by itself",
    test_refused: "The notification service did not take it. The log says why",
    test_source: "Not shown: this computer may not show toasts, or not for this priority. Sources has that setting",
    test_nothing: "No toast came. A rule, or what its thread may tell, keeps it back",
    background_title: "Tidings goes on in the background",
    background_body: |keys| {
        let press = keys.map(|keys| format!(", or press {keys}")).unwrap_or_default();
        format!("Start it again to open its window{press}. Settings, General has the switch for this.")
    },
    shortcut_taken: |keys| format!("Another program has {keys}. Choose other keys"),
    shortcut_invalid: "Choose a key together with Ctrl, Alt or Super",
    shortcut_unsupported: "Under Wayland the desktop alone gives out such keys. Add one in its keyboard settings that starts \
        “tidings-desktop”: a second start shows the window",
};

static ZH_CN: DesktopStrings = DesktopStrings {
    test_title: "Tidings",
    test_body: "一条测试通知",
    test_shown: "桌面已显示",
    test_quiet: |time| format!("免打扰到 {time}，暂不显示。通知已在收件箱，弹窗到时出现"),
    test_paused: "弹窗已暂停，没有显示。通知已在收件箱，恢复弹窗后可见",
    test_do_not_disturb: "桌面处于勿扰模式，没有显示。在桌面关闭勿扰模式后可见弹窗",
    test_in_focus: "窗口处于焦点时不显示弹窗，所以没有显示。通知已在收件箱",
    test_no_daemon: "这个桌面没有通知服务。启动一个，例如 dunst；Tidings 会自动找到它",
    test_refused: "通知服务没有接受。原因见日志",
    test_source: "没有显示：本机来源不允许弹窗，或优先级不够。可在“来源”中设置",
    test_nothing: "没有弹窗出现。规则或会话的通知设置阻止了它",
    background_title: "Tidings 在后台继续运行",
    background_body: |keys| {
        let press = keys.map(|keys| format!("，或按 {keys}")).unwrap_or_default();
        format!("再次启动即可打开窗口{press}。开关在“设置”的“通用”里。")
    },
    shortcut_taken: |keys| format!("{keys} 已被其他程序占用。换一组按键"),
    shortcut_invalid: "按键要和 Ctrl、Alt 或 Super 一起按",
    shortcut_unsupported: "在 Wayland 下，这样的按键只由桌面分配。在桌面的键盘设置里添加一个启动“tidings-desktop”的快捷键：再次启动会显示窗口",
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
                (table.shortcut_taken)("a"),
            ];
            let text = format!("{table:?}{}", sentences.concat());
            for word in ["!", "！", "lease", "ops", "您", "请"] {
                assert!(!text.contains(word), "{lang:?}: {word}");
            }
        }
    }
}
