//! The global shortcut as a grab on the X server.

use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;

use parking_lot::Mutex;
use tidings_net::supervise;
use tidings_ports::{DesktopRequest, GlobalShortcut, ShortcutError};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use x11rb::connection::Connection;
use x11rb::errors::{ConnectionError, ReplyError};
use x11rb::protocol::xproto::{ConnectionExt, GrabMode, Keycode, Keysym, ModMask, Window};
use x11rb::protocol::{ErrorKind, Event};
use x11rb::rust_connection::RustConnection;

/// Caps Lock and Num Lock, which are held down as far as a grab is concerned.
const LOCKS: [u16; 4] = [0, LOCK, NUM_LOCK, LOCK | NUM_LOCK];
const LOCK: u16 = 1 << 1;
const NUM_LOCK: u16 = 1 << 4;

/// The adapter of the port for the global shortcut on X11.
pub(super) struct GlobalKeys {
    requests: UnboundedSender<DesktopRequest>,
    state: Arc<Mutex<GlobalKeysState>>,
}

#[derive(Default)]
struct GlobalKeysState {
    /// The connection on which keys are grabbed; made when the first are set.
    server: Option<Arc<Server>>,
    /// What is grabbed.
    keys: Option<Keys>,
}

struct Server {
    connection: RustConnection,
    root: Window,
    /// Notified when something was read from the connection elsewhere.
    looked: Notify,
}

/// Keys as an X server has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Keys {
    modifiers: u16,
    keysym: Keysym,
}

impl GlobalKeys {
    pub(super) fn new(requests: UnboundedSender<DesktopRequest>) -> Self {
        Self { requests, state: Arc::default() }
    }

    /// The connection, made if there is none, with a task that listens on it.
    fn server(&self, state: &mut GlobalKeysState) -> Result<Arc<Server>, ShortcutError> {
        if let Some(server) = &state.server {
            return Ok(Arc::clone(server));
        }
        let server = Arc::new(Server::connect()?);
        state.server = Some(Arc::clone(&server));
        let (requests, shared) = (self.requests.clone(), Arc::clone(&self.state));
        let listening = Arc::clone(&server);
        supervise::once("the global shortcut", async move {
            if let Err(error) = listening.listen(&requests, &shared).await {
                tracing::warn!(%error, "the global shortcut ended with the X server");
            }
            // The next keys make a new connection.
            *shared.lock() = GlobalKeysState::default();
        });
        Ok(server)
    }
}

impl GlobalShortcut for GlobalKeys {
    fn is_supported(&self) -> bool {
        true
    }

    fn set(&self, keys: Option<&str>) -> Result<(), ShortcutError> {
        let keys = keys.map(|text| parse(text).ok_or(ShortcutError::Invalid)).transpose()?;
        let mut state = self.state.lock();
        let before = state.keys.take();
        if let (Some(server), Some(before)) = (&state.server, before) {
            server.release(before);
        }
        let Some(keys) = keys else { return Ok(()) };
        let server = self.server(&mut state)?;
        server.grab(keys)?;
        state.keys = Some(keys);
        // A reply may have brought a press along, which nothing announces any more.
        server.looked.notify_one();
        Ok(())
    }
}

impl Server {
    fn connect() -> Result<Self, ShortcutError> {
        let (connection, screen) = RustConnection::connect(None).map_err(|error| {
            tracing::warn!(%error, "no X server for the global shortcut");
            ShortcutError::Unsupported
        })?;
        let root = connection.setup().roots.get(screen).ok_or(ShortcutError::Unsupported)?.root;
        Ok(Self { connection, root, looked: Notify::new() })
    }

    /// Grabs keys, with each state of the locks. Nothing stays grabbed if one is another program's.
    fn grab(&self, keys: Keys) -> Result<(), ShortcutError> {
        let keycode = self.keycode(keys.keysym).ok_or(ShortcutError::Invalid)?;
        for locks in LOCKS {
            let modifiers = ModMask::from(keys.modifiers | locks);
            let (root, mode) = (self.root, GrabMode::ASYNC);
            let grabbed = self
                .connection
                .grab_key(false, root, modifiers, keycode, mode, mode)
                .map_err(ReplyError::from)
                .and_then(x11rb::cookie::VoidCookie::check);
            if let Err(error) = grabbed {
                self.release(keys);
                return Err(match error {
                    ReplyError::X11Error(error) if error.error_kind == ErrorKind::Access => {
                        ShortcutError::Taken
                    }
                    error => {
                        tracing::warn!(%error, "the global shortcut was not set");
                        ShortcutError::Invalid
                    }
                });
            }
        }
        Ok(())
    }

    fn release(&self, keys: Keys) {
        let Some(keycode) = self.keycode(keys.keysym) else { return };
        for locks in LOCKS {
            let modifiers = ModMask::from(keys.modifiers | locks);
            if let Ok(released) = self.connection.ungrab_key(keycode, self.root, modifiers) {
                released.ignore_error();
            }
        }
        let _ = self.connection.flush();
    }

    /// The key that writes a symbol, on the layout of now.
    fn keycode(&self, keysym: Keysym) -> Option<Keycode> {
        let (least, last) = (self.connection.setup().min_keycode, self.connection.setup().max_keycode);
        let count = last.checked_sub(least)?.checked_add(1)?;
        let map = self.connection.get_keyboard_mapping(least, count).ok()?.reply().ok()?;
        let each = usize::from(map.keysyms_per_keycode).max(1);
        let at = map.keysyms.chunks(each).position(|symbols| symbols.contains(&keysym))?;
        u8::try_from(at).ok().and_then(|at| least.checked_add(at))
    }

    /// Passes each press to the app until the connection ends. A key that is held down repeats itself as a release
    /// and a press at the same time.
    async fn listen(
        &self,
        requests: &UnboundedSender<DesktopRequest>,
        state: &Mutex<GlobalKeysState>,
    ) -> Result<(), ConnectionError> {
        // The same socket again, of which only the readiness is used; the connection reads it.
        let socket =
            std::os::unix::net::UnixStream::from(self.connection.stream().as_fd().try_clone_to_owned()?);
        let socket = UnixStream::from_std(socket)?;
        let mut released = None;
        loop {
            while let Some(event) = self.connection.poll_for_event()? {
                match event {
                    Event::KeyPress(press) if released != Some(press.time) => {
                        let _ = requests.send(DesktopRequest::ToggleWindow);
                    }
                    Event::KeyRelease(release) => released = Some(release.time),
                    // Another layout: the symbol may be on another key.
                    Event::MappingNotify(_) => self.grab_again(state.lock().keys),
                    _ => {}
                }
            }
            tokio::select! {
                readable = socket.readable() => {
                    readable?;
                    // Forgotten before the connection reads, so that what comes meanwhile is announced again.
                    let nothing = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
                    let _ = socket.try_io(Interest::READABLE, nothing);
                }
                () = self.looked.notified() => {}
            }
        }
    }

    fn grab_again(&self, keys: Option<Keys>) {
        if let Ok(released) = self.connection.ungrab_key(0_u8, self.root, ModMask::ANY) {
            released.ignore_error();
        }
        if let Some(Err(error)) = keys.map(|keys| self.grab(keys)) {
            tracing::warn!(?error, "the new layout has no such keys");
        }
    }
}

/// Keys as the page writes them: `Control+Alt+KeyT`. `None` if there is no modifier but Shift, or no such key.
pub(super) fn parse(text: &str) -> Option<Keys> {
    let mut parts = text.split('+').rev();
    let keysym = keysym(parts.next()?)?;
    let mut modifiers = 0;
    for part in parts {
        modifiers |= match part {
            "Shift" => 1,
            "Control" => 1 << 2,
            "Alt" => 1 << 3,
            "Super" => 1 << 6,
            _ => return None,
        };
    }
    (modifiers > 1).then_some(Keys { modifiers, keysym })
}

/// The symbol of a key, by its name in `KeyboardEvent.code`.
fn keysym(name: &str) -> Option<Keysym> {
    let one = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|_| chars.next().is_none())
    };
    if let Some(letter) = name.strip_prefix("Key").and_then(one).filter(char::is_ascii_uppercase) {
        return Some(u32::from(letter.to_ascii_lowercase()));
    }
    if let Some(digit) = name.strip_prefix("Digit").and_then(one).filter(char::is_ascii_digit) {
        return Some(u32::from(digit));
    }
    if let Some(number) = name.strip_prefix('F').and_then(|number| number.parse::<u32>().ok()) {
        return (1..=24).contains(&number).then_some(0xffbd + number);
    }
    let symbol = match name {
        "Space" => u32::from(' '),
        "Comma" => u32::from(','),
        "Period" => u32::from('.'),
        "Slash" => u32::from('/'),
        "Semicolon" => u32::from(';'),
        "Quote" => u32::from('\''),
        "BracketLeft" => u32::from('['),
        "BracketRight" => u32::from(']'),
        "Backslash" => u32::from('\\'),
        "Minus" => u32::from('-'),
        "Equal" => u32::from('='),
        "Backquote" => u32::from('`'),
        "Home" => 0xff50,
        "ArrowLeft" => 0xff51,
        "ArrowUp" => 0xff52,
        "ArrowRight" => 0xff53,
        "ArrowDown" => 0xff54,
        "PageUp" => 0xff55,
        "PageDown" => 0xff56,
        "End" => 0xff57,
        "Insert" => 0xff63,
        "Delete" => 0xffff,
        _ => return None,
    };
    Some(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_the_page_writes_them() {
        let keys = |modifiers, keysym| Some(Keys { modifiers, keysym });
        assert_eq!(parse("Control+Alt+KeyT"), keys(0b1100, 0x74));
        assert_eq!(parse("Super+Shift+Digit1"), keys(0b100_0001, 0x31));
        assert_eq!(parse("Control+F12"), keys(0b100, 0xffc9));
        assert_eq!(parse("Alt+Space"), keys(0b1000, 0x20));
    }

    #[test]
    fn what_would_take_a_letter_from_every_program_is_refused() {
        for text in
            ["KeyT", "Shift+KeyT", "", "Control", "Control+Foo", "Control+F25", "Hyper+KeyT", "Control+Keyé"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
