//! Context menus by GTK. The event loop goes on while one is open; the toolkit's own menus would stop it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gtk::gdk::{self, Gravity, Rectangle};
use gtk::glib;
use gtk::prelude::*;
use tauri::{AppHandle, WebviewWindow};
use tidings_ipc::MenuEntry;
use tokio::sync::oneshot;

use crate::main_thread::on_main;

/// Space between label and shortcut, px.
const SHORTCUT_SPACING: i32 = 24;

/// The open menu; there is at most one.
struct OpenMenu {
    menu: gtk::Menu,
    serial: u64,
}

thread_local! {
    static OPEN_MENU: RefCell<Option<OpenMenu>> = const { RefCell::new(None) };
    static LAST_MENU_SERIAL: Cell<u64> = const { Cell::new(0) };
    /// The key or button press that opens the next menu. It gives GTK the time and the device, so that the release of
    /// the button does not close the menu.
    static LAST_PRESS: RefCell<Option<gdk::Event>> = const { RefCell::new(None) };
    /// The page's widget, to which menu positions are relative.
    static PAGE_WIDGET: RefCell<Option<gtk::Widget>> = const { RefCell::new(None) };
}

/// Remembers the page's widget and the presses on it.
pub(crate) fn track_presses(page: &impl IsA<gtk::Widget>) {
    PAGE_WIDGET.set(Some(page.clone().upcast()));
    page.connect_button_press_event(|_, event| {
        LAST_PRESS.set(Some((**event).clone()));
        glib::Propagation::Proceed
    });
    page.connect_key_press_event(|_, event| {
        LAST_PRESS.set(Some((**event).clone()));
        glib::Propagation::Proceed
    });
    page.connect_destroy(|_| {
        LAST_PRESS.set(None);
        PAGE_WIDGET.set(None);
        close();
    });
}

/// Shows a menu at a position in the page and returns the chosen id; `None` if it was dismissed.
pub(crate) async fn popup(
    handle: &AppHandle,
    window: WebviewWindow,
    entries: Vec<MenuEntry>,
    at: (i32, i32),
) -> Option<String> {
    let (answer, answered) = oneshot::channel();
    on_main(handle, move || match window.gtk_window() {
        Ok(window) => show(&window, &entries, at, answer),
        Err(error) => tracing::debug!(%error, "the window is gone"),
    });
    answered.await.ok().flatten()
}

fn show(
    window: &gtk::ApplicationWindow,
    entries: &[MenuEntry],
    (x, y): (i32, i32),
    answer: oneshot::Sender<Option<String>>,
) {
    close();
    let chosen = Rc::new(RefCell::new(None));
    let menu = menu_of(entries, &chosen);
    let serial = LAST_MENU_SERIAL.get() + 1;
    LAST_MENU_SERIAL.set(serial);
    let answer = Rc::new(Cell::new(Some(answer)));
    menu.connect_deactivate(move |_| {
        let (chosen, answer) = (Rc::clone(&chosen), Rc::clone(&answer));
        // GTK activates the chosen line right after the menu was deactivated.
        glib::idle_add_local_once(move || {
            if let Some(answer) = answer.take() {
                // The page that asked may be gone.
                let _ = answer.send(chosen.take());
            }
            OPEN_MENU.with_borrow_mut(|open| {
                open.take_if(|open| open.serial == serial);
            });
        });
    });
    menu.show_all();
    menu.set_attach_widget(Some(window));
    let press = LAST_PRESS.take();
    match PAGE_WIDGET.with_borrow(|page| page.as_ref().and_then(WidgetExt::window)) {
        Some(page) => {
            let at = Rectangle::new(x, y, 1, 1);
            menu.popup_at_rect(&page, &at, Gravity::SouthEast, Gravity::NorthWest, press.as_ref());
        }
        None => menu.popup_at_pointer(press.as_ref()),
    }
    OPEN_MENU.set(Some(OpenMenu { menu, serial }));
}

/// Closes the open menu; its answer is `None`.
fn close() {
    if let Some(open) = OPEN_MENU.take() {
        open.menu.popdown();
        open.menu.deactivate();
    }
}

fn menu_of(entries: &[MenuEntry], chosen: &Rc<RefCell<Option<String>>>) -> gtk::Menu {
    let menu = gtk::Menu::new();
    for entry in entries {
        menu.append(&line_of(entry, chosen));
    }
    menu
}

/// The label of a line, with the shortcut after its tab at the end.
fn label_widget(label: &str) -> gtk::Box {
    let (text, shortcut) = label.split_once('\t').unwrap_or((label, ""));
    let row = gtk::Box::new(gtk::Orientation::Horizontal, SHORTCUT_SPACING);
    let text = gtk::Label::new(Some(text));
    text.set_xalign(0.0);
    row.pack_start(&text, true, true, 0);
    if !shortcut.is_empty() {
        let shortcut = gtk::Label::new(Some(shortcut));
        shortcut.style_context().add_class("dim-label");
        shortcut.set_margin_end(SHORTCUT_SPACING / 4);
        row.pack_end(&shortcut, false, false, 0);
    }
    row
}

fn line_of(entry: &MenuEntry, chosen: &Rc<RefCell<Option<String>>>) -> gtk::MenuItem {
    if entry.id.is_empty() && entry.lines.is_empty() {
        return gtk::SeparatorMenuItem::new().upcast();
    }
    let line: gtk::MenuItem = match entry.checked {
        Some(on) => {
            let line = gtk::CheckMenuItem::new();
            line.set_active(on);
            line.upcast()
        }
        None => gtk::MenuItem::new(),
    };
    line.add(&label_widget(&entry.label));
    line.set_sensitive(entry.enabled);
    if entry.lines.is_empty() {
        let (chosen, id) = (Rc::clone(chosen), entry.id.clone());
        line.connect_activate(move |_| {
            chosen.replace(Some(id.clone()));
        });
    } else {
        line.set_submenu(Some(&menu_of(&entry.lines, chosen)));
    }
    line
}
