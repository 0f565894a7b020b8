//! English strings about sources, the own server, storage and files.

use super::AdminStrings;

fn goes_on(at: Option<&str>) -> String {
    at.map_or_else(String::new, |at| format!(" The server goes on at {at}."))
}

fn some(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
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
    setup: "This computer cannot make secure connections",
    already: |name| format!("It is there already, as “{name}”"),
    signed_in: |who, unread| {
        let signed = who.map_or_else(|| "Signed in".to_owned(), |who| format!("Signed in as {who}"));
        match unread {
            Some("0") => format!("{signed}. All read"),
            Some(n) => format!("{signed}. {n} unread"),
            None => signed,
        }
    },
    name_taken: |name| format!("Another source is called “{name}” already. Choose another name"),
    name_needed: "Enter a name of at most 64 characters",
    own_stays: "This computer’s own server cannot be removed. It can be paused",
    only_kept: "This source was removed; only what it brought is kept. Add it again to pull from it",
    other_user: |is, was| {
        format!("This token is {is}’s, and the source is {was}’s. Add it as a source of its own")
    },
    token_not_kept: |why| format!("The token could not be kept: {why}. Nothing was changed"),

    port_taken: |port, at| format!("Another program uses port {port}.{}", goes_on(at)),
    port_denied: |port, at| format!("Tidings may not listen on port {port}.{}", goes_on(at)),
    server_failed: |why, at| format!("That address cannot be used: {why}.{}", goes_on(at)),
    no_server: "This computer’s own server does not run",
    label_needed: "Enter what the token is for, in at most 64 characters",
    first_words: "Backup done",

    compact_no_room: |needed, free| {
        format!("Compacting needs about {needed} of room, and {free} are free. Nothing was changed")
    },
    restore_no_room: |needed, free| {
        format!("Restoring needs about {needed} of room, and {free} are free. Nothing was changed")
    },
    exported: |n| format!("{n} notifications written"),
    backed_up: |size| format!("Backup written, {size}. Tokens of sources are not in it"),
    restored: |n| {
        format!(
            "Restored, with {n} notifications. The inbox from before is kept beside it as replica.db.before"
        )
    },
    not_backup: |name| format!("{name} is no backup of Tidings. Nothing was changed"),
    not_restored: |why| format!("The backup could not be put in place: {why}. What was here before goes on"),
    not_written: |why| format!("The file could not be written: {why}. Nothing else was changed"),
    stand_in: "The data folder cannot be used in this session. Mend that first; nothing was changed",
    settings_written: "Settings written. Tokens are not in the file",
    not_settings: |name| format!("{name} holds no settings of Tidings. Nothing was changed"),
    settings_read: |rules, searches, sources| {
        let mut added = Vec::new();
        if rules > 0 {
            added.push(some(rules, "rule", "rules"));
        }
        if searches > 0 {
            added.push(some(searches, "search", "searches"));
        }
        if sources > 0 {
            added.push(some(sources, "source that needs sign-in", "sources that need sign-in"));
        }
        if added.is_empty() {
            "Settings taken over".to_owned()
        } else {
            format!("Settings taken over. Added: {}", added.join(", "))
        }
    },
    others_stay_out: "Other devices stay out: only you can let them in, under “This computer’s server”",
    and_then: |one, other| format!("{one}. {other}"),

    title_export: "Export the inbox",
    title_backup: "Write a backup",
    title_restore: "Restore a backup",
    title_settings_out: "Export settings",
    title_settings_in: "Import settings",
    title_save: "Save the file",

    file_gone: |host| format!("The file is not at {host} any more"),
    file_large: |most| format!("The file is larger than {most}. It was not fetched"),
    file_elsewhere: "The file’s address leads to one that is not followed. It was not fetched",
    file_disk: |why| format!("The file could not be kept: {why}"),
    file_saved: "Saved",
    file_first: "The file is not here yet. Fetch it first",

    link_unknown: "That notification is not on this computer",
    link_bad: "That link names nothing that Tidings knows",
};
