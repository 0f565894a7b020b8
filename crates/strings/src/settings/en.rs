//! English strings about sources, the own server, storage and files.

use tidings_net::CertificateFault;
use tidings_net::certificates::CertificateError;

use super::SettingsStrings;

fn former_address_note(at: Option<&str>) -> String {
    at.map_or_else(String::new, |at| format!(" The server still runs at {at}."))
}

fn pluralize(n: usize, singular: &str, plural: &str) -> String {
    format!("{n} {}", if n == 1 { singular } else { plural })
}

pub(crate) static STRINGS: SettingsStrings = SettingsStrings {
    no_address: |example| format!("Enter an address, for example {example}"),
    bad_address: |text, example| format!("“{text}” is not an address. Enter one such as {example}"),
    no_token: "Enter a token. Ask the server’s administrator for one",
    no_token_of: |service| format!("Enter a token. Create one in the settings of {service}"),
    takes_no_token: "This source needs no token",
    unknown_protocol: |name| format!("This version does not support sources of type “{name}”"),
    service: |protocol, label| match protocol {
        "tidings" => "a Tidings server".to_owned(),
        "feed" => "a feed".to_owned(),
        _ => label.to_owned(),
    },
    not_service: |host, service| format!("{host} answers, but not as {service}. Check the address"),
    sign_in_needed: |host, takes_token| {
        let hint =
            if takes_token { ". Enter a token" } else { ", which this type of source does not support" };
        format!("{host} asks for a sign-in{hint}")
    },
    wrong_token: |host| {
        format!("{host} refused the token. Check that it is complete and that nobody has revoked it")
    },
    no_inbox: |host| {
        format!("{host} knows the token, but the token may not read an inbox. Ask for one that may")
    },
    no_right: |host| {
        format!(
            "{host} knows the token, but the token may not read notifications. Give it the permissions that are named above"
        )
    },
    answer_too_large: |host| format!("The answer of {host} is too large. Check the address"),
    redirected: |host| format!("{host} redirects to another host, which is not followed. Check the address"),
    connected: |title| title.map_or_else(|| "Connected".to_owned(), |title| format!("Found: “{title}”")),
    certificate: |fault, host| match fault {
        CertificateFault::UnknownAuthority => format!(
            "The certificate of {host} is signed by an authority that this computer does not know, and no token was \
             sent. If it is your company’s or your own, add its certificate in Settings, Sources, Advanced"
        ),
        CertificateFault::NotValidNow => format!(
            "The certificate of {host} has expired or is not valid yet, and no token was sent. Check this computer’s \
             clock, or tell the server’s administrator"
        ),
        CertificateFault::OtherName => {
            format!("The certificate of {host} is for another name, and no token was sent. Check the address")
        }
        CertificateFault::Untrusted => {
            format!("The certificate of {host} is not trusted, and no token was sent. Check the address")
        }
        CertificateFault::ClientWanted => format!(
            "{host} requires a client certificate that it knows. Add yours, or another one, in Settings, Sources, \
             Advanced"
        ),
        CertificateFault::ClientKey => format!(
            "The key of the client certificate for {host} cannot be read from the keyring. Unlock it, or add the \
             certificate again in Settings, Sources, Advanced"
        ),
    },
    certificate_refused: |file, error| {
        let why = match error {
            CertificateError::Address(text) => return format!("“{text}” is not an address with https"),
            CertificateError::TooLarge => "is larger than 1 MiB",
            CertificateError::NoCertificate => "has no certificate. Choose a PEM file",
            CertificateError::Unreadable => "has a certificate that cannot be read",
            CertificateError::Pkcs12 => {
                "is PKCS#12, which cannot be read. Convert it with “openssl pkcs12 -in FILE -nodes -out FILE.pem”"
            }
            CertificateError::EncryptedKey => {
                "has a key with a password. Remove it with “openssl pkey -in FILE -out FILE.pem”; the key is kept in \
                 the keyring"
            }
            CertificateError::NoKey => "has no private key",
            CertificateError::KeyKind => "has a key that is neither RSA nor of a known elliptic curve",
            CertificateError::KeyMismatch => "has the key of another certificate",
            CertificateError::TooMany => "has too many certificates for one address",
            CertificateError::Disk(error) => return format!("The certificates could not be kept: {error}"),
        };
        format!("{file} {why}. Nothing was added")
    },
    proxy_address: "This is not the address of a proxy. Enter one such as http://proxy.example:3128 or \
        socks5://127.0.0.1:1080",
    authorities_added: |n, origin| {
        let what = if n == 1 { "The authority is".to_owned() } else { format!("{n} authorities are") };
        format!("{what} trusted at {origin} only")
    },
    client_added: |subject, origin| format!("{subject} is used for {origin} only"),
    title_authorities: "Choose the certificate of an authority",
    title_client: "Choose a client certificate",
    title_client_key: "Choose the private key of the client certificate",
    name_not_found: |host| {
        format!(
            "The name {host} cannot be looked up, and nothing was sent. Check the address, and the name server (DNS) of this network"
        )
    },
    offline: |host| format!("{host} cannot be reached. Check the address and this computer’s network"),
    unreachable: |host| format!("No answer from {host}. Check the address, and that the server is running"),
    slow: |host| format!("{host} took too long to answer. Try again later"),
    unavailable: |host, status| format!("{host} cannot answer now ({status}). Try again later"),
    refused: |host, status| format!("{host} refused ({status}). Check the address"),
    no_tls: "This computer cannot make secure connections",
    no_session_bus: "This session has no session bus, over which programs send notifications. Start Tidings in a desktop \
        session",
    monitor_refused: "The session bus does not let Tidings read notifications. Start Tidings outside of a sandbox, and use \
        dbus-daemon 1.10 or newer, or dbus-broker",
    application_not_kept: |most| {
        format!("This program cannot be chosen. You can choose at most {most}, without Tidings itself")
    },
    source_exists: |name| format!("Already added, as “{name}”"),
    signed_in: |who, unread| {
        let signed = who.map_or_else(|| "Signed in".to_owned(), |who| format!("Signed in as {who}"));
        match unread {
            Some("0") => format!("{signed}. All read"),
            Some(n) => format!("{signed}. {n} unread"),
            None => signed,
        }
    },
    answered: |url| format!("{url} answered"),
    answered_unencrypted: |url| {
        format!("{url} answered without encryption. Others in the network can read what is sent")
    },
    name_taken: |name| format!("Another source already has the name “{name}”. Choose another name"),
    name_needed: "Enter a name of at most 64 characters",
    own_not_removable: "This computer’s own server cannot be removed. You can pause it",
    only_kept: "This source was removed; only its notifications are kept. Add it again to receive more",
    other_user: |new_user, user| {
        format!("This token belongs to {new_user}, and the source to {user}. Add it as another source")
    },
    token_of_other_address: |host| {
        format!("The saved token is only sent to {host}. Enter a token for the new address")
    },
    token_not_stored: |why| format!("The token could not be saved: {why}. Nothing was changed"),

    taken_back: |host| format!("The sign-in at {host} was revoked"),
    take_back_by_hand: |page| format!("Its sign-in stays valid at the service until you revoke it at {page}"),
    sign_in_not_offered: |host| {
        format!("{host} does not offer a browser sign-in that Tidings knows. Enter a token instead")
    },
    sign_in_no_client: "Enter the client ID first, or enter a token instead",
    sign_in_wrong_client: |host| {
        format!(
            "{host} does not accept this client ID. Check it, and whether its client may sign in with a code. You can \
             enter a token instead"
        )
    },
    sign_in_denied: |host| {
        format!("The sign-in at {host} was denied. Nothing was changed. You can sign in again")
    },
    sign_in_expired: "The sign-in was not confirmed in time. Nothing was changed. Sign in again",
    sign_in_no_port: |why| {
        format!("The browser cannot return to Tidings: {why}. Close some programs, or enter a token instead")
    },
    sign_in_over: "This sign-in has ended. Sign in again",
    sign_in_page_done: "You are signed in. You can close this page and go back to Tidings.",
    sign_in_page_denied: "The sign-in was denied. You can close this page.",
    sign_in_page_unknown: "Tidings is not waiting for this page. You can close it.",

    port_taken: |port, at| format!("Another program uses port {port}.{}", former_address_note(at)),
    port_denied: |port, at| format!("Tidings may not listen on port {port}.{}", former_address_note(at)),
    server_failed: |why, at| format!("This address cannot be used: {why}.{}", former_address_note(at)),
    bad_origin: |text| {
        format!(
            "“{text}” is not an origin. Enter scheme, host and port without a path, such as https://ntfy.example"
        )
    },
    too_many_origins: |most| format!("At most {most} pages can be allowed. Remove one first"),
    no_server: "This computer’s own server is not running",
    only_here: "This line works on this computer only. For other devices, turn on “Allow other devices” first",
    user_taken: |id| {
        format!(
            "{id} is in use, or belonged to somebody who was removed. Nobody was added; choose another user name"
        )
    },
    user_id_needed: "A user name has 1 to 64 letters, digits, dots, underscores and hyphens, without accents",
    user_name_needed: "Enter a name of at most 64 characters",
    user_is_own: "This is your own user. Without it, this inbox would have no server. Nothing has changed",
    user_exported: |id| format!("All data of {id} exported"),
    title_user_export: "Export a user",
    label_needed: "Enter a purpose of at most 64 characters",
    example_message: "Backup done",
    test_message: "A test notification",
    topic_invalid: "A topic has 1 to 64 characters: the letters A to Z and a to z, digits, - and _",
    topic_reserved: |topic| format!("The server itself uses “{topic}”. Choose another topic"),
    topic_exists: |topic| format!("“{topic}” is already in the list. Edit it there"),
    topic_name_wrong: "The name is too long. Enter a shorter one",
    topic_icon_wrong: "Enter an address that begins with http:// or https://, of at most 2,048 characters",
    topic_users_wrong: "Enter at most 1,000 user names, separated by spaces",
    topic_expect_wrong: "Enter a time such as 26 h or 2 days, from 1 minute to 366 days",
    topic_secret_wrong: "The secret is too long. Enter at most 1,024 characters",
    template_line: |line, why| format!("line {line}: {why}"),
    template_wrong: |why| format!("The template can’t be read: {why}"),
    topic_refused: |status| format!("The server refused ({status}). Nothing was changed. Try again later"),
    own_unanswered: "This computer’s own server did not answer. Nothing here is lost. Try again",
    token_invalid: "This is not a token. Tokens have letters, digits, -, _ and . only",
    test_refused: "The server refused the token. Check that it is complete and that nobody has revoked it",
    test_failed: |status| format!("The server refused ({status}). Nothing was published"),
    test_unanswered: "The server did not answer. Try again later",
    not_discovered: |why| {
        format!("Other devices cannot find this computer automatically: {why}. Its addresses still work")
    },

    compact_no_room: |needed, free| {
        format!("Freeing up space needs about {needed}, but only {free} is free. Nothing was changed")
    },
    restore_no_room: |needed, free| {
        format!("Restoring needs about {needed} of space, but only {free} is free. Nothing was changed")
    },
    exported: |n| format!("{n} notifications exported"),
    backed_up: |path, size| format!("Backup saved to {path}, {size}. It has no tokens"),
    restored: |n| {
        format!("{n} notifications restored. The earlier inbox is kept beside it as replica.db.before")
    },
    not_backup: |name| format!("{name} is not a backup of Tidings. Nothing was changed"),
    clock_not_mended: |why| format!("The times were not corrected: {why}. Nothing has changed"),
    not_restored: |why| format!("The backup could not be restored: {why}. What is here has not changed"),
    not_written: |why| format!("The file could not be saved: {why}. Nothing else was changed"),
    data_folder_unusable: "The data folder cannot be used in this session. Solve this problem first. Nothing was changed",
    settings_written: "Settings exported. The file has no tokens",
    not_settings: |name| format!("{name} has no settings of Tidings. Nothing was changed"),
    settings_read: |rules, searches, sources| {
        let mut added = Vec::new();
        if rules > 0 {
            added.push(pluralize(rules, "rule", "rules"));
        }
        if searches > 0 {
            added.push(pluralize(searches, "search", "searches"));
        }
        if sources > 0 {
            added.push(pluralize(sources, "source that needs sign-in", "sources that need sign-in"));
        }
        if added.is_empty() {
            "Settings imported".to_owned()
        } else {
            format!("Settings imported. Added: {}", added.join(", "))
        }
    },
    others_not_allowed: "Other devices are still not allowed. You can allow them in Settings, This computer",
    origins_not_allowed: "Pages in a browser are still not allowed. You can allow them in Settings, This computer, Advanced",
    join_sentences: |first, second| format!("{first}. {second}"),

    feeds_written: |n| if n == "1" { "1 feed exported".to_owned() } else { format!("{n} feeds exported") },
    import_unknown: |file| {
        format!("{file} is neither OPML nor the settings of Gitify, gotify-tray or ntfy. Nothing was added")
    },
    import_large: |file| format!("{file} is larger than 8 MiB. Nothing was added"),
    import_complex: |file| {
        format!("{file} is nested too deeply, or repeats too much, to be read. Nothing was added")
    },
    import_passed_by: |file| {
        format!("Tidings skips {file}, because it could not be read before. Nothing was added")
    },
    import_busy: |file| format!("{file} can't be read at the moment. Nothing was added. Try again"),
    import_private: "Not added, because it is on this computer or its network. If you trust it, add it again",
    import_unreadable: |file, why| format!("{file} can't be read: {why}. Nothing was added"),
    title_import: "Import sources",
    title_export_feeds: "Export feeds",
    title_export: "Export the inbox",
    title_backup: "Save a backup",
    title_restore: "Restore a backup",
    title_settings_export: "Export settings",
    title_settings_import: "Import settings",
    title_save: "Save the file",
    title_attach: "Attach a file",
    title_sound: "Choose a sound",
    sound_refused: "A sound is a file of at most 1 MiB. Nothing was changed",

    file_gone: |host| format!("The file is no longer at {host}"),
    file_large: |most| format!("The file is larger than {most}. It was not fetched"),
    no_icon: |host| format!("{host} has no image that can be shown as an icon"),
    file_redirected: "The address of the file redirects to another one, which is not followed. The file was not fetched",
    file_disk: |why| format!("The file could not be saved: {why}"),
    file_saved: "Saved",
    file_not_downloaded: "The file is not here yet. Fetch it first",

    attach_no_files: |source| format!("{source} does not accept files in messages. Nothing was attached"),
    attach_too_large: |most| {
        format!("The file is larger than {most}, the most that the server accepts. It was not attached")
    },
    attach_too_many: |most| format!("{most} files are already attached. Send them first"),
    attach_no_file: "Only files can be attached. Pack a folder into one file first",
    attach_failed: |why| format!("The file could not be attached: {why}. Your text is kept"),

    link_unknown: "This notification is not on this computer",
    link_bad: "Tidings cannot open this link",
};
