//! The table of strings about sources, the own server, storage and files.

use tidings_sync::CertificateFault;
use tidings_sync::certificates::CertificateError;

/// The strings of one language. A function's parameters are named in its comment; `host` is a server's host name.
#[derive(Debug)]
pub(crate) struct SettingsStrings {
    /// `(example)`: no address was entered.
    pub(crate) no_address: fn(&str) -> String,
    /// `(text, example)`: the entered text is not an address.
    pub(crate) bad_address: fn(&str, &str) -> String,
    /// No token of a Tidings server was entered.
    pub(crate) no_token: &'static str,
    /// `(service)`: no token of another service was entered.
    pub(crate) no_token_of: fn(&str) -> String,
    /// The source takes no token.
    pub(crate) takes_no_token: &'static str,
    /// `(protocol)`: this version does not support the protocol.
    pub(crate) unknown_protocol: fn(&str) -> String,
    /// `(protocol, its label)`: the service as the next sentence names it, with an article if it needs one.
    pub(crate) service: fn(&str, &str) -> String,
    /// `(host, service)`: the host answers, but not as this service.
    pub(crate) not_service: fn(&str, &str) -> String,
    /// `(host, whether the source takes a token)`: the host asks for a sign-in, and no token was sent.
    pub(crate) sign_in_needed: fn(&str, bool) -> String,
    /// `(host)`: the server refused the token.
    pub(crate) wrong_token: fn(&str) -> String,
    /// `(host)`: the token may not read an inbox.
    pub(crate) no_inbox: fn(&str) -> String,
    /// `(host)`: the token of another service may not read notifications.
    pub(crate) no_right: fn(&str) -> String,
    /// `(host)`: the answer is larger than what is read.
    pub(crate) answer_too_large: fn(&str) -> String,
    /// `(host)`: the address redirects to another host.
    pub(crate) redirected: fn(&str) -> String,
    /// `(title)`: a source without a token answered, with its title if it has one.
    pub(crate) connected: fn(Option<&str>) -> String,
    /// `(fault, host)`: a certificate is in the way.
    pub(crate) certificate: fn(CertificateFault, &str) -> String,
    /// `(file, refusal)`: a certificate was not added.
    pub(crate) certificate_refused: fn(&str, &CertificateError) -> String,
    /// The entered text is not the address of a proxy.
    pub(crate) proxy_address: &'static str,
    /// `(number, origin)`: authorities were added.
    pub(crate) authorities_added: fn(usize, &str) -> String,
    /// `(subject, origin)`: a client certificate was added.
    pub(crate) client_added: fn(&str, &str) -> String,
    /// The title of the dialog that chooses a file of authorities.
    pub(crate) title_authorities: &'static str,
    /// The title of the dialog that chooses a client certificate.
    pub(crate) title_client: &'static str,
    /// The title of the dialog that chooses the key of a client certificate.
    pub(crate) title_client_key: &'static str,
    /// `(host)`: there is no route to the host, or its name is unknown.
    pub(crate) offline: fn(&str) -> String,
    /// `(host)`: nothing answers at the address.
    pub(crate) unreachable: fn(&str) -> String,
    /// `(host)`: the answer took too long.
    pub(crate) slow: fn(&str) -> String,
    /// `(host, status)`: the server is unavailable.
    pub(crate) unavailable: fn(&str, u16) -> String,
    /// `(host, status)`: the server refused the request.
    pub(crate) refused: fn(&str, u16) -> String,
    /// This computer cannot make secure connections.
    pub(crate) no_tls: &'static str,
    /// There is no session bus, over which programs send notifications.
    pub(crate) no_session_bus: &'static str,
    /// The session bus lets no program read along.
    pub(crate) monitor_refused: &'static str,
    /// `(most)`: an application cannot be chosen; at most so many can.
    pub(crate) application_not_kept: fn(usize) -> String,
    /// `(name)`: the source exists already, under this name.
    pub(crate) source_exists: fn(&str) -> String,
    /// `(user, unread)`: the sign-in succeeded; each value if known.
    pub(crate) signed_in: fn(Option<&str>, Option<&str>) -> String,
    /// `(address)`: this one answered, of those that an address without a scheme may mean.
    pub(crate) answered: fn(&str) -> String,
    /// `(address)`: the same of one whose requests others in the network can read.
    pub(crate) answered_unencrypted: fn(&str) -> String,
    /// `(name)`: another source has this name.
    pub(crate) name_taken: fn(&str) -> String,
    /// A name is missing or too long.
    pub(crate) name_needed: &'static str,
    /// The own server cannot be removed.
    pub(crate) own_not_removable: &'static str,
    /// A removed source whose items were kept cannot be pulled.
    pub(crate) only_kept: &'static str,
    /// `(token's user, source's user)`: the token belongs to another user.
    pub(crate) other_user: fn(&str, &str) -> String,
    /// `(host)`: the kept token goes to that host only.
    pub(crate) token_of_other_address: fn(&str) -> String,
    /// `(reason)`: the token could not be stored.
    pub(crate) token_not_stored: fn(&str) -> String,

    /// `(host)`: the token of a removed source was taken back there.
    pub(crate) taken_back: fn(&str) -> String,
    /// `(address)`: the token of a removed source is valid until the reader takes it back on this page.
    pub(crate) take_back_by_hand: fn(&str) -> String,
    /// `(host)`: the service has no sign-in with the browser.
    pub(crate) sign_in_not_offered: fn(&str) -> String,
    /// No client id was entered.
    pub(crate) sign_in_no_client: &'static str,
    /// `(host)`: the service does not take the client id.
    pub(crate) sign_in_wrong_client: fn(&str) -> String,
    /// `(host)`: the reader did not agree on the page of the service.
    pub(crate) sign_in_denied: fn(&str) -> String,
    /// Nobody agreed in time.
    pub(crate) sign_in_expired: &'static str,
    /// `(reason)`: there is no port for the way back from the browser.
    pub(crate) sign_in_no_port: fn(&str) -> String,
    /// The sign-in has ended or was replaced by another one.
    pub(crate) sign_in_over: &'static str,
    /// The page in the browser, after the reader agreed.
    pub(crate) sign_in_page_done: &'static str,
    /// The page in the browser, after the reader did not agree.
    pub(crate) sign_in_page_denied: &'static str,
    /// The page in the browser for an address that is of no sign-in.
    pub(crate) sign_in_page_unknown: &'static str,

    /// `(port, address where the server goes on)`: another program uses the port.
    pub(crate) port_taken: fn(u16, Option<&str>) -> String,
    /// `(port, address where the server goes on)`: the process may not use the port.
    pub(crate) port_denied: fn(u16, Option<&str>) -> String,
    /// `(reason, address where the server goes on)`: the server cannot listen there.
    pub(crate) server_failed: fn(&str, Option<&str>) -> String,
    /// `(text)`: the text is not the origin of web pages.
    pub(crate) bad_origin: fn(&str) -> String,
    /// `(number)`: so many origins can be allowed at most.
    pub(crate) too_many_origins: fn(usize) -> String,
    /// The own server does not run.
    pub(crate) no_server: &'static str,
    /// A line with a new token works on this computer alone.
    pub(crate) only_here: &'static str,
    /// `(id)`: the id of a new user is taken, or was that of one who was removed.
    pub(crate) user_taken: fn(&str) -> String,
    /// The id of a user is not valid.
    pub(crate) user_id_needed: &'static str,
    /// The name of a user is missing or too long.
    pub(crate) user_name_needed: &'static str,
    /// The app's own user can't be removed.
    pub(crate) user_is_own: &'static str,
    /// `(id)`: a user was exported.
    pub(crate) user_exported: fn(&str) -> String,
    /// The title of the dialog that exports a user.
    pub(crate) title_user_export: &'static str,
    /// The label of a token is missing or too long.
    pub(crate) label_needed: &'static str,
    /// The text of the message in lines that publish; without quotation marks, backslashes and dollar signs.
    pub(crate) example_message: &'static str,
    /// The text of a test notification.
    pub(crate) test_message: &'static str,
    /// The name can't be a topic; says which characters it may have.
    pub(crate) topic_invalid: &'static str,
    /// `(topic)`: the name is one that the server uses itself.
    pub(crate) topic_reserved: fn(&str) -> String,
    /// `(topic)`: the topic to add has settings already.
    pub(crate) topic_exists: fn(&str) -> String,
    /// The display name of a topic is too long or has line breaks.
    pub(crate) topic_name_wrong: &'static str,
    /// The address of a topic's icon is none, or too long.
    pub(crate) topic_icon_wrong: &'static str,
    /// The users who may publish on a topic, or read it, are too many, or one is no id.
    pub(crate) topic_users_wrong: &'static str,
    /// The time within which a notification is expected is none, or out of bounds.
    pub(crate) topic_expect_wrong: &'static str,
    /// A topic's secret is too long.
    pub(crate) topic_secret_wrong: &'static str,
    /// `(line, reason, in English)`: where a template is wrong.
    pub(crate) template_line: fn(u32, &str) -> String,
    /// `(reason)`: the template can't be read.
    pub(crate) template_wrong: fn(&str) -> String,
    /// `(status)`: the own server refused a request about topics.
    pub(crate) topic_refused: fn(u16) -> String,
    /// The own server did not answer.
    pub(crate) own_unanswered: &'static str,
    /// The text can't be a token.
    pub(crate) token_invalid: &'static str,
    /// The own server refused the token of a test notification.
    pub(crate) test_refused: &'static str,
    /// `(status)`: the own server refused a test notification.
    pub(crate) test_failed: fn(u16) -> String,
    /// The own server did not answer to a test notification.
    pub(crate) test_unanswered: &'static str,
    /// `(reason)`: the own server is not announced in the network.
    pub(crate) not_discovered: fn(&str) -> String,

    /// `(needed, free)`: the disk has too little free space to free up more.
    pub(crate) compact_no_room: fn(&str, &str) -> String,
    /// `(needed, free)`: the disk has too little free space for restoring a backup.
    pub(crate) restore_no_room: fn(&str, &str) -> String,
    /// `(count)`: notifications were exported.
    pub(crate) exported: fn(&str) -> String,
    /// `(path, size)`: a backup was written.
    pub(crate) backed_up: fn(&str, &str) -> String,
    /// `(count)`: a backup was restored, with this many notifications.
    pub(crate) restored: fn(&str) -> String,
    /// `(file)`: the file is no backup.
    pub(crate) not_backup: fn(&str) -> String,
    /// `(reason)`: a backup could not be restored.
    pub(crate) not_restored: fn(&str) -> String,
    /// `(reason)`: the own server's stamps were not mended.
    pub(crate) clock_not_mended: fn(&str) -> String,
    /// `(reason)`: a file could not be written.
    pub(crate) not_written: fn(&str) -> String,
    /// The data folder cannot be used in this session.
    pub(crate) data_folder_unusable: &'static str,
    /// Settings were exported.
    pub(crate) settings_written: &'static str,
    /// `(file)`: the file holds no settings.
    pub(crate) not_settings: fn(&str) -> String,
    /// `(rules, searches, sources)`: settings were imported, and so many of each were added.
    pub(crate) settings_read: fn(usize, usize, usize) -> String,
    /// An imported file would let other devices connect, which it may not.
    pub(crate) others_not_allowed: &'static str,
    /// An imported file would let pages in a browser use the own server, which it may not.
    pub(crate) origins_not_allowed: &'static str,
    /// `(first, second)`: joins two sentences; the first has no full stop.
    pub(crate) join_sentences: fn(&str, &str) -> String,

    /// `(count)`: so many feeds were written.
    pub(crate) feeds_written: fn(&str) -> String,
    /// `(file)`: the file is of no program that sources are imported from.
    pub(crate) import_unknown: fn(&str) -> String,
    /// `(file)`: the file is too large.
    pub(crate) import_large: fn(&str) -> String,
    /// `(file)`: the file takes too much memory or time to read.
    pub(crate) import_complex: fn(&str) -> String,
    /// `(file)`: the file could not be read before, and is passed by.
    pub(crate) import_passed_by: fn(&str) -> String,
    /// `(file)`: no process could read the file.
    pub(crate) import_busy: fn(&str) -> String,
    /// A source of a file is on this computer or its network, and was not asked.
    pub(crate) import_private: &'static str,
    /// `(file, reason)`: the file could not be read.
    pub(crate) import_unreadable: fn(&str, &str) -> String,
    /// The title of the dialog that imports sources.
    pub(crate) title_import: &'static str,
    /// The title of the dialog that exports feeds.
    pub(crate) title_export_feeds: &'static str,
    /// The title of the dialog that exports the inbox.
    pub(crate) title_export: &'static str,
    /// The title of the dialog that writes a backup.
    pub(crate) title_backup: &'static str,
    /// The title of the dialog that restores a backup.
    pub(crate) title_restore: &'static str,
    /// The title of the dialog that exports settings.
    pub(crate) title_settings_export: &'static str,
    /// The title of the dialog that imports settings.
    pub(crate) title_settings_import: &'static str,
    /// The title of the dialog that saves an attachment.
    pub(crate) title_save: &'static str,
    /// The title of the dialog that chooses a file to attach.
    pub(crate) title_attach: &'static str,

    /// `(host)`: the file does not exist there any more.
    pub(crate) file_gone: fn(&str) -> String,
    /// `(limit)`: the file is too large.
    pub(crate) file_large: fn(&str) -> String,
    /// The file's address redirects to one that is not followed.
    pub(crate) file_redirected: &'static str,
    /// What a host answered is no icon that can be shown.
    pub(crate) no_icon: fn(host: &str) -> String,
    /// `(reason)`: the file could not be stored.
    pub(crate) file_disk: fn(&str) -> String,
    /// The file was saved where the reader chose.
    pub(crate) file_saved: &'static str,
    /// The file has to be downloaded first.
    pub(crate) file_not_downloaded: &'static str,

    /// `(source)`: the source's server takes no files in messages.
    pub(crate) attach_no_files: fn(&str) -> String,
    /// `(limit)`: the chosen file is larger than the server takes.
    pub(crate) attach_too_large: fn(&str) -> String,
    /// `(number)`: no more files can be attached.
    pub(crate) attach_too_many: fn(usize) -> String,
    /// A folder or device was chosen.
    pub(crate) attach_no_file: &'static str,
    /// `(reason)`: the chosen file could not be copied.
    pub(crate) attach_failed: fn(&str) -> String,

    /// The link's target is not in this inbox.
    pub(crate) link_unknown: &'static str,
    /// The link cannot be parsed.
    pub(crate) link_bad: &'static str,
}
