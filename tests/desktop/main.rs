//! Tests on a virtual desktop with a WebKit window, a tray host and a notification daemon. Each test has a display, a
//! session bus and a home folder of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod sample_inbox;
mod screenshots;
mod source_tour;
mod tour;

mod inbox {
    mod conversations;
    mod digest;
    mod feeds;
    mod files;
    mod offline;
    mod other_programs;
    mod publishing;
    mod reading;
    mod side_by_side;
}

mod lifecycle {
    mod degraded;
    mod first_path;
    mod first_start;
    mod long_session;
    mod private_files;
    mod quit;
    mod secrets;
    mod week;
}

mod notifying {
    mod expecting;
    mod gotify_tray;
    mod notify_levels;
    mod questions;
    mod quiet;
    mod replies;
    mod sounds;
    mod storm;
    mod toast;
    mod toast_actions;
    mod tray_icon;
}

mod settings {
    mod imports;
    mod keyring;
    mod own_server;
    mod publishing;
    mod restore;
    mod rules;
    mod sign_in;
    mod sources;
    mod storage;
    mod strange_pages;
    mod topics;
}

mod window {
    mod activation;
    mod appearance;
    mod context_menus;
    mod deep_links;
    mod desktop_search;
    mod focus;
    mod global_shortcut;
    mod keyboard;
    mod keyboard_alone;
    mod orca;
    mod screen_reader;
    mod views;
    mod visibility;
    mod zoomed;
}
