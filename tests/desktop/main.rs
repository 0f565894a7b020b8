//! Stories on a real desktop: a WebKit window, a tray host, a notification daemon.
//! Refuses to share anything between two tests: each has its own display, bus and home.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod asked_less;
mod files;
mod first_minute;
mod focus;
mod keyboard;
mod keyring;
mod lacking;
mod links;
mod menus;
mod offline;
mod own_server;
mod pictures;
mod quitting;
mod restoring;
mod scene;
mod session;
mod sources;
mod storage;
mod storm;
mod talking;
mod taste;
mod telling;
mod toast;
mod tour;
mod tray_icon;
mod views;
mod window;
