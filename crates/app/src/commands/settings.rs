//! The commands of everything around the inbox: settings, rules, sources, the own server and storage.

macro_rules! settings_commands {
    ($next:ident $($then:ident)*; $($tables:tt)*) => {
        $next! { $($then)*; $($tables)* { app;
            /// Returns whether there is a newer version of the program. Asks nobody: the feed of releases is asked once a day.
            releases() -> Releases { app.release_watch.releases().await }
            /// Closes the notice of a newer version for good; the next version has one again.
            close_release_notice() -> () { app.release_watch.close_notice().await }
            /// Stores settings. Returns the settings in force.
            settings(settings: Settings) -> Settings { app.settings.settings(&settings).await }
            /// Lets the reader choose a file as a sound, and returns it for the settings. Null if the dialog was cancelled.
            choose_sound() -> Option<Sound> { app.settings.choose_sound().await }
            /// Switches autostart on or off. Returns the state read back afterwards.
            autostart(on: bool) -> bool { Ok(app.settings.autostart(on).await) }
            /// Pauses toasts until a time, milliseconds since 1970; 0 pauses until switched on again, null ends the pause.
            pause_toasts(until: Option<i64>) -> () { app.silence.pause_toasts(until).await }
            /// Sends a test notification the way of a real one, and returns the desktop's answer.
            test_notification() -> TestNotification { app.test_notifications.test_notification().await }
            /// Returns the keys that show and hide the window from anywhere.
            global_shortcut() -> GlobalShortcutView { Ok(app.global_keys.global_shortcut()) }
            /// Sets these keys, or none. Keys that cannot be had are an error, and those before stay.
            set_global_shortcut(keys: Option<String>) -> GlobalShortcutView {
                app.global_keys.set_global_shortcut(keys).await
            }
            /// Sets the notify settings of a source. Returns those in force.
            set_source_notify(source: SourceId, notify: NotifySettings) -> NotifySettings {
                app.rules.set_source_notify(source, notify).await
            }
            /// Sets the notify settings of a thread. Returns those in force.
            set_thread_notify(thread: ThreadId, notify: NotifySettings) -> NotifySettings {
                app.rules.set_thread_notify(thread, notify).await
            }
            /// Returns what is quiet now, and why.
            quiet_now() -> QuietNow { app.silence.quiet_now().await }
            /// Mutes a source, or only an origin of it unless that is empty (`ThreadRow.origin`), until a time in milliseconds since
            /// 1970; null mutes it until it is unmuted.
            mute(source: SourceId, origin: String, until: Option<i64>) -> () {
                app.mutes.mute(source, origin, until).await
            }
            /// Ends the mute of a source or origin.
            unmute(source: SourceId, origin: String) -> () { app.mutes.unmute(source, origin).await }
            /// Returns the rules in their order.
            rules() -> Vec<Rule> { app.rules.rules().await }
            /// Saves a rule; an id of 0 adds a new one. Returns all rules in order, as the next two commands do.
            save_rule(rule: Rule) -> Vec<Rule> { app.rules.save_rule(rule).await }
            /// Removes a rule.
            remove_rule(id: i64) -> Vec<Rule> { app.rules.remove_rule(id).await }
            /// Puts the rules into the given order.
            order_rules(ids: Vec<i64>) -> Vec<Rule> { app.rules.order_rules(ids).await }
            /// Tries a rule on the newest items, without saving it.
            try_rule(rule: Rule) -> RuleTrial { app.rules.try_rule(rule).await }
            /// Applies a rule, which acts on arriving items, to the newest items. Returns its effect.
            apply_rule(rule: Rule) -> Marked { app.marks.apply_rule(rule).await }
            /// Returns values of a rule's field that begin like `text`, at most 8.
            complete_rule(field: RuleField, text: String) -> Vec<RuleValue> {
                app.rules.complete_rule(field, text).await
            }
            /// Returns how many items each rule acted on, for each of the last 14 days that has any, oldest first.
            rule_days() -> Vec<RuleDay> { app.rules.rule_days().await }
            /// Returns the last 20 items on which a rule acted, the latest first.
            rule_acts(rule: i64) -> Vec<RuleAct> { app.rules.rule_acts(rule).await }

            /// Returns how many items came from each source, topic and repository in the last 30 days, and how many of them are
            /// unread.
            noise() -> Noise { app.noise_report.noise().await }

            /// Shows the icons that a source's publishers name, or only those that are asked for.
            set_source_icons(source: SourceId, on: bool) -> () { app.icons.set_source_icons(source, on).await }
            /// Keeps the notifications of an application of this desktop in the source for them, or keeps them no longer.
            keep_application(source: SourceId, name: String, on: bool) -> () {
                app.sources.keep_application(source, &name, on).await
            }
            /// Tests a source without saving anything.
            test_source(form: SourceForm) -> SourceTest { app.sources.test_source(form).await }
            /// Adds a source, if it can be reached. Returns its id.
            add_source(form: SourceForm) -> SourceId { app.sources.add_source(form).await }
            /// Lets the reader choose a file of another program and returns the sources in it; adds none. Null if the dialog
            /// was cancelled.
            read_import() -> Option<ImportView> { app.imports.read_import().await }
            /// Adds a line of a file that was read, if it answers. A token replaces the one in the file; an empty one does not. The
            /// answer says under which name it was added, or why it was not.
            add_imported(id: u32, line: u32, token: String, known: bool) -> SourceTest {
                app.imports.add_imported(id, line, &token, known).await
            }
            /// Forgets a file that was read, with its tokens.
            end_import(id: u32) -> () { app.imports.end_import(id); Ok(()) }
            /// Writes the feeds to a file, for other programs. Null if the dialog was cancelled.
            export_feeds() -> Option<FileResult> { app.imports.export_feeds().await }
            /// Changes the name, the address and the token of a source; the empty token keeps the one it has. Says whether what
            /// changed was accepted.
            edit_source(source: SourceId, form: SourceForm) -> SourceTest {
                app.sources.edit_source(source, form).await
            }
            /// Pauses or resumes a source.
            pause_source(source: SourceId, on: bool) -> () { app.sources.pause_source(source, on).await }
            /// Returns a sentence for who is about to remove a source, or null.
            removal_hint(source: SourceId) -> Option<String> { app.sign_ins.removal_hint(source).await }
            /// Removes a source; `keep` leaves its items in the inbox. Returns a sentence about the token of its sign-in, or null.
            remove_source(source: SourceId, keep: bool) -> Option<String> {
                app.sources.remove_source(source, keep).await
            }
            /// Gives a source a new token of the same user.
            sign_in_source(source: SourceId, token: String) -> SourceTest {
                app.sign_ins.sign_in_source(source, token).await
            }
            /// Returns the client id that is kept for the service of a source at an address as it was typed; empty for none.
            sign_in_client(protocol: String, url: String) -> String {
                app.sign_ins.sign_in_client(protocol, url).await
            }
            /// Begins a sign-in with the browser, in place of one that goes on. Returns what the reader has to do.
            begin_sign_in(form: SignInForm) -> SignInPrompt { app.sign_ins.begin_sign_in(form).await }
            /// Waits until the reader has agreed, and tests the source with the token. That of a new source is kept for
            /// `add_source`, that of a known one is stored.
            finish_sign_in(id: u64) -> SourceTest { app.sign_ins.finish_sign_in(id).await }
            /// Ends a sign-in, and forgets its token if that was not used.
            cancel_sign_in(id: u64) -> () { app.sign_ins.cancel_sign_in(id); Ok(()) }
            /// Returns the certificates that were added for origins.
            certificates() -> Vec<CertificateRow> { app.certificates.certificates().await }
            /// Lets the reader choose a file of authorities, and trusts them at the origin of an address. Null if the dialog
            /// was cancelled.
            add_authorities(address: String) -> Option<CertificatesView> {
                app.certificates.add_authorities(address).await
            }
            /// Lets the reader choose a client certificate and its key, and shows it to the origin of an address. Null if a
            /// dialog was cancelled.
            add_client_certificate(address: String) -> Option<CertificatesView> {
                app.certificates.add_client_certificate(address).await
            }
            /// Removes a certificate of an origin.
            remove_certificate(origin: String, fingerprint: String) -> CertificatesView {
                app.certificates.remove_certificate(origin, fingerprint).await
            }
            /// Returns the proxy of requests to other machines.
            proxy() -> ProxyView { app.proxy.proxy().await }
            /// Sets the proxy. One that can't be used is an error, and that of before stays.
            set_proxy(form: ProxyForm) -> ProxyView { app.proxy.set_proxy(form).await }
            /// Pulls one source at once.
            try_source(source: SourceId) -> () { app.sources.try_source(source).await }
            /// Puts the sources into the given order.
            order_sources(ids: Vec<SourceId>) -> () { app.sources.order_sources(ids).await }

            /// Returns the state of this computer's own server, with its tokens.
            server() -> ServerView { app.server.server().await }
            /// Moves the own server to a port, and opens or closes it to other devices. If that fails it stays as it is, and
            /// the error says why.
            set_server(port: Option<u16>, others: bool) -> ServerView { app.server.set_server(port, others).await }
            /// Lets pages of these origins, and no others, use the own server with a token.
            set_origins(origins: Vec<String>) -> ServerView { app.server.set_origins(origins).await }
            /// Creates a token. Its secret is in this answer and nowhere else.
            create_token(label: String, reads: bool) -> NewToken { app.publishing.create_token(label, reads).await }
            /// Revokes a token; its open streams end at once.
            revoke_token(id: String) -> ServerView { app.server.revoke_token(id).await }
            /// Adds a user of the own server; without a name the id stands for it.
            add_user(id: String, name: String) -> ServerView { app.server.add_user(id, name).await }
            /// Gives a user of the own server another name, which what they publish from now on carries.
            rename_user(id: String, name: String) -> ServerView { app.server.rename_user(id, name).await }
            /// Removes a user of the own server for good; what they wrote is recalled if `recalls`.
            remove_user(id: String, recalls: bool) -> ServerView { app.server.remove_user(id, recalls).await }
            /// Writes all that the own server has of a user to a file. Null if the desktop's dialog was cancelled.
            export_user(id: String) -> Option<FileResult> { app.server.export_user(id).await }

            /// Returns the lines that publish to the own server, for what the reader chose.
            publishing(form: PublishForm) -> PublishView { app.publishing.publishing(form).await }
            /// Makes an application of Gotify's API. Its token is in this answer and nowhere else.
            create_application(name: String) -> String { app.publishing.create_application(name).await }
            /// Publishes a test notification as a line with these choices would.
            test_publishing(form: PublishForm, door: PublishDoor) -> () {
                app.publishing.test_publishing(form, door).await
            }

            /// Returns the topics of the own server with what is set for each.
            topics() -> TopicsView { app.publishing.topics().await }
            /// Sets everything for a topic but the secrets that are not named.
            save_topic(form: TopicForm) -> TopicSaved { app.publishing.save_topic(form).await }
            /// Removes the settings of a topic; its publications stay.
            remove_topic(topic: String) -> TopicsView { app.publishing.remove_topic(topic).await }
            /// Tries a template on the last payloads of a topic, without setting it.
            try_template(topic: String, template: String) -> TemplateTrial {
                app.publishing.try_template(topic, template).await
            }

            /// Returns the sizes on disk.
            storage() -> StorageView { app.storage.storage().await }
            /// Looks at this computer, and returns what works and what does not.
            diagnosis() -> Diagnosis { app.doctor.diagnosis().await }
            /// Compacts the databases of inbox and server.
            compact() -> StorageView { app.storage.compact().await }
            /// Sets the most that one pull of a source brings, MiB.
            set_pull_limit(mebibytes: u32) -> StorageView { app.storage.set_pull_limit(mebibytes).await }
            /// Repairs a damaged inbox. The path is that of the damaged file.
            repair_inbox() -> FileResult { app.repair.repair_inbox().await }
            /// Gives the own server's stamps in the future times of now.
            mend_clock() -> () { app.server.mend_clock().await }
            /// Exports the inbox to a file. Null if the desktop's dialog was cancelled, as in the next four commands.
            export_inbox(format: ExportFormat) -> Option<FileResult> { app.storage.export_inbox(format).await }
            /// Writes a backup of server and inbox to one file.
            backup() -> Option<FileResult> { app.backups.backup().await }
            /// Replaces server and inbox by a backup.
            restore() -> Option<FileResult> { app.backups.restore().await }
            /// Exports settings, sources, rules and saved searches to a file.
            export_settings() -> Option<FileResult> { app.settings_transfer.export_settings().await }
            /// Imports a file that `export_settings` wrote.
            import_settings() -> Option<FileResult> { app.settings_transfer.import_settings().await }
            /// Shows a folder in the desktop's file manager.
            open_folder(folder: Folder) -> () { app.storage.open_folder(folder) }
        } }
    };
}
