//! Tests of the app with a real replica on a fake desktop. They call the app as the page's commands do.

mod attaching;
mod attachments;
mod calendars;
mod certificates;
mod compose;
mod conversations;
mod desktop_search;
mod desktop_settings;
mod digest;
mod doctor;
mod groups;
mod harness;
mod hostile_page;
mod http_server;
mod icons;
mod imports;
mod lifecycle;
mod marks;
mod muting;
mod notify;
#[cfg(target_os = "linux")]
mod on_a_disk;
mod on_topic;
mod outages;
mod page_calls;
mod passed_by;
mod proxy;
mod published;
mod publishing;
mod quiet_scopes;
mod reading;
mod releases;
mod search;
mod settings_file;
mod sign_in;
mod sounds;
mod sources;
mod storage;
mod toast_buttons;
mod toast_replies;
mod toast_texts;
mod toasts;
mod topics;
mod untrusted_text;
mod work_server;

use tidings_ipc::{Place, ThreadQuery};

fn inbox() -> ThreadQuery {
    ThreadQuery { limit: 100, ..ThreadQuery::top(Place::Inbox) }
}
