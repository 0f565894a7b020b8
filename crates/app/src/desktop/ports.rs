//! What the app needs from a desktop, as traits that are each as small as they can be.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use url::Url;

use crate::ipc::MenuEntry;
use crate::notify::badge::{MenuAction, TrayView};
use crate::notify::toast::{ToastKey, Urgency};

/// A toast, in plain text; whoever shows it escapes what its desktop would take for markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    /// What it is about; it replaces an older one with the same key.
    pub key: ToastKey,
    /// Grows with everything that is shown: a newer one with the same key has a greater serial.
    pub serial: u64,
    /// The source, or who.
    pub title: String,
    /// What.
    pub body: String,
    /// How much it may insist.
    pub urgency: Urgency,
    /// The label of the button that opens it, for desktops that have no click of their own.
    pub open: String,
    /// The label of the button that marks it read; none where there is nothing to mark.
    pub read: Option<String>,
    /// The label of the button that archives it; none where there is nothing to mark.
    pub archive: Option<String>,
    /// The labels of its item's own buttons, in the order of their numbers from 0.
    pub actions: Vec<String>,
    /// It may play a sound.
    pub sound: bool,
}

/// A toast as it was on screen; a newer one about the same may be on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToastRef {
    /// What it is about.
    pub key: ToastKey,
    /// Its serial.
    pub serial: u64,
}

impl Toast {
    /// Itself, once it is on screen.
    pub const fn seen(&self) -> ToastRef {
        ToastRef { key: self.key, serial: self.serial }
    }
}

/// Shows toasts. None of it waits: a desktop that does not answer holds nobody up.
pub trait Toasts: Send + Sync + 'static {
    /// Shows it, in place of one with the same key.
    fn show(&self, toast: Toast);
    /// Takes it away, if it is on screen.
    fn close(&self, key: ToastKey);
}

/// The program's icon among the desktop's launchers.
pub trait Launcher: Send + Sync + 'static {
    /// Shows a number on it, none for 0; `urgent` asks for a look.
    fn show(&self, count: u64, urgent: bool);
}

/// Shows the tray icon.
pub trait Tray: Send + Sync + 'static {
    /// Shows this from now on.
    fn show(&self, view: TrayView);
}

/// The one window.
pub trait Window: Send + Sync + 'static {
    /// Opens it or brings it to the front. `token` is the desktop's leave to take the focus.
    fn show(&self, token: Option<String>);
    /// Its title: the app's name, with the number where there is one.
    fn title(&self, title: &str);
    /// Ends the program in order.
    fn quit(&self);
}

/// Whether the app starts with the computer.
pub trait Autostart: Send + Sync + 'static {
    /// None where the desktop cannot say.
    fn is_on(&self) -> Option<bool>;
    /// Switches it; gives what is true afterwards.
    fn set(&self, on: bool) -> Option<bool>;
}

/// Opens addresses outside.
pub trait Opener: Send + Sync + 'static {
    /// Opens a web or mail address in the program that is meant for it. False where none took it.
    fn open(&self, url: &Url) -> bool;
}

/// A call that a button under a notification makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// HTTP method.
    pub method: String,
    /// Where.
    pub url: Url,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The body, as it is.
    pub body: Option<String>,
    /// Where the source is that the item came from.
    pub home: Option<Url>,
}

/// Why a call gave no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallError {
    /// Nobody answered.
    Silent,
    /// The address is one of this computer or its networks, and the source is not there. Nothing was sent.
    Private,
}

/// Calls out for a button.
#[async_trait]
pub trait Caller: Send + Sync + 'static {
    /// Makes the call once and gives the answer's status.
    async fn call(&self, call: Call) -> Result<u16, CallError>;
}

/// Asks for files and shows folders, by the desktop's own dialogs.
#[async_trait]
pub trait FileDialogs: Send + Sync + 'static {
    /// Asks where to write a file, with a name to begin with. None where that was cancelled.
    async fn save_dialog(&self, title: &str, name: &str) -> Option<PathBuf>;
    /// Asks which file to read, one whose name ends like this. None where that was cancelled.
    async fn open_dialog(&self, title: &str, ending: &str) -> Option<PathBuf>;
    /// Shows a folder in the desktop's file manager. False where none took it.
    fn show(&self, folder: &Path) -> bool;
    /// Bytes that can still be written into a folder; none where the system does not say.
    fn room(&self, folder: &Path) -> Option<u64>;
}

/// Shows native context menus.
#[async_trait]
pub trait ContextMenus: Send + Sync + 'static {
    /// Shows a menu at a position of the page, px, and gives the id of what was chosen; none where it was left.
    async fn popup(&self, entries: Vec<MenuEntry>, at: (i32, i32)) -> Option<String>;
}

/// What the desktop tells the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DesktopRequest {
    /// A toast was clicked.
    ToastOpen {
        /// Which.
        toast: ToastRef,
        /// The desktop's leave to take the focus.
        token: Option<String>,
    },
    /// A toast's button: mark what it showed as read.
    ToastRead(ToastRef),
    /// A toast's button: archive what it showed.
    ToastArchive(ToastRef),
    /// A button of a toast's item, by its number.
    ToastAction {
        /// Which toast.
        toast: ToastRef,
        /// Which button.
        index: usize,
    },
    /// A toast is gone from the screen.
    ToastClosed(ToastRef),
    /// Toasts can be shown (again), or cannot.
    ToastsWork(bool),
    /// A tray host is there, or not.
    TrayWorks(bool),
    /// The tray was clicked; with the desktop's leave to take the focus.
    TrayOpen(Option<String>),
    /// A line of the tray's menu.
    Menu(MenuAction),
    /// A second start, or the terminal, asks for the window.
    Show(Option<String>),
    /// A second start was given a link.
    Link(String),
}

/// All ports.
#[derive(Clone)]
pub struct Ports {
    /// Toasts.
    pub toasts: std::sync::Arc<dyn Toasts>,
    /// The icon among the launchers.
    pub launcher: std::sync::Arc<dyn Launcher>,
    /// The tray icon.
    pub tray: std::sync::Arc<dyn Tray>,
    /// The window.
    pub window: std::sync::Arc<dyn Window>,
    /// Starting with the computer.
    pub autostart: std::sync::Arc<dyn Autostart>,
    /// Addresses.
    pub opener: std::sync::Arc<dyn Opener>,
    /// Calls.
    pub caller: std::sync::Arc<dyn Caller>,
    /// Dialogs about files.
    pub files: std::sync::Arc<dyn FileDialogs>,
    /// Context menus.
    pub menus: std::sync::Arc<dyn ContextMenus>,
}
