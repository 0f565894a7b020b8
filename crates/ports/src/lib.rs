//! The ports: what the app needs from a desktop, as small traits, and the types that they exchange.

mod badge;
mod own_server;
mod toast;
mod tray;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tidings_ipc::MenuEntry;
use tidings_sync::session::Session;
use url::Url;

pub use self::badge::Badge;
pub use self::own_server::{ListenConfig, OwnServer, ServerStartError, TokenPurpose, UserError};
pub use self::toast::{Toast, ToastAnswer, ToastKey, ToastRef, Urgency};
pub use self::tray::{MenuAction, MenuLine, TrayView};

/// Shows and closes toasts. No method waits for the desktop's answer.
pub trait Toasts: Send + Sync + 'static {
    /// Shows a toast, in place of one with the same key.
    fn show(&self, toast: Toast);
    /// Closes the toast with this key, if it is on screen.
    fn close(&self, key: ToastKey);
}

/// The program's icon among the desktop's launchers.
pub trait Launcher: Send + Sync + 'static {
    /// Shows a number on the icon, none for 0. `urgent` asks the desktop to draw attention to the icon.
    fn show(&self, count: u64, urgent: bool);
}

/// Shows the tray icon.
pub trait Tray: Send + Sync + 'static {
    /// Replaces the icon, its tooltip and its menu.
    fn show(&self, view: TrayView);
}

/// The main window; there is only one.
pub trait Window: Send + Sync + 'static {
    /// Opens the window or brings it to the front. `token` is the desktop's activation token, by which it
    /// may take the focus.
    fn show(&self, token: Option<String>);
    /// Keeps the focus in the window although another program is about to be opened: if that takes it within a short
    /// time, asks for it back once. The desktop may refuse.
    fn keep_focus(&self);
    /// Sets the window's title: the app's name, with the number on the badge if it is not 0.
    fn set_title(&self, title: &str);
    /// Sets the zoom of the page, percent; also of a window that is opened later, before its first paint.
    fn set_zoom(&self, percent: u16);
    /// Whether the window is on the screen and has the focus.
    fn is_focused(&self) -> bool;
    /// Shows the window or brings it to the front; closes it if it has the focus. The program goes on.
    fn toggle(&self);
    /// Ends the program in the orderly way: saves the window's state and shuts the app down.
    fn quit(&self);
}

/// The reason why keys are no global shortcut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortcutError {
    /// This desktop lets no program have such keys.
    Unsupported,
    /// The keys cannot be pressed on this keyboard, or would take a letter from every program.
    Invalid,
    /// Another program has them.
    Taken,
}

/// Keys that show and hide the window from anywhere.
pub trait GlobalShortcut: Send + Sync + 'static {
    /// Whether this desktop lets a program have such keys.
    fn is_supported(&self) -> bool;
    /// Takes keys in place of those before, or none; `Control+Alt+KeyT`, with keys as in `KeyboardEvent.code`. Needs a tokio
    /// runtime.
    ///
    /// # Errors
    /// The reason why the keys cannot be had; then there are none.
    fn set(&self, keys: Option<&str>) -> Result<(), ShortcutError>;
}

/// Starting the app when the user logs in.
#[async_trait]
pub trait Autostart: Send + Sync + 'static {
    /// Whether autostart is on; `None` if the desktop does not report it.
    fn is_on(&self) -> Option<bool>;
    /// Switches autostart on or off; a desktop may ask the user first. Returns the state read back afterwards; `None` if it
    /// cannot be read.
    async fn set(&self, on: bool) -> Option<bool>;
}

/// Opens addresses in other programs.
pub trait Opener: Send + Sync + 'static {
    /// Opens a web or mail address in the desktop's program for it. `false` if no program could be started.
    fn open(&self, url: &Url) -> bool;
}

/// The HTTP request that a button under a notification sends.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// HTTP method.
    pub method: String,
    /// The address to call.
    pub url: Url,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The request body, sent unchanged.
    pub body: Option<String>,
    /// The base address of the item's source. The egress policy permits a private address only if the source
    /// is at that address itself.
    pub source_url: Option<Url>,
}

/// The reason why a call returned no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallError {
    /// No answer arrived.
    NoAnswer,
    /// The address belongs to this computer or its network, and is not the source's. Nothing was sent.
    PrivateAddress,
}

/// Sends the HTTP requests of buttons.
#[async_trait]
pub trait Caller: Send + Sync + 'static {
    /// Sends the request once and returns the status of the answer.
    ///
    /// # Errors
    /// The reason why there is no status.
    async fn call(&self, call: Call) -> Result<u16, CallError>;
}

/// A file that the reader dropped on the window or pasted, if the page does not get it.
#[derive(Debug)]
pub enum GivenFile {
    /// A file of this machine.
    Path(PathBuf),
    /// A picture of the clipboard.
    Picture {
        /// The name that the file gets.
        name: &'static str,
        /// The content of the file.
        bytes: Vec<u8>,
    },
}

/// File dialogs, dropped and pasted files, the file manager, and the free space of a folder.
#[async_trait]
pub trait FileDialogs: Send + Sync + 'static {
    /// Asks if to write a file and suggests a name. `None` if the dialog was cancelled.
    async fn save_dialog(&self, title: &str, name: &str) -> Option<PathBuf>;
    /// Asks which file to read; offers files with this extension. `None` if the dialog was cancelled.
    async fn open_dialog(&self, title: &str, extension: &str) -> Option<PathBuf>;
    /// Asks for any file to read. `None` if the dialog was cancelled.
    async fn choose_dialog(&self, title: &str) -> Option<PathBuf>;
    /// The next one of the files that the reader dropped on the window or pasted last, if the page does not get them. `None`
    /// if there is none.
    async fn given(&self) -> Option<GivenFile> {
        None
    }
    /// Shows a folder in the desktop's file manager. `false` if no program could be started.
    fn show(&self, folder: &Path) -> bool;
    /// Free bytes on the file system of a folder; `None` if the system does not report them.
    fn free_space(&self, folder: &Path) -> Option<u64>;
}

/// Shows native context menus.
#[async_trait]
pub trait ContextMenus: Send + Sync + 'static {
    /// Shows a menu at a position in the page, px. Returns the id of the chosen entry; `None` if it was dismissed.
    async fn popup(&self, entries: Vec<MenuEntry>, at: (i32, i32)) -> Option<String>;
}

/// What the desktop offers to programs, as it was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DesktopOffer {
    /// The parts of its session; `None` outside of a session.
    pub session: Option<Session>,
    /// The version of the web view that draws windows; `None` if there is none.
    pub web_view: Option<String>,
}

/// Says what the desktop offers.
#[async_trait]
pub trait Desktop: Send + Sync + 'static {
    /// Looks at every part; may take some seconds.
    async fn offer(&self) -> DesktopOffer;
}

/// A request of the desktop to the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DesktopRequest {
    /// A toast was clicked.
    ToastOpen {
        /// The toast that was clicked.
        toast: ToastRef,
        /// The desktop's activation token, which permits taking focus.
        token: Option<String>,
    },
    /// The toast's button "mark read": mark the items that the toast showed as read.
    ToastRead(ToastRef),
    /// The toast's button "archive": archive the items that the toast showed.
    ToastArchive(ToastRef),
    /// One of the item's own buttons in a toast was pressed.
    ToastAction {
        /// The toast.
        toast: ToastRef,
        /// The button's index in [`Toast::actions`].
        index: usize,
    },
    /// An answer in words was written in a toast.
    ToastReply {
        /// The toast.
        toast: ToastRef,
        /// The words.
        text: String,
    },
    /// The desktop's answer to a toast.
    ToastAnswered {
        /// The toast.
        toast: ToastRef,
        /// The answer.
        answer: ToastAnswer,
    },
    /// A toast is no longer on screen: the user or the desktop closed it, or it could not be shown.
    ToastClosed(ToastRef),
    /// Whether toasts can be shown: a notification daemon appeared, or is missing.
    ToastsAvailable(bool),
    /// Whether the desktop's do-not-disturb mode is on; sent when that changes.
    DoNotDisturb(bool),
    /// Whether a tray host is present.
    TrayAvailable(bool),
    /// The global shortcut was pressed.
    ToggleWindow,
    /// The tray icon was clicked; with the desktop's activation token.
    TrayOpen(Option<String>),
    /// A line of the tray's menu was chosen.
    Menu(MenuAction),
    /// An action of the desktop entry was chosen.
    Act {
        /// The action.
        action: MenuAction,
        /// The desktop's activation token.
        token: Option<String>,
    },
    /// A second start, or the terminal, asks for the window; with the desktop's activation token.
    Show(Option<String>),
    /// A link that this program was started with, or that the desktop passes to it.
    Link {
        /// The link.
        link: String,
        /// The desktop's activation token.
        token: Option<String>,
    },
    /// The desktop's search asks for the window with the results of its words.
    Search {
        /// The query.
        query: String,
        /// The desktop's activation token.
        token: Option<String>,
    },
}

/// The adapters of all ports.
#[derive(Clone)]
pub struct Ports {
    /// Toasts.
    pub toasts: std::sync::Arc<dyn Toasts>,
    /// The program's icon among the launchers.
    pub launcher: std::sync::Arc<dyn Launcher>,
    /// The tray icon.
    pub tray: std::sync::Arc<dyn Tray>,
    /// The window.
    pub window: std::sync::Arc<dyn Window>,
    /// Autostart.
    pub autostart: std::sync::Arc<dyn Autostart>,
    /// The global shortcut.
    pub global_shortcut: std::sync::Arc<dyn GlobalShortcut>,
    /// Opens addresses in other programs.
    pub opener: std::sync::Arc<dyn Opener>,
    /// Sends the requests of buttons.
    pub caller: std::sync::Arc<dyn Caller>,
    /// File dialogs.
    pub files: std::sync::Arc<dyn FileDialogs>,
    /// Context menus.
    pub menus: std::sync::Arc<dyn ContextMenus>,
    /// What the desktop offers.
    pub desktop: std::sync::Arc<dyn Desktop>,
}
