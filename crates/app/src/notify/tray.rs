//! The content of the tray: the badge, the tooltip and the menu.

use tidings_ipc::UnreadCount;
use tidings_model::Lang;
use tidings_ports::{Badge, MenuAction, MenuLine, TrayView};
use tidings_replica::ThreadId;
use tidings_strings::strings;

/// The most unread threads in the menu.
pub const MAX_MENU_THREADS: usize = 5;

/// The counts and the silence that the tray shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrayState {
    /// Unread items.
    pub unread: UnreadCount,
    /// Unread items that no list has shown, also those that are not counted on the badge.
    pub unseen: u64,
    /// The silence in force.
    pub silence: TraySilence,
}

/// The silence in force, as the tray shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TraySilence {
    /// None.
    #[default]
    None,
    /// A pause.
    Paused,
    /// Quiet hours, with their end as a time of day (`07:00`).
    QuietHours(String),
}

/// The numbers of unread items in words, as the tray, the window and the terminal have them: `50 unread, 10 quiet`.
/// A number of 0 is left out.
pub fn unread_text(lang: Lang, count: UnreadCount) -> String {
    strings(lang).unread(count)
}

/// The content of the tray for counts, the next unread threads with their labels, and a silence.
pub fn tray(lang: Lang, state: &TrayState, next: &[(ThreadId, String)]) -> TrayView {
    let UnreadCount { unread, counted } = state.unread;
    let paused = state.silence == TraySilence::Paused;
    let table = strings(lang);
    let item = |label: &str, action, enabled| MenuLine::Item { label: label.to_owned(), action, enabled };
    let mut menu = vec![item(table.menu_open, MenuAction::Open, true), MenuLine::Separator];
    if !next.is_empty() {
        menu.extend(
            next.iter().take(MAX_MENU_THREADS).map(|(id, label)| item(label, MenuAction::Thread(*id), true)),
        );
        menu.push(MenuLine::Separator);
    }
    menu.push(item(table.menu_mark_all_read, MenuAction::MarkAllRead, unread > 0));
    let pause = if paused { table.menu_resume } else { table.menu_pause };
    menu.push(item(pause, MenuAction::TogglePause, true));
    if !paused {
        menu.push(item(table.menu_pause_hour, MenuAction::PauseHour, true));
        menu.push(item(table.menu_pause_tomorrow, MenuAction::PauseTomorrow, true));
    }
    menu.push(MenuLine::Separator);
    menu.push(item(table.menu_quit, MenuAction::Quit, true));
    let mut tooltip = unread_text(lang, state.unread);
    match &state.silence {
        TraySilence::None => {}
        TraySilence::Paused => tooltip.extend(["\n", table.paused]),
        TraySilence::QuietHours(until) => tooltip.extend(["\n", &(table.quiet_until)(until)]),
    }
    let badge = match Badge::of(counted) {
        Badge::None if state.unseen > 0 => Badge::Dot,
        badge => badge,
    };
    TrayView { badge, faint: state.silence != TraySilence::None, tooltip, menu }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_counted(n: u64) -> UnreadCount {
        UnreadCount { unread: n, counted: n }
    }

    #[test]
    fn the_menu_offers_the_next_unread_ones() {
        let next: Vec<(ThreadId, String)> = (1..=7).map(|i| (i, format!("thread {i}"))).collect();
        let view = tray(Lang::En, &TrayState { unread: all_counted(7), ..TrayState::default() }, &next);
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
        let view = tray(Lang::ZhCn, &TrayState { silence: TraySilence::Paused, ..TrayState::default() }, &[]);
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
        let silence = TraySilence::QuietHours("10:00".into());
        let view = tray(Lang::En, &TrayState { unread: all_counted(3), unseen: 3, silence }, &[]);
        assert_eq!((view.faint, view.tooltip.as_str()), (true, "3 unread\nQuiet until 10:00"));
        assert!(
            view.menu
                .iter()
                .any(|l| matches!(l, MenuLine::Item { label, .. } if label == "Pause toasts until tomorrow"))
        );
    }

    #[test]
    fn what_is_new_and_does_not_count_is_a_dot() {
        let badge = |counted, unseen| {
            let unread = UnreadCount { unread: counted + unseen, counted };
            tray(Lang::En, &TrayState { unread, unseen, ..TrayState::default() }, &[]).badge
        };
        assert_eq!([badge(0, 0), badge(0, 2), badge(1, 2)], [Badge::None, Badge::Dot, Badge::Number(1)]);
    }

    #[test]
    fn the_tooltip_names_both_numbers_where_they_differ() {
        let text = |lang, unread, counted| unread_text(lang, UnreadCount { unread, counted });
        let english =
            [(0, 0), (50, 50), (60, 50), (1_482, 0)].map(|(all, counted)| text(Lang::En, all, counted));
        assert_eq!(english, ["All read", "50 unread", "50 unread, 10 quiet", "1,482 quiet"]);
        assert_eq!(text(Lang::ZhCn, 60, 50), "50 条未读，10 条静默");
        let muted = TrayState { unread: UnreadCount { unread: 3, counted: 0 }, ..TrayState::default() };
        let can_mark = |line: &MenuLine| {
            matches!(line, MenuLine::Item { action: MenuAction::MarkAllRead, enabled: true, .. })
        };
        assert!(
            tray(Lang::En, &muted, &[]).menu.iter().any(can_mark),
            "what is muted can be marked read, too"
        );
    }
}
