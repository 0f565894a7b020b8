//! The hub of the live channels.

use std::sync::Arc;

use shuttle::future::{block_on, spawn};
use tidings_model::wire::Posted;
use tidings_model::{MsgId, Stamp};

use crate::domain::account::UserKey;
use crate::live::Hub;
use crate::store::{Post, Recipients, Store};
use crate::threads::thread;

struct Members;

impl Store for Members {}

fn post(micros: i64) -> Post {
    let posted = Posted { msgid: MsgId(micros.to_string()), stamp: Stamp::from_micros(micros) };
    Post { posted, recipients: Recipients::Group("crew".into()) }
}

/// Who has a channel open hears of every publication, while others of theirs open and close.
pub fn a_hint_reaches_who_listens() {
    let hub = Hub::default();
    let mut channel = hub.listen(UserKey(1)).unwrap();
    let running = {
        let hub = hub.clone();
        spawn(async move { hub.run(Arc::new(Members)).await })
    };
    let publishing = [2, 3].map(|micros| {
        let hub = hub.clone();
        thread::spawn(move || hub.published(&[post(micros)]))
    });
    let other = {
        let hub = hub.clone();
        thread::spawn(move || drop(hub.listen(UserKey(1)).unwrap()))
    };
    block_on(async {
        while channel.borrow().stamp < Stamp::from_micros(3) {
            channel.changed().await.unwrap();
        }
    });
    for one in publishing {
        one.join().unwrap();
    }
    other.join().unwrap();
    drop(channel);
    assert!(hub.online().is_empty() && hub.channel_count() == 0, "nothing is kept of who went");
    running.abort();
}

/// A stream of a topic is woken by a publication that comes while another stream ends.
pub fn a_publication_wakes_who_listens_to_its_topic() {
    let hub = Hub::default();
    let topic: Arc<str> = "backups".into();
    let listener = hub.topics.listen(UserKey(1), &[Arc::clone(&topic)]).unwrap();
    let other = hub.topics.listen(UserKey(1), &[topic]).unwrap();
    let ending = thread::spawn(move || drop(other));
    let publishing = {
        let topics = hub.topics.clone();
        thread::spawn(move || {
            topics.published(&Recipients::Subscribers {
                kind: "topic".into(),
                id: "backups".into(),
                action: "publish".into(),
                actor: "cron".into(),
            });
        })
    };
    block_on(listener.news());
    assert_eq!(hub.topics.published_count(), 1, "it is counted before anybody is woken");
    ending.join().unwrap();
    publishing.join().unwrap();
    drop(listener);
    assert_eq!(hub.topics.listener_count(), 0);
}
