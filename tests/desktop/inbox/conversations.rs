//! Tests of conversations in a real window: messages, read receipts and new conversations, also while the server is
//! down.

use serde_json::json;
use support::{
    app,
    client::Client,
    desktop::Desktop,
    page::{Page, keys},
    program::root,
    server::ServerProcess,
    wait,
};

/// The messages that a user received, oldest first, as body and msgid.
async fn received(who: &Client) -> Vec<(String, String)> {
    let text = |item: &serde_json::Value, name: &str| item[name].as_str().unwrap().to_owned();
    who.pull(None, 5_000).await.0.iter().map(|item| (text(item, "body"), text(item, "msgid"))).collect()
}

/// Ana and Bo, each with a token for the inbox.
async fn ana_and_bo(server: &ServerProcess) -> (Client, Client) {
    let user = async |id, name| server.admin().user_named(id, name, &["inbox"]).await;
    (user("ana", "Ana Ruiz").await, user("bo", "Bo Kessler").await)
}

async fn write_message(page: &Page<'_>, text: &str) {
    page.click(".composer textarea").await;
    page.type_text(text).await;
    page.press_keys([keys::ENTER]).await;
    wait::until_equal("the field", json!(""), || {
        page.script("return document.querySelector('.composer textarea').value")
    })
    .await;
}

#[tokio::test]
async fn what_is_written_in_the_window_arrives_with_the_server_away_too_and_is_read_by_name() {
    let desktop = Desktop::start();
    let mut server = ServerProcess::start();
    let (ana, bo) = ana_and_bo(&server).await;
    let chen = server.admin().user_named("chen", "Chen Yu", &["inbox"]).await;
    ana.post("groups", json!({"id": "crew", "name": "Release crew", "members": ["bo", "chen"]}))
        .await
        .success();
    bo.post("groups/crew/messages", json!({"body": "Are we ready?"})).await.success();
    app::add_source(&desktop.data_dir(), &ana);

    let page = Page::open(&desktop).await;
    page.click_row("Release crew").await;
    page.wait_for_text("Are we ready?").await;
    write_message(&page, "Ready to ship").await;
    wait::until("the message to reach the others", || async {
        received(&chen).await.iter().any(|(body, _)| body == "Ready to ship")
    })
    .await;
    // What was sent stands as on its way until a pull has brought it.
    let arrived = "return document.querySelectorAll('[data-item-msgid]').length === 2
        && document.querySelector('[data-outgoing]') === null";
    wait::until("the sent message to be pulled", || async { page.script(arrived).await == true }).await;

    server.stop();
    page.wait_for_text("Messages are sent when").await;
    write_message(&page, "On my way").await;
    let waiting =
        || page.script("return document.querySelector('[data-outgoing]')?.closest('.run').innerText ?? ''");
    wait::until("the message to say that it waits", || async {
        let shown_text = waiting().await.as_str().unwrap_or_default().to_lowercase();
        shown_text.contains("on my way") && shown_text.contains("wait")
    })
    .await;
    server.restart();
    wait::within(2 * wait::TEST_TIMEOUT, "the message to be sent by itself", || async {
        received(&bo).await.iter().any(|(body, _)| body == "On my way")
    })
    .await;
    wait::until_equal("what is on its way", 0, || async { page.find_all("[data-outgoing]").await.len() })
        .await;
    let bodies: Vec<String> = received(&chen).await.into_iter().map(|(body, _)| body).collect();
    assert_eq!(bodies, ["Are we ready?", "Ready to ship", "On my way"], "each of them once");

    let last = received(&bo).await.pop().unwrap().1;
    bo.put("conversations/group:crew/read", json!({ "through": last })).await.success();
    // Messages with the same receipt join into one run, which draws the button anew.
    let joined = "return [...document.querySelectorAll('[data-receipt]')].map(one => one.innerText.trim())";
    wait::until_equal("one receipt for both messages", json!(["Read by 1 of 2"]), || page.script(joined))
        .await;
    page.click(&format!("[data-receipt='{last}']")).await;
    let names = || page.script("return document.querySelector('.popover')?.innerText ?? ''");
    wait::until("the names of the readers", || async {
        let shown_text = names().await.as_str().unwrap_or_default().to_owned();
        let (read, arrived) = shown_text.split_once("Delivered to 1")?;
        (read.contains("Bo Kessler") && arrived.contains("Chen Yu") && !arrived.contains("Ana")).then_some(())
    })
    .await;
    page.press_keys([keys::ESCAPE]).await;

    server.admin().user_named("dora", "Dora Lind", &["inbox"]).await;
    ana.put("groups/crew/members/dora", json!(null)).await.success();
    page.click("[data-members]").await;
    wait::until("the people of the group, the new one among them", || async {
        let shown_text = names().await.as_str().unwrap_or_default().to_owned();
        let (others, _you) = shown_text.split_once("Ana Ruiz")?;
        (shown_text.contains("4 people") && others.contains("Dora Lind") && others.contains("Chen Yu"))
            .then_some(())
    })
    .await;
    page.press_keys([keys::ESCAPE]).await;
    page.wait_for_text("Dora Lind joined").await;
    ana.delete("groups/crew/members/dora").await.is(204);
    page.wait_for_text("Dora Lind left").await;
    page.close().await;
    app::tidings(&desktop.data_dir(), &["check"]);
    app::tidings(&server.data_dir(), &["check"]);
}

#[tokio::test]
async fn files_are_attached_by_the_dialog_and_by_dropping_and_are_shown_where_they_arrive() {
    let desktop = Desktop::start();
    let mut server = ServerProcess::start();
    let (ana, bo) = ana_and_bo(&server).await;
    bo.post("messages", json!({"to": "ana", "body": "Who was at the door?"})).await.success();
    app::add_source(&desktop.data_dir(), &ana);
    let page = Page::open(&desktop).await;
    page.click_row("at the door").await;

    let picture = root().join("icons/app/128.png");
    page.click(".composer .attach").await;
    desktop.answer_file_dialog("Attach a file", &picture).await;
    page.wait_for_text("128.png").await;
    write_message(&page, "She was").await;
    wait::until("the message to reach Bo", || async {
        received(&bo).await.iter().any(|(body, _)| body == "She was")
    })
    .await;
    wait::until_equal("what is on its way", 0, || async { page.find_all("[data-outgoing]").await.len() })
        .await;
    let drawn = "return document.querySelector('img.attachment-image')?.naturalWidth";
    wait::until_equal("the width of the picture", json!(128), || page.script(drawn)).await;

    server.stop();
    page.wait_for_text("Messages are sent when").await;
    let drop = "const data = new DataTransfer();
        // The head of a picture of one pixel.
        const pixel = atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAA=');
        const bytes = Uint8Array.from(pixel, letter => letter.charCodeAt(0));
        data.items.add(new File(['the plan'], 'plan.txt', { type: 'text/plain' }));
        data.items.add(new File([bytes], 'door.png', { type: 'image/png' }));
        const target = document.querySelector('.reading-pane .scroll');
        for (const type of ['dragover', 'drop'])
            target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));";
    page.script(drop).await;
    page.wait_for(".composer-file").await;
    // A file that is still being read holds the message back.
    page.wait_for(".composer .send:not(:disabled)").await;
    write_message(&page, "").await;
    page.wait_for("[data-outgoing] img.attachment-image").await;
    server.restart();
    wait::within(2 * wait::TEST_TIMEOUT, "the files to be sent by themselves", || async {
        received(&bo).await.iter().any(|(body, _)| body == "door.png")
    })
    .await;
    wait::until_equal("what is on its way", 0, || async { page.find_all("[data-outgoing]").await.len() })
        .await;
    let bodies: Vec<String> = received(&bo).await.into_iter().map(|(body, _)| body).collect();
    assert_eq!(bodies, ["Who was at the door?", "She was", "plan.txt", "door.png"], "each of them once");
    page.close().await;
    app::tidings(&desktop.data_dir(), &["check"]);
}

#[tokio::test]
async fn a_picture_and_a_file_of_the_clipboard_are_pasted_into_a_conversation() {
    let desktop = Desktop::start();
    let server = ServerProcess::start();
    let (ana, bo) = ana_and_bo(&server).await;
    bo.post("messages", json!({"to": "ana", "body": "Who was at the door?"})).await.success();
    app::add_source(&desktop.data_dir(), &ana);
    let page = Page::open(&desktop).await;
    page.click_row("at the door").await;
    page.click(".composer textarea").await;

    let picture = root().join("icons/app/128.png");
    let notes = desktop.path().join("notes.txt");
    std::fs::write(&notes, "the notes").unwrap();
    let list = desktop.path().join("list");
    std::fs::write(&list, format!("file://{}", notes.display())).unwrap();
    for (kind, content, name) in [("image/png", &picture, "image.png"), ("text/uri-list", &list, "notes.txt")]
    {
        let _owner = desktop.start_clipboard(kind, content).await;
        // The keys of a driver come from no keyboard, and paste nothing that the page is not shown.
        page.press_chord(keys::CONTROL, 'v').await;
        desktop.run("xdotool", &["key", "ctrl+v"]);
        page.wait_for_text(name).await;
    }
    write_message(&page, "").await;
    wait::until("the files to reach Bo", || async {
        received(&bo).await.iter().any(|(body, _)| body == "notes.txt")
    })
    .await;
    let bodies: Vec<String> = received(&bo).await.into_iter().map(|(body, _)| body).collect();
    assert_eq!(bodies, ["Who was at the door?", "image.png", "notes.txt"], "each of them once");
    page.close().await;
}

/// Waits until the form shows an error that contains `text`.
async fn wait_for_form_error(page: &Page<'_>, text: &str) {
    let script =
        "return document.querySelector('.dialog [role=alert], .dialog .answer.is-danger')?.innerText ?? ''";
    wait::until(&format!("the form to say {text:?}"), || async {
        page.script(script).await.as_str()?.contains(text).then_some(())
    })
    .await;
}

/// Waits until the form of a new conversation is open or closed.
async fn wait_for_form(page: &Page<'_>, open: bool) {
    wait::until_equal("forms that are open", usize::from(open), || async {
        page.find_all(".dialog .people-field").await.len()
    })
    .await;
    if open {
        wait::until_equal("the focus in it", json!(true), || {
            page.script("return document.activeElement?.matches('.people-field input') ?? false")
        })
        .await;
    }
}

#[tokio::test]
async fn a_conversation_is_begun_with_the_keyboard_and_a_wrong_name_loses_nothing() {
    let desktop = Desktop::start();
    let mut server = ServerProcess::start();
    let (ana, bo) = ana_and_bo(&server).await;
    let chen = server.admin().user_named("chen", "Chen Yu", &["inbox"]).await;
    app::add_source(&desktop.data_dir(), &ana);
    let page = Page::open(&desktop).await;
    page.type_quickly("gc").await;
    wait::until("the button for it", || async { page.find_all("[data-compose]").await.into_iter().next() })
        .await;
    page.click("[data-compose]").await;
    wait_for_form(&page, true).await;

    // No user is called bob: the form keeps what was typed, and only the name has to be corrected.
    page.type_text("bob").await;
    page.press_keys([keys::ENTER, keys::TAB]).await;
    page.type_text("Lunch at noon?").await;
    page.press_keys([keys::ENTER]).await;
    wait_for_form_error(&page, "Work has no user bob. Nothing was sent, and your message is kept here").await;
    assert!(received(&bo).await.is_empty());
    page.press_keys([keys::ESCAPE]).await;
    wait_for_form(&page, false).await;
    page.type_text("c").await;
    wait_for_form(&page, true).await;
    page.press_keys([keys::BACKSPACE]).await;
    // Bo has never written: the server says whose name begins so.
    page.type_text("kess").await;
    page.wait_for_text("Bo Kessler").await;
    page.press_keys([keys::ENTER]).await;
    wait::until_equal("who is chosen", json!("bo"), || {
        page.script("return document.querySelector('.dialog [data-person]')?.dataset.person")
    })
    .await;
    page.press_keys([keys::TAB, keys::ENTER]).await;
    wait_for_form(&page, false).await;
    wait::until_equal("what Bo got", vec!["Lunch at noon?".to_owned()], || async {
        received(&bo).await.into_iter().map(|(body, _)| body).collect::<Vec<_>>()
    })
    .await;
    page.wait_for_row("Lunch at noon?").await;
    // He has written nothing yet: his name is the server's.
    wait::until_equal("the conversation to be open", json!("Bo Kessler"), || {
        page.script("return document.querySelector('.reading-pane h1')?.innerText")
    })
    .await;
    page.type_text("And tea after it.").await;
    page.press_keys([keys::ENTER]).await;
    wait::until("the next one, written where the focus was", || async { received(&bo).await.len() == 2 })
        .await;

    // While the server is down a conversation with one person can begin; a group cannot, and the form keeps its
    // content.
    server.stop();
    page.wait_for_text("Messages are sent when").await;
    page.run_command("New conversation").await;
    wait_for_form(&page, true).await;
    page.type_text("chen,").await;
    page.press_keys([keys::TAB]).await;
    page.type_text("Are you in?").await;
    page.press_keys([keys::ENTER]).await;
    wait_for_form(&page, false).await;
    page.wait_for_row("You: Are you in?").await;
    page.run_command("New conversation").await;
    wait_for_form(&page, true).await;
    page.type_text("bo,chen,").await;
    page.press_keys([keys::TAB]).await;
    page.type_text("Lunch crew").await;
    page.press_keys([keys::TAB]).await;
    page.type_text("Who books?").await;
    page.press_keys([keys::ENTER]).await;
    wait_for_form_error(&page, "Work cannot be reached, so the group was not created").await;
    server.restart();
    wait::within(2 * wait::TEST_TIMEOUT, "the first message to Chen to be sent by itself", || async {
        received(&chen).await.iter().any(|(body, _)| body == "Are you in?")
    })
    .await;
    page.press_keys([keys::ENTER]).await;
    wait_for_form(&page, false).await;
    page.wait_for_text("3 people").await;
    wait::until_equal("what Chen got", vec!["Are you in?".to_owned(), "Who books?".to_owned()], || async {
        received(&chen).await.into_iter().map(|(body, _)| body).collect::<Vec<_>>()
    })
    .await;
    assert_eq!(
        ana.get("groups").await.is(200).as_array().unwrap().len(),
        1,
        "one group, however often it was asked for"
    );
    page.close().await;
    app::tidings(&desktop.data_dir(), &["check"]);
    app::tidings(&server.data_dir(), &["check"]);
}

#[tokio::test]
async fn a_group_is_renamed_and_left_in_the_window_and_a_message_says_when_it_was_read() {
    let desktop = Desktop::start();
    let server = ServerProcess::start();
    let (ana, bo) = ana_and_bo(&server).await;
    ana.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bo"]})).await.success();
    bo.post("groups/crew/messages", json!({"body": "Are we ready?"})).await.success();
    let lunch = ana.post("messages", json!({"to": "bo", "body": "Lunch at noon?"})).await.is(201);
    app::add_source(&desktop.data_dir(), &ana);

    let page = Page::open(&desktop).await;
    page.click_row("Lunch at noon?").await;
    page.wait_for("[data-members], .composer textarea").await;
    bo.put("conversations/user:ana/read", json!({"through": lunch["msgid"]})).await.success();
    wait::until("the time of the reading", || async {
        page.script("return document.querySelector('[data-peer-read]')?.innerText ?? ''")
            .await
            .as_str()
            .is_some_and(|text| text.contains("Read "))
    })
    .await;

    page.click_row("Crew").await;
    page.wait_for_text("Are we ready?").await;
    page.click("[data-members]").await;
    page.wait_for_text("Rename…").await;
    page.press_button("Rename…").await;
    wait::until_equal("the name in the form", json!("Crew"), || {
        page.script("document.activeElement.select?.(); return document.activeElement.value")
    })
    .await;
    page.type_text("Release crew").await;
    page.press_keys([keys::ENTER]).await;
    wait::until("the new name at the server", || async {
        bo.get("groups/crew").await.is(200)["name"] == "Release crew"
    })
    .await;
    page.wait_for_text("The group was renamed “Release crew”").await;

    page.click("[data-members]").await;
    page.wait_for_text("Leave group…").await;
    page.press_button("Leave group…").await;
    page.wait_for_text("The member who joined first becomes the owner.").await;
    page.press_button("Leave").await;
    page.wait_for_text("You are no longer in this group").await;
    let left = bo.get("groups/crew").await.is(200);
    assert_eq!((left["owner"].as_str(), left["members"].clone()), (Some("bo"), json!(["bo"])));
}
