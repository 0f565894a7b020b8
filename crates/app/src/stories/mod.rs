//! Stories of the app with a real replica, on a desktop that writes down what it is told. Refuses a page of its own: what
//! a page would ask is asked of the app.

mod begin;
mod buttons;
mod desktop;
mod exchange;
mod files;
mod find;
mod letters;
mod marking;
mod reading;
mod sources;
mod standing;
mod storage;
mod talk;
mod telling;
mod toasts;
mod web;
mod work;

use crate::page::{Place, ThreadQuery};

fn inbox() -> ThreadQuery {
    ThreadQuery { limit: 100, ..ThreadQuery::top(Place::Inbox) }
}
