//! The number on the tray, its tooltip and its menu. Refuses to count: the replica's numbers are shown as they are.

use tidings_model::Lang;
use tidings_replica::ThreadId;

use crate::words::words;

/// Which of the pre-drawn pictures the tray shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Badge {
    /// Nothing new.
    #[default]
    None,
    /// 1 to 9 unread.
    Number(u8),
    /// More than 9.
    NinePlus,
}

impl Badge {
    /// The picture for a number of unread items.
    pub fn of(unread: u64) -> Self {
        match u8::try_from(unread) {
            Ok(0) => Self::None,
            Ok(n @ 1..=9) => Self::Number(n),
            _ => Self::NinePlus,
        }
    }

    /// The picture's name: `none`, `1` to `9`, `9plus`.
    pub fn picture(self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Number(n) => n.to_string(),
            Self::NinePlus => "9plus".to_owned(),
        }
    }
}

/// Everything that the tray shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrayView {
    /// The picture.
    pub badge: Badge,
    /// Toasts are paused: the picture is fainter.
    pub paused: bool,
    /// The number in words.
    pub tooltip: String,
    /// The menu, from above.
    pub menu: Vec<MenuLine>,
}

/// A line of the tray's menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MenuLine {
    /// Something to choose.
    Item {
        /// What it says.
        label: String,
        /// What it asks for.
        wish: MenuWish,
        /// It can be chosen now.
        enabled: bool,
    },
    /// A line between groups.
    Separator,
}

/// What a line of the menu asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuWish {
    /// Show the window.
    Open,
    /// Show this thread.
    Thread(ThreadId),
    /// Mark everything read.
    MarkAllRead,
    /// Pause or resume toasts.
    TogglePause,
    /// End the program.
    Quit,
}

/// Unread threads in the menu at most.
pub const NEXT_UNREAD: usize = 5;

/// What the tray shows for a number, the next unread threads and the pause.
pub fn tray(lang: Lang, unread: u64, next: &[(ThreadId, String)], paused: bool) -> TrayView {
    let table = words(lang);
    let item = |label: &str, wish, enabled| MenuLine::Item { label: label.to_owned(), wish, enabled };
    let mut menu = vec![item(table.menu_open, MenuWish::Open, true), MenuLine::Separator];
    if !next.is_empty() {
        menu.extend(
            next.iter().take(NEXT_UNREAD).map(|(id, label)| item(label, MenuWish::Thread(*id), true)),
        );
        menu.push(MenuLine::Separator);
    }
    menu.push(item(table.menu_mark_all_read, MenuWish::MarkAllRead, unread > 0));
    let pause = if paused { table.menu_resume } else { table.menu_pause };
    menu.push(item(pause, MenuWish::TogglePause, true));
    menu.push(MenuLine::Separator);
    menu.push(item(table.menu_quit, MenuWish::Quit, true));
    let mut tooltip = (table.unread)(unread);
    if paused {
        tooltip.push('\n');
        tooltip.push_str(table.paused);
    }
    TrayView { badge: Badge::of(unread), paused, tooltip, menu }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_badge_counts_to_nine() {
        let pictures: Vec<String> = [0, 1, 9, 10, 12_400].map(|n| Badge::of(n).picture()).into();
        assert_eq!(pictures, ["none", "1", "9", "9plus", "9plus"]);
    }

    #[test]
    fn the_menu_offers_the_next_unread_ones() {
        let next: Vec<(ThreadId, String)> = (1..=7).map(|i| (i, format!("thread {i}"))).collect();
        let view = tray(Lang::En, 7, &next, false);
        let labels: Vec<&str> = view
            .menu
            .iter()
            .filter_map(|line| match line {
                MenuLine::Item { label, .. } => Some(label.as_str()),
                MenuLine::Separator => None,
            })
            .collect();
        assert_eq!(labels.len(), 9);
        assert_eq!(labels.first(), Some(&"Open Tidings"));
        assert_eq!(labels.last(), Some(&"Quit"));
        assert_eq!(view.tooltip, "7 unread");
    }

    #[test]
    fn a_pause_is_said_and_can_be_ended() {
        let view = tray(Lang::ZhCn, 0, &[], true);
        assert_eq!(view.tooltip, "全部已读\n弹窗已暂停");
        assert!(view.menu.iter().any(|l| matches!(l, MenuLine::Item { label, .. } if label == "恢复弹窗")));
        assert!(view.menu.contains(&MenuLine::Item {
            label: "全部标为已读".into(),
            wish: MenuWish::MarkAllRead,
            enabled: false
        }));
    }
}
