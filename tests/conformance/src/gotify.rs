//! Checks of the applications, clients and messages of Gotify's API.

use super::*;
use tidings_model::gotify::APPLICATION_TARGET;
use tidings_store::domain::account::User;
use tidings_store::domain::limits;
use tidings_store::{
    Application, ApplicationFields, Image, Message, MessagePage, MessagePageSize, MessagePosition, Messages,
    PostedMessage,
};

fn token(id: &str, scopes: &[Scope]) -> NewToken {
    let hash = tidings_store::domain::account::hash(id);
    let (label, scopes) = (format!("label of {id}"), scopes.to_vec());
    NewToken { id: id.to_owned(), hash, label, scopes, made_by: None }
}

fn fields(name: &str) -> ApplicationFields {
    ApplicationFields { name: name.to_owned(), ..ApplicationFields::default() }
}

async fn application(store: &dyn Store, user: &str, token_id: &str) -> Application {
    done(store.add_application(user, fields(token_id), token(token_id, &[]), None).await.unwrap())
}

fn draft(user: UserKey, application: &Application, body: &str) -> Draft {
    let by = Actor { id: application.target.clone(), name: application.fields.name.clone() };
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, by);
    draft.action = "publish".into();
    let (kind, id) = (APPLICATION_TARGET.to_owned(), application.target.clone());
    draft.target = Some(Target { kind, id, ..Target::default() });
    draft.subscribe = Some(user);
    body.clone_into(&mut draft.content.body);
    draft
}

async fn publish(store: &dyn Store, user: UserKey, application: &Application, body: &str) -> PostedMessage {
    done(store.post_message(user, application.id, draft(user, application, body), None).await.unwrap())
}

async fn page(
    store: &dyn Store,
    user: UserKey,
    which: Messages,
    position: MessagePosition,
    messages: usize,
) -> MessagePage {
    let size = MessagePageSize { messages, bytes: limits::PAGE_BYTES };
    store.messages(user, which, position, size).await.unwrap()
}

fn bodies(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.content.body.as_str()).collect()
}

async fn listed(store: &dyn Store, user: UserKey, which: Messages) -> Vec<Message> {
    page(store, user, which, MessagePosition::Before(i64::MAX), 100).await.messages
}

pub async fn an_application_is_its_users_and_has_a_token(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let made = application(store, "alice", "a").await;
    assert_eq!(store.application_of_token(alice, "a").await.unwrap().as_ref(), Some(&made));
    assert_eq!(store.ensure_application(alice, "a").await.unwrap(), made);
    assert!(store.application_of_token(bob, "a").await.unwrap().is_none());
    assert_refused(store.ensure_application(bob, "a").await, "not_found");
    assert_refused(store.add_application("nobody", fields("x"), token("x", &[]), None).await, "not_found");
    store.add_token("alice", token("t", &[Scope::Publish]), None).await.unwrap();
    let first_used = store.ensure_application(alice, "t").await.unwrap();
    assert_eq!(first_used.fields.name, "label of t");
    assert_ne!((first_used.id, &first_used.target), (made.id, &made.target));
    assert_eq!(store.applications(alice).await.unwrap(), [made.clone(), first_used]);
    assert!(store.applications(bob).await.unwrap().is_empty());
    let changed = ApplicationFields {
        name: "n".into(),
        description: "d".into(),
        default_priority: 7,
        sort_key: "a5".into(),
    };
    assert!(store.update_application(bob, made.id, changed.clone()).await.unwrap().is_none());
    let after = store.update_application(alice, made.id, changed.clone()).await.unwrap().unwrap();
    assert_eq!(after.fields, changed);
    let kept = ApplicationFields { sort_key: String::new(), ..changed.clone() };
    assert_eq!(store.update_application(alice, made.id, kept).await.unwrap().unwrap().fields, changed);
    publish(store, alice, &made, "1").await;
    let used_at = store.application(alice, made.id).await.unwrap().unwrap().last_used.unwrap();
    clock.advance(60);
    publish(store, alice, &made, "2").await;
    assert_eq!(store.application(alice, made.id).await.unwrap().unwrap().last_used, Some(used_at));
    clock.advance(limits::LAST_USED_SECS);
    publish(store, alice, &made, "3").await;
    assert!(store.application(alice, made.id).await.unwrap().unwrap().last_used > Some(used_at));
    assert_refused(store.post_message(bob, made.id, draft(bob, &made, "x"), None).await, "not_found");
    let users: Vec<User> = store.users_by_key(alice, 9).await.unwrap();
    assert_eq!(users.iter().map(|user| user.key).collect::<Vec<_>>(), [bob]);
}

pub async fn a_client_is_there_as_long_as_its_token(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let add =
        async |id, scopes: &[Scope]| done(store.add_client("alice", token(id, scopes), None).await.unwrap());
    let (phone, laptop) = (add("phone", &[Scope::Inbox]).await, add("laptop", &[Scope::Inbox]).await);
    assert_eq!(phone.name, "label of phone");
    assert_eq!(store.client_of_token(alice, "phone").await.unwrap().as_ref(), Some(&phone));
    assert_eq!(store.clients(alice).await.unwrap(), [phone.clone(), laptop.clone()]);
    let last_used = || async { store.clients(alice).await.unwrap()[0].last_used };
    store.client_used(alice, "phone").await.unwrap();
    let used_at = last_used().await.unwrap();
    clock.advance(limits::LAST_USED_SECS / 2);
    store.client_used(alice, "phone").await.unwrap();
    assert_eq!(last_used().await, Some(used_at), "it is not written at each use");
    clock.advance(limits::LAST_USED_SECS);
    store.client_used(bob, "phone").await.unwrap();
    store.client_used(alice, "other").await.unwrap();
    assert_eq!(last_used().await, Some(used_at), "another user's and another token are none of its uses");
    store.client_used(alice, "phone").await.unwrap();
    assert!(last_used().await > Some(used_at));
    assert!(store.rename_client(bob, phone.id, "x").await.unwrap().is_none());
    assert_eq!(store.rename_client(alice, phone.id, "Phone").await.unwrap().unwrap().name, "Phone");
    let hash = |id| tidings_store::domain::account::hash(id);
    assert!(store.bearer(hash("phone")).await.unwrap().is_some());
    let tablet = add("tablet", &[Scope::Inbox, Scope::Publish]).await;
    assert_refused(store.remove_client(&bearer(alice, &[Scope::Inbox]), tablet.id).await, "forbidden");
    store.remove_client(&bearer(alice, &[Scope::Inbox, Scope::Publish]), tablet.id).await.unwrap();
    assert!(!store.remove_client(&bearer(bob, &[Scope::Inbox]), phone.id).await.unwrap());
    assert!(store.remove_client(&bearer(alice, &[Scope::Inbox]), phone.id).await.unwrap());
    assert!(!store.remove_client(&bearer(alice, &[Scope::Inbox]), phone.id).await.unwrap());
    assert!(store.bearer(hash("phone")).await.unwrap().is_none());
    store.revoke("laptop", Some(&bearer(alice, &[Scope::Inbox]))).await.unwrap();
    assert!(store.clients(alice).await.unwrap().is_empty());
}

pub async fn messages_are_listed_by_growing_numbers(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    assert_eq!(store.newest_message(alice).await.unwrap(), 0);
    let (a, b) = (application(store, "alice", "a").await, application(store, "alice", "b").await);
    let mut posted = Vec::new();
    for n in 0..5 {
        let by = if n % 2 == 0 { &a } else { &b };
        posted.push(publish(store, alice, by, &n.to_string()).await);
    }
    assert!(posted.windows(2).all(|w| w[0].id < w[1].id));
    assert_eq!(store.newest_message(alice).await.unwrap(), posted[4].id);
    let before = MessagePosition::Before(posted[3].id);
    let newest_first = page(store, alice, Messages::All, before, 2).await;
    assert_eq!((bodies(&newest_first.messages), newest_first.more), (vec!["2", "1"], true));
    let after = MessagePosition::After(posted[1].id);
    let oldest_first = page(store, alice, Messages::All, after, 3).await;
    assert_eq!((bodies(&oldest_first.messages), oldest_first.more), (vec!["2", "3", "4"], false));
    let of_a = page(store, alice, Messages::OfApplication(a.id), MessagePosition::Before(i64::MAX), 9).await;
    assert_eq!(bodies(&of_a.messages), ["4", "2", "0"]);
    assert_eq!(
        (of_a.messages[0].application, of_a.messages[0].created_at),
        (a.id, posted[4].post.posted.stamp)
    );
    let tiny = MessagePageSize { messages: 9, bytes: 1 };
    let one = store.messages(alice, Messages::All, MessagePosition::After(0), tiny).await.unwrap();
    assert_eq!((bodies(&one.messages), one.more), (vec!["0"], true), "a page has at least one");
    assert!(listed(store, bob, Messages::All).await.is_empty());
    assert!(listed(store, bob, Messages::OfApplication(a.id)).await.is_empty());
    let items = all(store, alice).await;
    assert_eq!(items.len(), 5);
    assert_eq!(items[0].actor.id, a.target);
}

pub async fn what_leaves_gotifys_lists_is_archived_and_what_is_deleted_leaves_them(
    store: &dyn Store,
    _: &ManualClock,
) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let (a, b) = (application(store, "alice", "a").await, application(store, "alice", "b").await);
    let mut posted = Vec::new();
    for n in 0..6 {
        let by = if n % 2 == 0 { &a } else { &b };
        posted.push(publish(store, alice, by, &n.to_string()).await);
    }
    let of_bob = publish(store, bob, &application(store, "bob", "c").await, "bob's").await;
    assert_eq!(store.archive_messages(alice, Messages::One(of_bob.id)).await.unwrap(), 0);
    assert_eq!(store.archive_messages(alice, Messages::One(posted[0].id)).await.unwrap(), 1);
    assert_eq!(store.archive_messages(alice, Messages::One(posted[0].id)).await.unwrap(), 0);
    assert_eq!(store.archive_messages(alice, Messages::OfApplication(b.id)).await.unwrap(), 3);
    assert_eq!(bodies(&listed(store, alice, Messages::All).await), ["4", "2"]);
    let archived = |items: Vec<Notification>| {
        let archived = items.into_iter().filter(|item| item.archived_at.is_some());
        let mut bodies: Vec<String> = archived.map(|item| item.content.body).collect();
        bodies.sort();
        bodies
    };
    assert_eq!(archived(all(store, alice).await), ["0", "1", "3", "5"]);
    assert_eq!(unread(store, alice).await, 2);
    let msgids = vec![posted[2].post.posted.msgid.clone()];
    apply(store, alice, vec![Change::Mark { mark: Mark::Read, msgids: msgids.clone(), at: None }]).await;
    assert_eq!(listed(store, alice, Messages::All).await.len(), 2, "what is read stays");
    apply(store, alice, vec![Change::Mark { mark: Mark::Delete, msgids, at: None }]).await;
    assert_eq!(bodies(&listed(store, alice, Messages::All).await), ["4"]);
    assert_eq!(store.archive_messages(alice, Messages::All).await.unwrap(), 1);
    assert_eq!((listed(store, alice, Messages::All).await.len(), unread(store, alice).await), (0, 0));
    assert_eq!(listed(store, bob, Messages::All).await.len(), 1);
}

pub async fn one_application_past_those_of_a_user_is_refused(store: &dyn Store, _: &ManualClock) {
    let (alice, most) = (user(store, "alice").await, small_bounds().user_applications);
    user(store, "bob").await;
    let mut made = Vec::new();
    for n in 0..most {
        made.push(application(store, "alice", &format!("a{n}")).await);
    }
    let one_more = async || store.add_application("alice", fields("more"), token("more", &[]), None).await;
    assert_refused(one_more().await, "invalid");
    store.add_token("alice", token("t", &[Scope::Publish]), None).await.unwrap();
    assert_refused(store.ensure_application(alice, "t").await, "invalid");
    application(store, "bob", "b").await;
    store.remove_application(&bearer(alice, &[Scope::Inbox]), made[0].id).await.unwrap();
    one_more().await.unwrap();
    assert_refused(store.ensure_application(alice, "t").await, "invalid");
    assert_eq!(store.applications(alice).await.unwrap().len(), most);
}

pub async fn one_client_past_those_of_a_user_is_refused(store: &dyn Store, _: &ManualClock) {
    let (alice, most) = (user(store, "alice").await, small_bounds().user_clients);
    user(store, "bob").await;
    let add = async |user: &str, id: &str| store.add_client(user, token(id, &[Scope::Inbox]), None).await;
    for n in 0..most {
        add("alice", &format!("c{n}")).await.unwrap();
    }
    assert_refused(add("alice", "more").await, "invalid");
    add("bob", "of bob").await.unwrap();
    let first = store.clients(alice).await.unwrap()[0].id;
    store.remove_client(&bearer(alice, &[Scope::Inbox]), first).await.unwrap();
    add("alice", "more").await.unwrap();
    assert_refused(add("alice", "another").await, "invalid");
    assert_eq!(store.clients(alice).await.unwrap().len(), most);
}

pub async fn one_message_past_the_bound_is_archived(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let a = application(store, "alice", "a").await;
    for n in 0..4 {
        publish(store, alice, &a, &n.to_string()).await;
    }
    assert_eq!(store.archive_messages(alice, Messages::All).await.unwrap(), 4);
    assert_eq!((listed(store, alice, Messages::All).await.len(), unread(store, alice).await), (0, 0));
    assert!(all(store, alice).await.iter().all(|item| item.archived_at.is_some()));
}

pub async fn an_application_goes_with_one_message_past_a_short_write(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let a = application(store, "alice", "a").await;
    for n in 0..4 {
        publish(store, alice, &a, &n.to_string()).await;
        let made = NewToken { made_by: Some("a".into()), ..token(&n.to_string(), &[]) };
        store.add_token("alice", made, None).await.unwrap();
    }
    assert!(store.remove_application(&bearer(alice, &[Scope::Inbox]), a.id).await.unwrap());
    assert!(store.applications(alice).await.unwrap().is_empty());
    assert!(listed(store, alice, Messages::All).await.is_empty());
    assert_eq!(all(store, alice).await.len(), 4, "nothing has left the inbox");
    // No token is left that its token made: their ids are free again.
    for n in 0..4 {
        store.add_token("alice", token(&n.to_string(), &[]), None).await.unwrap();
    }
}

pub async fn an_application_goes_and_its_notifications_stay(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let (a, b) = (application(store, "alice", "a").await, application(store, "alice", "b").await);
    for n in 0..5 {
        publish(store, alice, &a, &n.to_string()).await;
    }
    publish(store, alice, &b, "other").await;
    assert!(!store.remove_application(&bearer(bob, &[Scope::Inbox]), a.id).await.unwrap());
    assert!(store.remove_application(&bearer(alice, &[Scope::Inbox]), a.id).await.unwrap());
    assert!(!store.remove_application(&bearer(alice, &[Scope::Inbox]), a.id).await.unwrap());
    assert!(store.bearer(tidings_store::domain::account::hash("a")).await.unwrap().is_none());
    assert_eq!(bodies(&listed(store, alice, Messages::All).await), ["other"]);
    assert_eq!(all(store, alice).await.len(), 6, "nothing has left the inbox");
    assert_refused(store.post_message(alice, a.id, draft(alice, &a, "x"), None).await, "not_found");
    let page = store.subscriptions(alice, None, None, ListQuery::first(9)).await.unwrap();
    let left: Vec<Subscription> = page.values().unwrap();
    assert_eq!(left.into_iter().map(|s| s.target.id).collect::<Vec<_>>(), std::slice::from_ref(&b.target));
    store.revoke("b", None).await.unwrap();
    assert!(
        store.remove_application(&bearer(alice, &[Scope::Inbox]), b.id).await.unwrap(),
        "also where its token is gone"
    );
}

pub async fn pictures_are_their_applications_and_bounded(store: &dyn Store, _: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let a = application(store, "alice", "a").await;
    let image = |name: &str, bytes: usize| Image { name: name.to_owned(), content: vec![7; bytes] };
    let set = async |id: i64, image: Image| store.set_image(alice, id, image, None).await;
    assert_refused(store.set_image(bob, a.id, image("x.png", 1), None).await, "not_found");
    let first = done(set(a.id, image("1.png", 9)).await.unwrap());
    assert_eq!(first.image.as_deref(), Some("1.png"));
    assert_eq!(store.application(alice, a.id).await.unwrap(), Some(first));
    set(a.id, image("2.png", limits::USER_IMAGE_BYTES)).await.unwrap();
    assert!(store.image("1.png").await.unwrap().is_none(), "it has one");
    let second = store.image("2.png").await.unwrap();
    assert!(second.is_some_and(|content| content.len() == limits::USER_IMAGE_BYTES));
    let b = application(store, "alice", "b").await;
    assert_refused(set(b.id, image("3.png", 1)).await, "too_large");
    assert!(store.remove_image(bob, a.id).await.unwrap().is_none());
    assert_eq!(store.remove_image(alice, a.id).await.unwrap().unwrap().image, None);
    set(b.id, image("3.png", 1)).await.unwrap();
    store.remove_application(&bearer(alice, &[Scope::Inbox]), b.id).await.unwrap();
    assert!(store.image("3.png").await.unwrap().is_none());
}

pub async fn what_gotify_lists_goes_with_its_user_and_with_retention(store: &dyn Store, clock: &ManualClock) {
    let (alice, bob) = (user(store, "alice").await, user(store, "bob").await);
    let (a, b) = (application(store, "alice", "a").await, application(store, "bob", "b").await);
    let image = Image { name: "a.png".to_owned(), content: vec![7] };
    store.set_image(alice, a.id, image, None).await.unwrap();
    store.add_client("alice", token("phone", &[Scope::Inbox]), None).await.unwrap();
    for n in 0..5 {
        publish(store, alice, &a, &n.to_string()).await;
        publish(store, bob, &b, &n.to_string()).await;
    }
    store.remove_user("alice", WrittenContent::Keep).await.unwrap();
    while store.prune(None, 3).await.unwrap() {}
    assert!(store.image("a.png").await.unwrap().is_none());
    assert!(listed(store, alice, Messages::All).await.is_empty());
    clock.advance(3_600);
    let before = clock.now();
    publish(store, bob, &b, "new").await;
    while store.prune(Some(before), 3).await.unwrap() {}
    assert_eq!(bodies(&listed(store, bob, Messages::All).await), ["new"]);
}

pub async fn what_is_recalled_leaves_gotifys_lists(store: &dyn Store, _: &ManualClock) {
    let alice = user(store, "alice").await;
    let made = application(store, "alice", "a").await;
    let one = publish(store, alice, &made, "one").await;
    publish(store, alice, &made, "two").await;
    let admin = Editor { user: alice, id: "alice".into(), is_admin: true, application: None };
    store.recall(&one.post.posted.msgid, &admin).await.unwrap().unwrap();
    assert_eq!(bodies(&listed(store, alice, Messages::All).await), ["two"]);
    assert_eq!(unread(store, alice).await, 1);
}
