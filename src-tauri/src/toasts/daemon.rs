//! The daemon's ids of the toasts on screen, and the translation of a toast to its daemon's capabilities. Text is
//! escaped if the daemon reads markup.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tidings_ports::{DesktopRequest, Toast, ToastKey, ToastRef, Urgency};
use tidings_sync::session::plays_sounds;

/// The capabilities of a notification daemon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub(super) actions: bool,
    pub(super) body: bool,
    pub(super) markup: bool,
    pub(super) sound: bool,
    pub(super) reply: bool,
}

impl Capabilities {
    /// Those that the daemon with this name tells of.
    pub(super) fn from_names(daemon: &str, names: &[String]) -> Self {
        let has = |name: &str| names.iter().any(|w| w == name);
        Self {
            actions: has("actions"),
            body: has("body"),
            markup: has("body-markup"),
            sound: plays_sounds(daemon, names),
            reply: has(REPLY_KEY),
        }
    }

    /// The body for this daemon: escaped if it reads markup, empty if it shows no bodies.
    pub(super) fn body(self, text: &str) -> String {
        match (self.body, self.markup) {
            (false, _) => String::new(),
            (true, false) => text.to_owned(),
            (true, true) => escape(text),
        }
    }

    /// The title; followed by the body if the daemon shows titles only.
    pub(super) fn summary(self, toast: &Toast) -> String {
        if self.body || toast.body.is_empty() {
            toast.title.clone()
        } else {
            format!("{}: {}", toast.title, toast.body.replace('\n', " "))
        }
    }

    /// Keys and labels of the buttons, alternating as the specification has them.
    pub(super) fn buttons(self, toast: &Toast) -> Vec<&str> {
        if !self.actions {
            return Vec::new();
        }
        let mut buttons = vec!["default", toast.open.as_str()];
        if let Some(reply) = toast.reply.as_deref().filter(|_| self.reply) {
            buttons.extend([REPLY_KEY, reply]);
        }
        if let Some(read) = &toast.read {
            buttons.extend(["read", read]);
        }
        if let Some(archive) = &toast.archive {
            buttons.extend(["archive", archive]);
        }
        for (key, label) in ITEM_BUTTON_KEYS.into_iter().zip(&toast.actions) {
            buttons.extend([key, label]);
        }
        buttons
    }
}

/// The capability of daemons whose toasts have a field for an answer in words, and the key of the button that opens it.
const REPLY_KEY: &str = "inline-reply";
/// The keys of an item's own buttons, by index.
const ITEM_BUTTON_KEYS: [&str; 3] = ["own-0", "own-1", "own-2"];

/// The request of a pressed button.
fn button(toast: ToastRef, token: Option<String>, pressed: &str) -> DesktopRequest {
    match pressed {
        "read" => DesktopRequest::ToastRead(toast),
        "archive" => DesktopRequest::ToastArchive(toast),
        other => match ITEM_BUTTON_KEYS.iter().position(|own| *own == other) {
            Some(index) => DesktopRequest::ToastAction { toast, index },
            None => DesktopRequest::ToastOpen { toast, token },
        },
    }
}

/// The urgency level of the specification; never critical in do-not-disturb mode.
pub(super) const fn urgency(urgency: Urgency, do_not_disturb: bool) -> u8 {
    match (urgency, do_not_disturb) {
        (Urgency::Low, _) => 0,
        (Urgency::Critical, false) => 2,
        (Urgency::Normal | Urgency::Critical, _) => 1,
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The shortest time between two changes of a toast: faster ones cannot be read, and daemons refuse floods.
const MIN_CHANGE_INTERVAL: Duration = Duration::from_secs(1);

/// The daemon's ids of the toasts on screen.
#[derive(Debug, Default)]
pub(super) struct ShownToasts {
    toasts: HashMap<ToastKey, ShownToast>,
    keys: HashMap<u32, ToastKey>,
    /// Activation tokens that arrived before their click, by the daemon's id.
    tokens: HashMap<u32, String>,
}

#[derive(Debug, Clone, Copy)]
struct ShownToast {
    id: u32,
    serial: u64,
    changed: Instant,
}

/// A toast that was taken off the screen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RemovedToast {
    pub(super) toast: ToastRef,
    /// The desktop's activation token.
    pub(super) token: Option<String>,
}

impl ShownToasts {
    /// The daemon's id of the toast to replace; 0 for none.
    pub(super) fn id(&self, key: ToastKey) -> u32 {
        self.toasts.get(&key).map_or(0, |shown| shown.id)
    }

    /// The daemon's ids of all toasts.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        self.keys.keys().copied()
    }

    /// The time from which a toast may change again; `None` if it may now.
    pub(super) fn resting_until(&self, key: ToastKey, now: Instant) -> Option<Instant> {
        self.toasts.get(&key).map(|shown| shown.changed + MIN_CHANGE_INTERVAL).filter(|until| *until > now)
    }

    pub(super) fn record_shown(&mut self, toast: ToastRef, id: u32, changed: Instant) {
        let ToastRef { key, serial } = toast;
        let before = self.toasts.insert(key, ShownToast { id, serial, changed });
        if let Some(before) = before.filter(|before| before.id != id) {
            self.keys.remove(&before.id);
        }
        self.keys.insert(id, key);
    }

    pub(super) fn set_token(&mut self, id: u32, token: String) {
        if self.keys.contains_key(&id) {
            self.tokens.insert(id, token);
        }
    }

    /// Takes out a toast that was clicked or closed.
    pub(super) fn remove(&mut self, id: u32) -> Option<RemovedToast> {
        let key = self.keys.remove(&id)?;
        let shown = self.toasts.remove(&key)?;
        Some(RemovedToast { toast: ToastRef { key, serial: shown.serial }, token: self.tokens.remove(&id) })
    }

    /// Takes out a toast of which a button was pressed. Returns the request of that button.
    pub(super) fn click(&mut self, id: u32, pressed: &str) -> Option<DesktopRequest> {
        let RemovedToast { toast, token } = self.remove(id)?;
        Some(button(toast, token, pressed))
    }

    /// Takes out a toast in which an answer was written. Returns its request; `None` for an answer without words.
    pub(super) fn reply(&mut self, id: u32, text: &str) -> Option<DesktopRequest> {
        if text.trim().is_empty() {
            return None;
        }
        let RemovedToast { toast, .. } = self.remove(id)?;
        Some(DesktopRequest::ToastReply { toast, text: text.to_owned() })
    }

    /// Takes out a toast that is to be closed. Returns the daemon's id.
    pub(super) fn remove_key(&mut self, key: ToastKey) -> Option<u32> {
        let shown = self.toasts.remove(&key)?;
        self.keys.remove(&shown.id);
        self.tokens.remove(&shown.id);
        Some(shown.id)
    }

    /// Takes out all toasts, because the daemon ended.
    pub(super) fn remove_all(&mut self) -> Vec<ToastRef> {
        let all = std::mem::take(self);
        all.toasts.into_iter().map(|(key, shown)| ToastRef { key, serial: shown.serial }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toast() -> Toast {
        Toast {
            key: ToastKey::Thread(7),
            serial: 1,
            title: "backups <b>".into(),
            body: "a & b <img src=x>\ndone".into(),
            urgency: Urgency::Normal,
            open: "Open".into(),
            read: Some("Mark read".into()),
            archive: Some("Archive".into()),
            actions: vec!["Restart".into(), "Log".into(), "More".into(), "Too many".into()],
            reply: Some("Reply".into()),
            sound: tidings_ipc::Sound::MESSAGE,
        }
    }

    fn toast_ref(serial: u64) -> ToastRef {
        ToastRef { key: ToastKey::Thread(7), serial }
    }

    fn capabilities(names: &[&str]) -> Capabilities {
        of_daemon("dunst", names)
    }

    fn of_daemon(daemon: &str, names: &[&str]) -> Capabilities {
        Capabilities::from_names(daemon, &names.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_daemon_gets_what_it_can_show() {
        let full = capabilities(&["actions", "body", "body-markup"]);
        assert_eq!(full.body(&toast().body), "a &amp; b &lt;img src=x&gt;\ndone");
        assert_eq!(full.summary(&toast()), "backups <b>", "a title is never markup");
        let buttons = ["default", "Open", "read", "Mark read", "archive", "Archive"];
        let own = ["own-0", "Restart", "own-1", "Log", "own-2", "More"];
        assert_eq!(full.buttons(&toast()), [buttons.as_slice(), own.as_slice()].concat());
        let replies = capabilities(&["actions", "inline-reply"]);
        assert_eq!(replies.buttons(&toast())[2..4], ["inline-reply", "Reply"]);
        let plain = capabilities(&["body", "inline-reply"]);
        assert_eq!(plain.body(&toast().body), toast().body);
        assert!(plain.buttons(&toast()).is_empty());
        let minimal = capabilities(&[]);
        assert_eq!(minimal.body(&toast().body), "");
        assert_eq!(minimal.summary(&toast()), "backups <b>: a & b <img src=x> done");
    }

    #[test]
    fn a_daemon_that_knows_no_sound_by_its_name_is_told_of_none() {
        assert!(of_daemon("gnome-shell", &["sound"]).sound);
        assert!(!of_daemon("gnome-shell", &[]).sound);
        assert!(!of_daemon("Notification Daemon", &["sound"]).sound, "MATE's");
    }

    #[test]
    fn a_button_asks_for_what_it_says() {
        let toast = toast_ref(3);
        assert_eq!(button(toast, None, "archive"), DesktopRequest::ToastArchive(toast));
        assert_eq!(button(toast, None, "own-1"), DesktopRequest::ToastAction { toast, index: 1 });
        let open = DesktopRequest::ToastOpen { toast, token: Some("t".into()) };
        assert_eq!(button(toast, Some("t".into()), "default"), open);
    }

    #[test]
    fn nothing_is_critical_while_the_desktop_is_not_to_be_disturbed() {
        let all = [Urgency::Low, Urgency::Normal, Urgency::Critical];
        assert_eq!(all.map(|u| urgency(u, false)), [0, 1, 2]);
        assert_eq!(all.map(|u| urgency(u, true)), [0, 1, 1]);
    }

    #[test]
    fn a_click_counts_once() {
        let mut screen = ShownToasts::default();
        screen.record_shown(toast_ref(1), 40, Instant::now());
        assert_eq!(screen.id(ToastKey::Thread(7)), 40);
        screen.set_token(40, "t".into());
        let removed = RemovedToast { toast: toast_ref(1), token: Some("t".into()) };
        assert_eq!(screen.remove(40), Some(removed));
        assert_eq!(screen.remove(40), None);
        assert_eq!(screen.id(ToastKey::Thread(7)), 0);
    }

    #[test]
    fn a_toast_that_just_changed_rests() {
        let (mut screen, key, now) = (ShownToasts::default(), ToastKey::Thread(7), Instant::now());
        assert_eq!(screen.resting_until(key, now), None, "a new one has no time to lose");
        screen.record_shown(toast_ref(1), 40, now);
        assert_eq!(screen.resting_until(key, now + MIN_CHANGE_INTERVAL / 2), Some(now + MIN_CHANGE_INTERVAL));
        assert_eq!(screen.resting_until(key, now + MIN_CHANGE_INTERVAL), None);
        screen.remove(40);
        assert_eq!(screen.resting_until(key, now), None);
    }

    #[test]
    fn a_daemon_that_gives_a_new_number_leaves_no_old_one_behind() {
        let mut screen = ShownToasts::default();
        screen.record_shown(toast_ref(1), 40, Instant::now());
        screen.record_shown(toast_ref(2), 41, Instant::now());
        assert_eq!(screen.remove(40), None);
        assert_eq!(screen.remove_key(ToastKey::Thread(7)), Some(41));
        assert!(screen.remove_all().is_empty());
    }
}
