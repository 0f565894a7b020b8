//! What the tray shows: the badge, its tooltip and its menu.

use tidings_model::Lang;
use tidings_replica::ThreadId;

use crate::strings::strings;

/// Which of the pre-drawn pictures the tray shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Badge {
    /// Nothing new.
    #[default]
    None,
    /// Something that does not count is new.
    Dot,
    /// 1 to 9 unread.
    Number(u8),
    /// More than 9.
    NinePlus,
}

impl Badge {
    /// The picture for a number of unread items.
    ///
    /// ```
    /// use tidings_app::notify::badge::Badge;
    ///
    /// assert_eq!(Badge::of(3).picture(), "3");
    /// assert_eq!(Badge::of(12_400), Badge::NinePlus);
    /// ```
    pub fn of(unread: u64) -> Self {
        match u8::try_from(unread) {
            Ok(0) => Self::None,
            Ok(n @ 1..=9) => Self::Number(n),
            _ => Self::NinePlus,
        }
    }

    /// The picture's name: `none`, `dot`, `1` to `9`, `9plus`.
    pub fn picture(self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Dot => "dot".to_owned(),
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
    /// Toasts are paused, or these are quiet hours: the picture is fainter.
    pub faint: bool,
    /// The number of unread items and why toasts are silent.
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
        action: MenuAction,
        /// It can be chosen now.
        enabled: bool,
    },
    /// A line between groups.
    Separator,
}

/// What a line of the menu asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuAction {
    /// Show the window.
    Open,
    /// Show this thread.
    Thread(ThreadId),
    /// Mark everything read.
    MarkAllRead,
    /// Pause or resume toasts.
    TogglePause,
    /// Pause toasts for an hour.
    PauseHour,
    /// Pause toasts until tomorrow morning.
    PauseTomorrow,
    /// End the program.
    Quit,
}

/// Unread threads in the menu at most.
pub const NEXT_UNREAD: usize = 5;

/// What the tray shows besides the next unread threads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Count {
    /// What stands on the badge.
    pub badge: u64,
    /// What no list has shown, also where it does not count.
    pub unseen: u64,
    /// Whether toasts are silent.
    pub silence: Silenced,
}

/// Whether toasts are silent, as the tray says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Silenced {
    /// They are not.
    #[default]
    No,
    /// They were paused.
    Paused,
    /// These are quiet hours; until then, as a clock says it.
    Quiet(String),
}

/// What the tray shows for a number, the next unread threads and a silence.
pub fn tray(lang: Lang, count: &Count, next: &[(ThreadId, String)]) -> TrayView {
    let unread = count.badge;
    let paused = count.silence == Silenced::Paused;
    let table = strings(lang);
    let item = |label: &str, action, enabled| MenuLine::Item { label: label.to_owned(), action, enabled };
    let mut menu = vec![item(table.menu_open, MenuAction::Open, true), MenuLine::Separator];
    if !next.is_empty() {
        menu.extend(
            next.iter().take(NEXT_UNREAD).map(|(id, label)| item(label, MenuAction::Thread(*id), true)),
        );
        menu.push(MenuLine::Separator);
    }
    menu.push(item(table.menu_mark_all_read, MenuAction::MarkAllRead, unread + count.unseen > 0));
    let pause = if paused { table.menu_resume } else { table.menu_pause };
    menu.push(item(pause, MenuAction::TogglePause, true));
    if !paused {
        menu.push(item(table.menu_pause_hour, MenuAction::PauseHour, true));
        menu.push(item(table.menu_pause_tomorrow, MenuAction::PauseTomorrow, true));
    }
    menu.push(MenuLine::Separator);
    menu.push(item(table.menu_quit, MenuAction::Quit, true));
    let mut tooltip = (table.unread)(unread);
    match &count.silence {
        Silenced::No => {}
        Silenced::Paused => tooltip.extend(["\n", table.paused]),
        Silenced::Quiet(until) => tooltip.extend(["\n", &(table.quiet_until)(until)]),
    }
    let badge = match Badge::of(unread) {
        Badge::None if count.unseen > 0 => Badge::Dot,
        badge => badge,
    };
    TrayView { badge, faint: count.silence != Silenced::No, tooltip, menu }
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
        let view = tray(Lang::En, &Count { badge: 7, ..Count::default() }, &next);
        let labels: Vec<&str> = view
            .menu
            .iter()
            .filter_map(|line| match line {
                MenuLine::Item { label, .. } => Some(label.as_str()),
                MenuLine::Separator => None,
            })
            .collect();
        assert_eq!(labels.len(), 11);
        assert_eq!(labels.first(), Some(&"Open Tidings"));
        assert_eq!(labels.last(), Some(&"Quit"));
        assert_eq!(view.tooltip, "7 unread");
    }

    #[test]
    fn a_pause_is_said_and_can_be_ended() {
        let view = tray(Lang::ZhCn, &Count { silence: Silenced::Paused, ..Count::default() }, &[]);
        assert_eq!(view.tooltip, "全部已读\n弹窗已暂停");
        assert!(view.menu.iter().any(|l| matches!(l, MenuLine::Item { label, .. } if label == "恢复弹窗")));
        assert!(view.menu.contains(&MenuLine::Item {
            label: "全部标为已读".into(),
            action: MenuAction::MarkAllRead,
            enabled: false
        }));
        assert!(!view.menu.iter().any(|l| matches!(l, MenuLine::Item { action: MenuAction::PauseHour, .. })));
    }

    #[test]
    fn quiet_hours_are_faint_and_say_until_when() {
        let silence = Silenced::Quiet("10:00".into());
        let view = tray(Lang::En, &Count { badge: 3, unseen: 3, silence }, &[]);
        assert_eq!((view.faint, view.tooltip.as_str()), (true, "3 unread\nQuiet until 10:00"));
        assert!(
            view.menu
                .iter()
                .any(|l| matches!(l, MenuLine::Item { label, .. } if label == "Pause until tomorrow"))
        );
    }

    #[test]
    fn what_is_new_and_does_not_count_is_a_dot() {
        let badge = |badge, unseen| tray(Lang::En, &Count { badge, unseen, ..Count::default() }, &[]).badge;
        assert_eq!([badge(0, 0), badge(0, 2), badge(1, 2)], [Badge::None, Badge::Dot, Badge::Number(1)]);
    }
}
