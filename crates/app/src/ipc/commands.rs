//! The commands of the page, each declared once: its name, its arguments, its answer and the method that handles it.
//! From this list come the typed dispatch behind the program's one Tauri command, and the page's client
//! (`ui/src/generated/commands.ts`, written by `cargo test -p tidings-app export`).

use serde::{Deserialize, Serialize};
use tidings_model::Mark;

#[allow(clippy::wildcard_imports, reason = "each type is imported for one command")]
use super::*;
use crate::app::App;
use crate::error::{Error, Result};

fn to_json<T: Serialize>(answer: &T) -> Result<String> {
    serde_json::to_string(answer).map_err(|error| Error::Write(error.into()))
}

macro_rules! commands {
    ($app:ident; $(
        $(#[doc = $doc:literal])+
        $name:ident($($arg:ident: $type:ty),*) -> $answer:ty { $($handler:tt)+ }
    )+) => {
        /// A call of the page in its wire form: `{"command": "threads", "args": {"query": …}}`. The arguments are
        /// untrusted: each handler checks or clamps them.
        ///
        /// ```
        /// use tidings_app::ipc::Command;
        ///
        /// let json = r#"{"command": "mark", "args": {"threads": [7], "mark": {"op": "read"}}}"#;
        /// assert!(matches!(serde_json::from_str(json).unwrap(), Command::mark { .. }));
        /// ```
        #[derive(Deserialize)]
        #[serde(tag = "command", content = "args")]
        #[allow(missing_docs, missing_debug_implementations, non_camel_case_types, reason = "generated: a variant is \
            called like its command, its fields like the arguments; some of them are secret")]
        pub enum Command {
            $($(#[doc = $doc])+ $name { $($arg: $type),* },)+
        }

        impl App {
            /// Handles a command and gives its answer as JSON.
            ///
            /// # Errors
            /// The reason why the command failed, with a sentence in the reader's language.
            pub async fn call(&self, command: Command) -> Result<String, IpcError> {
                let $app = self;
                let answered: Result<String> = match command {
                    $(Command::$name { $($arg),* } => {
                        let answer: Result<$answer> = async move { $($handler)+ }.await;
                        answer.and_then(|answer| to_json(&answer))
                    })+
                };
                answered.map_err(|error| {
                    tracing::warn!(%error, "a command of the page failed");
                    error.to_ipc(self.lang())
                })
            }
        }

        #[cfg(test)]
        fn declared(config: &ts_rs::Config) -> Vec<tests::Declared> {
            use ts_rs::TS;
            vec![$(tests::Declared {
                name: stringify!($name),
                docs: &[$($doc),+],
                args: vec![$((stringify!($arg), <$type as TS>::name(config))),*],
                answer: <$answer as TS>::name(config),
            }),+]
        }

        #[cfg(test)]
        fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            $($(visitor.visit::<$type>();)* visitor.visit::<$answer>();)+
        }
    };
}

commands! { app;
    /// Returns all data for the page's first paint. Events arrive from then on.
    bootstrap() -> Bootstrap { app.bootstrap().await }
    /// Reports that the page has its first paint: background work may start.
    first_paint() -> () { app.first_paint(); Ok(()) }
    /// Returns one page of a list.
    threads(query: ThreadQuery) -> ThreadPage { app.threads(query).await }
    /// Returns a thread with its newest items, or those before `before` (a msgid).
    thread(id: ThreadId, before: Option<String>) -> ThreadView { app.thread(id, before).await }
    /// Starts a pull of every source; does not wait for it.
    pull_now() -> () { app.pull_now(); Ok(()) }

    /// Marks threads.
    mark(threads: Vec<ThreadId>, mark: Mark) -> Marked { app.mark(threads, mark).await }
    /// Marks an item and the later ones of its thread as unread.
    unread_from(thread: ThreadId, msgid: String) -> Marked { app.unread_from(thread, msgid).await }
    /// Marks everything in a place as read.
    mark_all_read(place: Place) -> Marked { app.mark_all_read(&place).await }
    /// Marks every thread of a list, also those that the page has not loaded.
    mark_bulk(target: BulkTarget, mark: Mark) -> Marked { app.mark_bulk(&target, mark).await }
    /// Undoes a mark, by `Marked.undo`.
    undo(undo: u64) -> () { app.undo(undo).await }

    /// Returns terms that the query may go on with, at most 6.
    suggest(query: String) -> Vec<Suggestion> { app.suggest(query).await }
    /// Saves a search; an id of 0 adds a new one. Returns all saved searches, as the next two commands do.
    save_search(search: SavedSearch) -> Vec<SavedSearch> { app.save_search(search).await }
    /// Removes a saved search.
    remove_search(id: i64) -> Vec<SavedSearch> { app.remove_search(id).await }
    /// Puts the saved searches into the given order.
    order_searches(ids: Vec<i64>) -> Vec<SavedSearch> { app.order_searches(ids).await }

    /// Puts a message into the outbox at once, also offline, and removes the draft. The first of the attached files, by
    /// their ids, goes with it, each other one in a message of its own.
    send_message(thread: ThreadId, body: String, files: Vec<String>) -> () {
        app.send_message(thread, body, files).await
    }
    /// Lets the reader choose a file and attaches it in a conversation. Null where the dialog was cancelled.
    choose_file(thread: ThreadId) -> Option<AttachedFile> { app.choose_file(thread).await }
    /// Begins to attach a file that was dropped or pasted; its content follows in `add_piece`.
    begin_file(thread: ThreadId, name: String, size: u64) -> AttachedFile { app.begin_file(thread, &name, size).await }
    /// Adds the next piece of such a file: base64 of at most 1 MiB. After an error the file is not attached any more.
    add_piece(id: String, data: String) -> () { app.add_piece(&id, &data).await }
    /// Takes an attached file away.
    remove_file(id: String) -> () { app.remove_file(&id) }
    /// Starts a conversation and returns its thread. A message to one person goes into the outbox, also offline; a
    /// group of several people is created by its server first. An unknown user is the error `not_found`, and nothing is
    /// sent.
    start_conversation(conversation: NewConversation) -> ThreadId { app.start_conversation(conversation).await }
    /// Returns the people who can be written to at a source, as far as the replica knows them.
    people(source: SourceId) -> Vec<Person> { app.people(source).await }
    /// Saves a draft; empty text removes it.
    save_draft(thread: ThreadId, text: String) -> () { app.save_draft(thread, text).await }
    /// Sends a refused message again.
    retry_message(id: String) -> () { app.retry_message(id).await }
    /// Discards a message that waits, is being sent, or was refused.
    discard_message(id: String) -> () { app.discard_message(id).await }
    /// Reports that the reader left a conversation: its reads are acknowledged at once.
    leave_thread(thread: ThreadId) -> () { app.leave_thread(thread).await }
    /// Returns the readers of a group message.
    read_by(thread: ThreadId, msgid: String) -> ReadBy { app.read_by(thread, msgid).await }
    /// Returns the members of a group, the reader last.
    members(thread: ThreadId) -> Vec<Member> { app.members(thread).await }

    /// Opens a web or mail address in its program, a `tidings:` link in this window.
    open_link(url: String) -> () { app.open_link(&url).await }
    /// Runs a button of an item, unless it differs from `button`. Returns a sentence that says how it went.
    run_action(thread: ThreadId, msgid: String, index: usize, button: ActionView) -> String {
        app.run_action(thread, msgid, index, &button).await
    }
    /// Shows a native context menu at a position in the page, px. Returns the id of the chosen line, or null.
    popup(entries: Vec<MenuEntry>, at: (i32, i32)) -> Option<String> { Ok(app.inner.ports.menus.popup(entries, at).await) }
    /// Ends the program, as the menu of its tray icon does.
    quit() -> () { app.inner.ports.window.quit(); Ok(()) }

    /// Stores settings. Returns the settings in force.
    settings(settings: Settings) -> Settings { app.settings(&settings).await }
    /// Switches autostart on or off. Returns the state read back afterwards.
    autostart(on: bool) -> bool { Ok(app.autostart(on)) }
    /// Pauses toasts until a time, milliseconds since 1970; 0 pauses until switched on again, null ends the pause.
    pause_toasts(until: Option<i64>) -> () { app.pause_toasts(until).await }
    /// Sets the notify settings of a source. Returns those in force.
    set_source_notify(source: SourceId, notify: NotifySettings) -> NotifySettings {
        app.set_source_notify(source, notify).await
    }
    /// Sets the notify settings of a thread. Returns those in force.
    set_thread_notify(thread: ThreadId, notify: NotifySettings) -> NotifySettings {
        app.set_thread_notify(thread, notify).await
    }
    /// Returns the rules in their order.
    rules() -> Vec<Rule> { app.rules().await }
    /// Saves a rule; an id of 0 adds a new one. Returns all rules in order, as the next two commands do.
    save_rule(rule: Rule) -> Vec<Rule> { app.save_rule(rule).await }
    /// Removes a rule.
    remove_rule(id: i64) -> Vec<Rule> { app.remove_rule(id).await }
    /// Puts the rules into the given order.
    order_rules(ids: Vec<i64>) -> Vec<Rule> { app.order_rules(ids).await }
    /// Tries a rule on the newest items, without saving it.
    try_rule(rule: Rule) -> RuleTrial { app.try_rule(rule).await }

    /// Tests a source without saving anything.
    test_source(form: SourceForm) -> SourceTest { app.test_source(form).await }
    /// Adds a source, if it can be reached. Returns its id.
    add_source(form: SourceForm) -> SourceId { app.add_source(form).await }
    /// Renames a source.
    rename_source(source: SourceId, name: String) -> () { app.rename_source(source, name).await }
    /// Pauses or resumes a source.
    pause_source(source: SourceId, on: bool) -> () { app.pause_source(source, on).await }
    /// Removes a source; `keep` leaves its items in the inbox.
    remove_source(source: SourceId, keep: bool) -> () { app.remove_source(source, keep).await }
    /// Gives a source a new token of the same user.
    sign_in_source(source: SourceId, token: String) -> SourceTest { app.sign_in_source(source, token).await }
    /// Pulls one source at once.
    try_source(source: SourceId) -> () { app.try_source(source).await }
    /// Puts the sources into the given order.
    order_sources(ids: Vec<SourceId>) -> () { app.order_sources(ids).await }

    /// Returns the state of this computer's own server, with its tokens.
    server() -> ServerView { app.server().await }
    /// Moves the own server to a port, and opens or closes it to other devices. Where that fails it stays as it is, and
    /// the error says why.
    set_server(port: Option<u16>, others: bool) -> ServerView { app.set_server(port, others).await }
    /// Lets pages of these origins, and no others, use the own server with a token.
    set_origins(origins: Vec<String>) -> ServerView { app.set_origins(origins).await }
    /// Creates a token. Its secret is in this answer and nowhere else.
    create_token(label: String, reads: bool) -> NewToken { app.create_token(label, reads).await }
    /// Revokes a token; its open streams end at once.
    revoke_token(id: String) -> ServerView { app.revoke_token(id).await }

    /// Returns the lines that publish to the own server, for what the reader chose.
    publishing(form: PublishForm) -> PublishView { app.publishing(form).await }
    /// Makes an application of Gotify's API. Its token is in this answer and nowhere else.
    create_application(name: String) -> String { app.create_application(name).await }
    /// Publishes a test notification as a line with these choices would.
    test_publishing(form: PublishForm, door: PublishDoor) -> () { app.test_publishing(form, door).await }

    /// Returns the topics of the own server with what is set for each.
    topics() -> TopicsView { app.topics().await }
    /// Sets everything for a topic but the secrets that are not named.
    save_topic(form: TopicForm) -> TopicSaved { app.save_topic(form).await }
    /// Removes what is set for a topic; what was published on it stays.
    remove_topic(topic: String) -> TopicsView { app.remove_topic(topic).await }
    /// Tries a template on the last payloads of a topic, without setting it.
    try_template(topic: String, template: String) -> TemplateTrial { app.try_template(topic, template).await }

    /// Returns the sizes on disk.
    storage() -> StorageView { app.storage().await }
    /// Compacts the databases of inbox and server.
    compact() -> StorageView { app.compact().await }
    /// Exports the inbox to a file. Null where the desktop's dialog was cancelled, as in the next four commands.
    export_inbox(format: ExportFormat) -> Option<FileResult> { app.export_inbox(format).await }
    /// Writes a backup of server and inbox to one file.
    backup() -> Option<FileResult> { app.backup().await }
    /// Replaces server and inbox by a backup.
    restore() -> Option<FileResult> { app.restore().await }
    /// Exports settings, sources, rules and saved searches to a file.
    export_settings() -> Option<FileResult> { app.export_settings().await }
    /// Imports a file that `export_settings` wrote.
    import_settings() -> Option<FileResult> { app.import_settings().await }
    /// Shows a folder in the desktop's file manager.
    open_folder(folder: Folder) -> () { app.open_folder(folder) }

    /// Starts to download an attachment, or returns its state; progress arrives as events.
    fetch_file(thread: ThreadId, msgid: String) -> FileState { app.fetch_file(thread, msgid).await }
    /// Cancels a download.
    cancel_file(thread: ThreadId, msgid: String) -> () { app.cancel_file(thread, msgid) }
    /// Returns a preview of a downloaded attachment.
    preview_file(thread: ThreadId, msgid: String) -> Preview { app.preview_file(thread, msgid).await }
    /// Downloads a remote image of an item in the thread.
    show_image(thread: ThreadId, address: String) -> Preview { app.show_image(thread, &address).await }
    /// Copies a downloaded attachment to a file that the reader chooses. Null where the dialog was cancelled.
    save_file(thread: ThreadId, msgid: String) -> Option<FileResult> { app.save_file(thread, msgid).await }
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
