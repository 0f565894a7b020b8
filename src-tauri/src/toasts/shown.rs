//! The daemon's ids of the toasts on screen, and the translation of a toast to its daemon's capabilities. Text is
//! escaped where the daemon reads markup.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tidings_app::notify::toast_policy::{ToastKey, Urgency};
use tidings_app::ports::{DesktopRequest, Toast, ToastRef};

/// The capabilities of a notification daemon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub(super) actions: bool,
    pub(super) body: bool,
    pub(super) markup: bool,
}

impl Capabilities {
    pub(super) fn from_words(words: &[String]) -> Self {
        let has = |word: &str| words.iter().any(|w| w == word);
        Self { actions: has("actions"), body: has("body"), markup: has("body-markup") }
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
        if let Some(read) = &toast.read {
            buttons.extend(["read", read]);
        }
        if let Some(archive) = &toast.archive {
            buttons.extend(["archive", archive]);
        }
        for (key, label) in OWN.into_iter().zip(&toast.actions) {
            buttons.extend([key, label]);
        }
        buttons
    }
}

/// The keys of an item's own buttons, by index.
const OWN: [&str; 3] = ["own-0", "own-1", "own-2"];

/// The request of a pressed button.
pub(super) fn button(toast: ToastRef, token: Option<String>, pressed: &str) -> DesktopRequest {
    match pressed {
        "read" => DesktopRequest::ToastRead(toast),
        "archive" => DesktopRequest::ToastArchive(toast),
        other => match OWN.iter().position(|own| *own == other) {
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
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
    out
}

/// The shortest time between two changes of a toast: faster ones cannot be read, and daemons refuse floods.
const REST: Duration = Duration::from_secs(1);

/// The daemon's ids of the toasts on screen.
#[derive(Debug, Default)]
pub(super) struct ShownToasts {
    numbers: HashMap<ToastKey, Numbered>,
    keys: HashMap<u32, ToastKey>,
    /// Activation tokens that arrived before their click, by the daemon's id.
    tokens: HashMap<u32, String>,
}

#[derive(Debug, Clone, Copy)]
struct Numbered {
    number: u32,
    serial: u64,
    changed: Instant,
}

/// A toast that was taken off the screen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) toast: ToastRef,
    /// The desktop's activation token.
    pub(super) token: Option<String>,
}

impl ShownToasts {
    /// The daemon's id of the toast to replace; 0 for none.
    pub(super) fn number(&self, key: ToastKey) -> u32 {
        self.numbers.get(&key).map_or(0, |shown| shown.number)
    }

    /// The time from which a toast may change again; `None` where it may now.
    pub(super) fn rests(&self, key: ToastKey, now: Instant) -> Option<Instant> {
        self.numbers.get(&key).map(|shown| shown.changed + REST).filter(|until| *until > now)
    }

    pub(super) fn shown(&mut self, toast: ToastRef, number: u32, changed: Instant) {
        let ToastRef { key, serial } = toast;
        let before = self.numbers.insert(key, Numbered { number, serial, changed });
        if let Some(before) = before.filter(|before| before.number != number) {
            self.keys.remove(&before.number);
        }
        self.keys.insert(number, key);
    }

    pub(super) fn token(&mut self, number: u32, token: String) {
        if self.keys.contains_key(&number) {
            self.tokens.insert(number, token);
        }
    }

    /// Takes out a toast that was clicked or closed.
    pub(super) fn take(&mut self, number: u32) -> Option<Taken> {
        let key = self.keys.remove(&number)?;
        let shown = self.numbers.remove(&key)?;
        Some(Taken { toast: ToastRef { key, serial: shown.serial }, token: self.tokens.remove(&number) })
    }

    /// Takes out a toast that is to be closed. Returns the daemon's id.
    pub(super) fn take_key(&mut self, key: ToastKey) -> Option<u32> {
        let shown = self.numbers.remove(&key)?;
        self.keys.remove(&shown.number);
        self.tokens.remove(&shown.number);
        Some(shown.number)
    }

    /// Takes out all toasts, because the daemon ended.
    pub(super) fn take_all(&mut self) -> Vec<ToastRef> {
        let all = std::mem::take(self);
        all.numbers.into_iter().map(|(key, shown)| ToastRef { key, serial: shown.serial }).collect()
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
            sound: true,
        }
    }

    fn seen(serial: u64) -> ToastRef {
        ToastRef { key: ToastKey::Thread(7), serial }
    }

    fn able(words: &[&str]) -> Capabilities {
        Capabilities::from_words(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_daemon_gets_what_it_can_show() {
        let full = able(&["actions", "body", "body-markup"]);
        assert_eq!(full.body(&toast().body), "a &amp; b &lt;img src=x&gt;\ndone");
        assert_eq!(full.summary(&toast()), "backups <b>", "a title is never markup");
        let buttons = ["default", "Open", "read", "Mark read", "archive", "Archive"];
        let own = ["own-0", "Restart", "own-1", "Log", "own-2", "More"];
        assert_eq!(full.buttons(&toast()), [buttons.as_slice(), own.as_slice()].concat());
        let plain = able(&["body"]);
        assert_eq!(plain.body(&toast().body), toast().body);
        assert!(plain.buttons(&toast()).is_empty());
        let bare = able(&[]);
        assert_eq!(bare.body(&toast().body), "");
        assert_eq!(bare.summary(&toast()), "backups <b>: a & b <img src=x> done");
    }

    #[test]
    fn a_button_asks_for_what_it_says() {
        let toast = seen(3);
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
        screen.shown(seen(1), 40, Instant::now());
        assert_eq!(screen.number(ToastKey::Thread(7)), 40);
        screen.token(40, "t".into());
        let taken = Taken { toast: seen(1), token: Some("t".into()) };
        assert_eq!(screen.take(40), Some(taken));
        assert_eq!(screen.take(40), None);
        assert_eq!(screen.number(ToastKey::Thread(7)), 0);
    }

    #[test]
    fn a_toast_that_just_changed_rests() {
        let (mut screen, key, now) = (ShownToasts::default(), ToastKey::Thread(7), Instant::now());
        assert_eq!(screen.rests(key, now), None, "a new one has no time to lose");
        screen.shown(seen(1), 40, now);
        assert_eq!(screen.rests(key, now + REST / 2), Some(now + REST));
        assert_eq!(screen.rests(key, now + REST), None);
        screen.take(40);
        assert_eq!(screen.rests(key, now), None);
    }

    #[test]
    fn a_daemon_that_gives_a_new_number_leaves_no_old_one_behind() {
        let mut screen = ShownToasts::default();
        screen.shown(seen(1), 40, Instant::now());
        screen.shown(seen(2), 41, Instant::now());
        assert_eq!(screen.take(40), None);
        assert_eq!(screen.take_key(ToastKey::Thread(7)), Some(41));
        assert!(screen.take_all().is_empty());
    }
}
