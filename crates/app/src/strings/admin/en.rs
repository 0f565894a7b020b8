//! English strings about sources, the own server, storage and files.

use super::AdminStrings;

fn former_address_note(at: Option<&str>) -> String {
    at.map_or_else(String::new, |at| format!(" The server goes on at {at}."))
}

fn pluralize(n: usize, singular: &str, plural: &str) -> String {
    format!("{n} {}", if n == 1 { singular } else { plural })
}

pub(crate) static STRINGS: AdminStrings = AdminStrings {
    no_address: "Enter an address, for example https://tidings.example.org",
    bad_address: |text| format!("“{text}” is not an address. Enter one such as https://tidings.example.org"),
    no_token: "Enter a token. Whoever runs the server makes one",
    unknown_protocol: |name| format!("This version does not know sources of the kind “{name}”"),
    not_tidings: |host| format!("{host} answers, but not as a Tidings server. Check the address"),
    wrong_token: |host| {
        format!("{host} refused the token. Check that it is complete and that nobody has revoked it")
    },
    no_inbox: |host| format!("{host} knows the token, but it may not read an inbox. Ask for one that may"),
    certificate: |host| {
        format!("The certificate of {host} is not trusted, and the token was not sent. Check the address")
    },
    offline: |host| format!("There is no way to {host}. Check the address and this computer’s network"),
    unreachable: |host| format!("Nothing answers at {host}. Check the address, and whether the server runs"),
    slow: |host| format!("{host} took too long to answer. Try again later"),
    unavailable: |host, status| format!("{host} cannot answer now ({status}). Try again later"),
    refused: |host, status| format!("{host} refused ({status}). Check the address"),
    no_tls: "This computer cannot make secure connections",
    source_exists: |name| format!("It is there already, as “{name}”"),
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
        format!("{url} answered, without encryption: others in the network can read what goes there")
    },
    name_taken: |name| format!("Another source is called “{name}” already. Choose another name"),
    name_needed: "Enter a name of at most 64 characters",
    own_not_removable: "This computer’s own server cannot be removed. It can be paused",
    only_kept: "This source was removed; only what it brought is kept. Add it again to pull from it",
    other_user: |new_user, user| {
        format!("This token is {new_user}’s, and the source is {user}’s. Add it as a source of its own")
    },
    token_not_stored: |why| format!("The token could not be kept: {why}. Nothing was changed"),

    port_taken: |port, at| format!("Another program uses port {port}.{}", former_address_note(at)),
    port_denied: |port, at| format!("Tidings may not listen on port {port}.{}", former_address_note(at)),
    server_failed: |why, at| format!("That address cannot be used: {why}.{}", former_address_note(at)),
    bad_origin: |text| {
        format!(
            "“{text}” is not an origin. Enter scheme, host and port without a path, such as https://ntfy.example"
        )
    },
    too_many_origins: |most| format!("At most {most} pages can be let in. Remove one first"),
    no_server: "This computer’s own server does not run",
    only_here: "This line works on this computer alone. For other devices, switch on “Let other devices in” first",
    label_needed: "Enter what the token is for, in at most 64 characters",
    example_message: "Backup done",
    test_message: "A test from the settings",
    topic_invalid: "A topic has 1 to 64 characters: letters, digits, - and _",
    topic_reserved: |topic| format!("The server uses “{topic}” itself. Choose another topic"),
    topic_exists: |topic| format!("“{topic}” is in the list already. Edit it there"),
    topic_name_wrong: "The name is too long. Enter a shorter one",
    topic_icon_wrong: "Enter an address that begins with http:// or https://, of at most 2,048 characters",
    topic_publishers_wrong: "Enter the ids of users, with spaces between them; at most 1,000",
    topic_secret_wrong: "A secret is too long. It may have 1,024 characters",
    template_line: |line, why| format!("line {line}: {why}"),
    template_wrong: |why| format!("The template can’t be read: {why}"),
    topic_refused: |status| format!("The server refused ({status}). Nothing was changed; try again later"),
    own_unanswered: "This computer’s own server did not answer. Nothing here is lost; try again",
    token_invalid: "That is no token: one has letters, digits, -, _ and . only",
    test_refused: "The server refused the token. Check that it is complete and that nobody has revoked it",
    test_failed: |status| format!("The server refused ({status}). Nothing was published"),
    test_unanswered: "The server did not answer. Try again later",
    not_discovered: |why| {
        format!(
            "Other devices do not find this computer by themselves: {why}. Its addresses work all the same"
        )
    },

    compact_no_room: |needed, free| {
        format!("Compacting needs about {needed} of room, and {free} are free. Nothing was changed")
    },
    restore_no_room: |needed, free| {
        format!("Restoring needs about {needed} of room, and {free} are free. Nothing was changed")
    },
    exported: |n| format!("{n} notifications written"),
    backed_up: |path, size| format!("Backup written to {path}, {size}. It holds no tokens"),
    restored: |n| {
        format!(
            "Restored, with {n} notifications. The inbox from before is kept beside it as replica.db.before"
        )
    },
    not_backup: |name| format!("{name} is no backup of Tidings. Nothing was changed"),
    not_restored: |why| format!("The backup could not be put in place: {why}. What was here before goes on"),
    not_written: |why| format!("The file could not be written: {why}. Nothing else was changed"),
    data_folder_unusable: "The data folder cannot be used in this session. Mend that first; nothing was changed",
    settings_written: "Settings written. Tokens are not in the file",
    not_settings: |name| format!("{name} holds no settings of Tidings. Nothing was changed"),
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
            "Settings taken over".to_owned()
        } else {
            format!("Settings taken over. Added: {}", added.join(", "))
        }
    },
    others_not_allowed: "Other devices stay out: only you can let them in, under “This computer’s server”",
    origins_not_allowed: "Pages in a browser stay out: only you can let them in, under “This computer’s server”",
    join_sentences: |first, second| format!("{first}. {second}"),

    title_export: "Export the inbox",
    title_backup: "Write a backup",
    title_restore: "Restore a backup",
    title_settings_export: "Export settings",
    title_settings_import: "Import settings",
    title_save: "Save the file",
    title_attach: "Attach a file",

    file_gone: |host| format!("The file is not at {host} any more"),
    file_large: |most| format!("The file is larger than {most}. It was not fetched"),
    file_redirected: "The file’s address leads to one that is not followed. It was not fetched",
    file_disk: |why| format!("The file could not be kept: {why}"),
    file_saved: "Saved",
    file_not_downloaded: "The file is not here yet. Fetch it first",

    attach_no_files: |source| format!("{source} takes no files in messages. Nothing was attached"),
    attach_too_large: |most| {
        format!("The file is larger than {most}, the most that the server takes. It was not attached")
    },
    attach_too_many: |most| format!("{most} files are attached already. Send them first"),
    attach_no_file: "Only files can be attached. A folder can be packed into one first",
    attach_failed: |why| format!("The file could not be attached: {why}. Your text is kept"),

    link_unknown: "That notification is not on this computer",
    link_bad: "That link names nothing that Tidings knows",
};
