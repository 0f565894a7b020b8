//! The table of strings about sources, the own server, storage and files.

use tidings_net::CertificateFault;
use tidings_net::certificates::CertificateError;

/// The strings of one language. A function's parameters are named in its comment; `host` is a server's host name.
#[derive(Debug)]
pub struct SettingsStrings {
    /// `(example)`: no address was entered.
    pub no_address: fn(&str) -> String,
    /// `(text, example)`: the entered text is not an address.
    pub bad_address: fn(&str, &str) -> String,
    /// No token of a Tidings server was entered.
    pub no_token: &'static str,
    /// `(service)`: no token of another service was entered.
    pub no_token_of: fn(&str) -> String,
    /// The source takes no token.
    pub takes_no_token: &'static str,
    /// `(protocol)`: this version does not support the protocol.
    pub unknown_protocol: fn(&str) -> String,
    /// `(protocol, its label)`: the service as the next sentence names it, with an article if it needs one.
    pub service: fn(&str, &str) -> String,
    /// `(host, service)`: the host answers, but not as this service.
    pub not_service: fn(&str, &str) -> String,
    /// `(host, whether the source takes a token)`: the host asks for a sign-in, and no token was sent.
    pub sign_in_needed: fn(&str, bool) -> String,
    /// `(host)`: the server refused the token.
    pub wrong_token: fn(&str) -> String,
    /// `(host)`: the token may not read an inbox.
    pub no_inbox: fn(&str) -> String,
    /// `(host)`: the token of another service may not read notifications.
    pub no_right: fn(&str) -> String,
    /// `(host)`: the answer is larger than what is read.
    pub answer_too_large: fn(&str) -> String,
    /// `(host)`: the address redirects to another host.
    pub redirected: fn(&str) -> String,
    /// `(title)`: a source without a token answered, with its title if it has one.
    pub connected: fn(Option<&str>) -> String,
    /// `(fault, host)`: a certificate is in the way.
    pub certificate: fn(CertificateFault, &str) -> String,
    /// `(file, refusal)`: a certificate was not added.
    pub certificate_refused: fn(&str, &CertificateError) -> String,
    /// The entered text is not the address of a proxy.
    pub proxy_address: &'static str,
    /// `(number, origin)`: authorities were added.
    pub authorities_added: fn(usize, &str) -> String,
    /// `(subject, origin)`: a client certificate was added.
    pub client_added: fn(&str, &str) -> String,
    /// The title of the dialog that chooses a file of authorities.
    pub title_authorities: &'static str,
    /// The title of the dialog that chooses a client certificate.
    pub title_client: &'static str,
    /// The title of the dialog that chooses the key of a client certificate.
    pub title_client_key: &'static str,
    /// `(host)`: there is no address for the name of the host.
    pub name_not_found: fn(&str) -> String,
    /// `(host)`: there is no route to the host.
    pub offline: fn(&str) -> String,
    /// `(host)`: nothing answers at the address.
    pub unreachable: fn(&str) -> String,
    /// `(host)`: the answer took too long.
    pub slow: fn(&str) -> String,
    /// `(host, status)`: the server is unavailable.
    pub unavailable: fn(&str, u16) -> String,
    /// `(host, status)`: the server refused the request.
    pub refused: fn(&str, u16) -> String,
    /// This computer cannot make secure connections.
    pub no_tls: &'static str,
    /// There is no session bus, over which programs send notifications.
    pub no_session_bus: &'static str,
    /// The session bus lets no program read along.
    pub monitor_refused: &'static str,
    /// `(most)`: an application cannot be chosen; at most so many can.
    pub application_not_kept: fn(usize) -> String,
    /// `(name)`: the source exists already, under this name.
    pub source_exists: fn(&str) -> String,
    /// `(user, unread)`: the sign-in succeeded; each value if known.
    pub signed_in: fn(Option<&str>, Option<&str>) -> String,
    /// `(address)`: this one answered, of those that an address without a scheme may mean.
    pub answered: fn(&str) -> String,
    /// `(address)`: the same of one whose requests others in the network can read.
    pub answered_unencrypted: fn(&str) -> String,
    /// `(name)`: another source has this name.
    pub name_taken: fn(&str) -> String,
    /// A name is missing or too long.
    pub name_needed: &'static str,
    /// The own server cannot be removed.
    pub own_not_removable: &'static str,
    /// A removed source whose items were kept cannot be pulled.
    pub only_kept: &'static str,
    /// `(token's user, source's user)`: the token belongs to another user.
    pub other_user: fn(&str, &str) -> String,
    /// `(host)`: the kept token goes to that host only.
    pub token_of_other_address: fn(&str) -> String,
    /// `(reason)`: the token could not be stored.
    pub token_not_stored: fn(&str) -> String,

    /// `(host)`: the token of a removed source was taken back there.
    pub taken_back: fn(&str) -> String,
    /// `(address)`: the token of a removed source is valid until the reader takes it back on this page.
    pub take_back_by_hand: fn(&str) -> String,
    /// `(host)`: the service has no sign-in with the browser.
    pub sign_in_not_offered: fn(&str) -> String,
    /// No client id was entered.
    pub sign_in_no_client: &'static str,
    /// `(host)`: the service does not take the client id.
    pub sign_in_wrong_client: fn(&str) -> String,
    /// `(host)`: the reader did not agree on the page of the service.
    pub sign_in_denied: fn(&str) -> String,
    /// Nobody agreed in time.
    pub sign_in_expired: &'static str,
    /// `(reason)`: there is no port for the way back from the browser.
    pub sign_in_no_port: fn(&str) -> String,
    /// The sign-in has ended or was replaced by another one.
    pub sign_in_over: &'static str,
    /// The page in the browser, after the reader agreed.
    pub sign_in_page_done: &'static str,
    /// The page in the browser, after the reader did not agree.
    pub sign_in_page_denied: &'static str,
    /// The page in the browser for an address that is of no sign-in.
    pub sign_in_page_unknown: &'static str,

    /// `(port, address where the server goes on)`: another program uses the port.
    pub port_taken: fn(u16, Option<&str>) -> String,
    /// `(port, address where the server goes on)`: the process may not use the port.
    pub port_denied: fn(u16, Option<&str>) -> String,
    /// `(reason, address where the server goes on)`: the server cannot listen there.
    pub server_failed: fn(&str, Option<&str>) -> String,
    /// `(text)`: the text is not the origin of web pages.
    pub bad_origin: fn(&str) -> String,
    /// `(number)`: so many origins can be allowed at most.
    pub too_many_origins: fn(usize) -> String,
    /// The own server does not run.
    pub no_server: &'static str,
    /// A line with a new token works on this computer alone.
    pub only_here: &'static str,
    /// `(id)`: the id of a new user is taken, or was that of one who was removed.
    pub user_taken: fn(&str) -> String,
    /// The id of a user is not valid.
    pub user_id_needed: &'static str,
    /// The name of a user is missing or too long.
    pub user_name_needed: &'static str,
    /// The app's own user can't be removed.
    pub user_is_own: &'static str,
    /// `(id)`: a user was exported.
    pub user_exported: fn(&str) -> String,
    /// The title of the dialog that exports a user.
    pub title_user_export: &'static str,
    /// The label of a token is missing or too long.
    pub label_needed: &'static str,
    /// The text of the message in lines that publish; without quotation marks, backslashes and dollar signs.
    pub example_message: &'static str,
    /// The text of a test notification.
    pub test_message: &'static str,
    /// The name can't be a topic; says which characters it may have.
    pub topic_invalid: &'static str,
    /// `(topic)`: the name is one that the server uses itself.
    pub topic_reserved: fn(&str) -> String,
    /// `(topic)`: the topic to add has settings already.
    pub topic_exists: fn(&str) -> String,
    /// The display name of a topic is too long or has line breaks.
    pub topic_name_wrong: &'static str,
    /// The address of a topic's icon is none, or too long.
    pub topic_icon_wrong: &'static str,
    /// The users who may publish on a topic, or read it, are too many, or one is no id.
    pub topic_users_wrong: &'static str,
    /// The time within which a notification is expected is none, or out of bounds.
    pub topic_expect_wrong: &'static str,
    /// A topic's secret is too long.
    pub topic_secret_wrong: &'static str,
    /// `(line, reason, in English)`: where a template is wrong.
    pub template_line: fn(u32, &str) -> String,
    /// `(reason)`: the template can't be read.
    pub template_wrong: fn(&str) -> String,
    /// `(status)`: the own server refused a request about topics.
    pub topic_refused: fn(u16) -> String,
    /// The own server did not answer.
    pub own_unanswered: &'static str,
    /// The text can't be a token.
    pub token_invalid: &'static str,
    /// The own server refused the token of a test notification.
    pub test_refused: &'static str,
    /// `(status)`: the own server refused a test notification.
    pub test_failed: fn(u16) -> String,
    /// The own server did not answer to a test notification.
    pub test_unanswered: &'static str,
    /// `(reason)`: the own server is not announced in the network.
    pub not_discovered: fn(&str) -> String,

    /// `(needed, free)`: the disk has too little free space to free up more.
    pub compact_no_room: fn(&str, &str) -> String,
    /// `(needed, free)`: the disk has too little free space for restoring a backup.
    pub restore_no_room: fn(&str, &str) -> String,
    /// `(count)`: notifications were exported.
    pub exported: fn(&str) -> String,
    /// `(path, size)`: a backup was written.
    pub backed_up: fn(&str, &str) -> String,
    /// `(count)`: a backup was restored, with this many notifications.
    pub restored: fn(&str) -> String,
    /// `(file)`: the file is no backup.
    pub not_backup: fn(&str) -> String,
    /// `(reason)`: a backup could not be restored.
    pub not_restored: fn(&str) -> String,
    /// `(reason)`: the own server's stamps were not mended.
    pub clock_not_mended: fn(&str) -> String,
    /// `(reason)`: a file could not be written.
    pub not_written: fn(&str) -> String,
    /// The data folder cannot be used in this session.
    pub data_folder_unusable: &'static str,
    /// Settings were exported.
    pub settings_written: &'static str,
    /// `(file)`: the file holds no settings.
    pub not_settings: fn(&str) -> String,
    /// `(rules, searches, sources)`: settings were imported, and so many of each were added.
    pub settings_read: fn(usize, usize, usize) -> String,
    /// An imported file would let other devices connect, which it may not.
    pub others_not_allowed: &'static str,
    /// An imported file would let pages in a browser use the own server, which it may not.
    pub origins_not_allowed: &'static str,
    /// `(first, second)`: joins two sentences; the first has no full stop.
    pub join_sentences: fn(&str, &str) -> String,

    /// `(count)`: so many feeds were written.
    pub feeds_written: fn(&str) -> String,
    /// `(file)`: the file is of no program that sources are imported from.
    pub import_unknown: fn(&str) -> String,
    /// `(file)`: the file is too large.
    pub import_large: fn(&str) -> String,
    /// `(file)`: the file takes too much memory or time to read.
    pub import_complex: fn(&str) -> String,
    /// `(file)`: the file could not be read before, and is passed by.
    pub import_passed_by: fn(&str) -> String,
    /// `(file)`: no process could read the file.
    pub import_busy: fn(&str) -> String,
    /// A source of a file is on this computer or its network, and was not asked.
    pub import_private: &'static str,
    /// `(file, reason)`: the file could not be read.
    pub import_unreadable: fn(&str, &str) -> String,
    /// The title of the dialog that imports sources.
    pub title_import: &'static str,
    /// The title of the dialog that exports feeds.
    pub title_export_feeds: &'static str,
    /// The title of the dialog that exports the inbox.
    pub title_export: &'static str,
    /// The title of the dialog that writes a backup.
    pub title_backup: &'static str,
    /// The title of the dialog that restores a backup.
    pub title_restore: &'static str,
    /// The title of the dialog that exports settings.
    pub title_settings_export: &'static str,
    /// The title of the dialog that imports settings.
    pub title_settings_import: &'static str,
    /// The title of the dialog that saves an attachment.
    pub title_save: &'static str,
    /// The title of the dialog that chooses a file to attach.
    pub title_attach: &'static str,
    /// The title of the dialog that chooses a file as a sound.
    pub title_sound: &'static str,
    /// The chosen file cannot be a sound.
    pub sound_refused: &'static str,

    /// `(host)`: the file does not exist there any more.
    pub file_gone: fn(&str) -> String,
    /// `(limit)`: the file is too large.
    pub file_large: fn(&str) -> String,
    /// The file's address redirects to one that is not followed.
    pub file_redirected: &'static str,
    /// What a host answered is no icon that can be shown.
    pub no_icon: fn(host: &str) -> String,
    /// `(reason)`: the file could not be stored.
    pub file_disk: fn(&str) -> String,
    /// The file was saved where the reader chose.
    pub file_saved: &'static str,
    /// The file has to be downloaded first.
    pub file_not_downloaded: &'static str,

    /// `(source)`: the source's server takes no files in messages.
    pub attach_no_files: fn(&str) -> String,
    /// `(limit)`: the chosen file is larger than the server takes.
    pub attach_too_large: fn(&str) -> String,
    /// `(number)`: no more files can be attached.
    pub attach_too_many: fn(usize) -> String,
    /// A folder or device was chosen.
    pub attach_no_file: &'static str,
    /// `(reason)`: the chosen file could not be copied.
    pub attach_failed: fn(&str) -> String,

    /// The link's target is not in this inbox.
    pub link_unknown: &'static str,
    /// The link cannot be parsed.
    pub link_bad: &'static str,
}
