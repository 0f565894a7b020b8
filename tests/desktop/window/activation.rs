//! Tests of the program at its name on the session bus, by which a desktop starts it and passes links and actions to it.

use std::{collections::HashMap, fs};

use serde::Serialize;
use support::{
    app::{self, App},
    desktop::Desktop,
    page::{Page, keys},
    program::{built, root},
    wait,
};
use zbus::{
    Connection,
    fdo::DBusProxy,
    zvariant::{DynamicType, Value},
};

use super::deep_links::{link_to, quit, wait_for_item};

const NAME: &str = "org.tidings.desktop";
/// The form of a new conversation.
const FORM: &str = ".dialog[aria-label='New conversation']";

/// What a panel says of the click behind a call.
fn platform_data() -> HashMap<&'static str, Value<'static>> {
    HashMap::from([("activation-token", Value::from("a-token-of-the-panel"))])
}

/// Calls the program as a desktop does.
async fn call(bus: &Connection, method: &str, arguments: &(impl Serialize + DynamicType)) {
    let interface = Some("org.freedesktop.Application");
    let answer = bus.call_method(Some(NAME), "/org/tidings/desktop", interface, method, arguments).await;
    answer.unwrap_or_else(|error| panic!("{method}: {error}"));
}

pub(super) async fn has_owner(bus: &Connection) -> bool {
    DBusProxy::new(bus).await.unwrap().name_has_owner(NAME.try_into().unwrap()).await.unwrap()
}

/// Installs the package's service file on this desktop's bus, for the program that was built and its data folder.
fn install_service(desktop: &Desktop) {
    let program = format!(
        "/usr/bin/env TIDINGS_DATA_DIR={} TIDINGS_PORT={} {}",
        desktop.data_dir().display(),
        desktop.port(),
        built("tidings-desktop").display()
    );
    let file = format!("{NAME}.service");
    let service = fs::read_to_string(root().join("packaging").join(&file)).unwrap();
    let service = service.replace("/usr/bin/tidings-desktop", &program);
    assert!(service.contains(&program), "{service}");
    fs::write(desktop.home().with_file_name("services").join(file), service).unwrap();
}

#[tokio::test]
async fn a_desktop_reaches_it_by_the_bus_whether_it_runs_or_not() {
    let desktop = Desktop::start();
    let bus = desktop.bus().await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for n in 1..=3 {
        server.publish("home", &format!("Load {n} is dry"), &[]).await;
    }
    page.wait_for_row("Load 3 is dry").await;
    let (link, msgid) = link_to(&server, "Load 2 is dry").await;
    wait::until("the name on the bus", || has_owner(&bus)).await;

    let no_parameter: &[Value<'_>] = &[];
    call(&bus, "ActivateAction", &("new-message", no_parameter, platform_data())).await;
    page.wait_for(FORM).await;
    page.press_keys([keys::ESCAPE]).await;
    wait::until_equal("forms", 0, || async { page.find_all(FORM).await.len() }).await;
    call(&bus, "Open", &([link.as_str()].as_slice(), platform_data())).await;
    wait_for_item(&page, &msgid, "Load 2 is dry").await;
    desktop.close_window().await;
    call(&bus, "Activate", &(platform_data(),)).await;
    desktop.wait_for_rendered_page().await;
    quit(&desktop).await;

    install_service(&desktop);
    call(&bus, "Activate", &(platform_data(),)).await;
    desktop.wait_for_rendered_page().await;
    assert_eq!(app::pids(&desktop).len(), 1);
    quit(&desktop).await;
}

#[tokio::test]
async fn an_action_or_a_link_starts_a_program_that_was_closed() {
    let desktop = Desktop::start();
    let (bus, data) = (desktop.bus().await, desktop.data_dir());
    let unread = || async { app::unread(&data) };
    let app = App::start(&desktop, &["--background"]);
    app.server().await.publish("backups", "Backup done", &[]).await;
    wait::until_equal("unread", 1, unread).await;
    quit(&desktop).await;
    install_service(&desktop);

    let no_parameter: &[Value<'_>] = &[];
    call(&bus, "ActivateAction", &("mark-all-read", no_parameter, platform_data())).await;
    wait::until_equal("unread", 0, unread).await;
    assert_eq!(desktop.window_titles(), Vec::<String>::new(), "that action needs no window");
    let server = app::own_server(&desktop).await;
    for (topic, body) in [("parcels", "Your parcel is here"), ("doorbell", "Somebody rang")] {
        server.publish(topic, body, &[]).await;
    }
    wait::until_equal("unread", 2, unread).await;
    let (link, _) = link_to(&server, "Your parcel is here").await;
    quit(&desktop).await;

    call(&bus, "Open", &([link.as_str()].as_slice(), platform_data())).await;
    desktop.wait_for_rendered_page().await;
    let server = app::own_server(&desktop).await;
    // An item that the page shows becomes read, and this one is not the first of the list.
    wait::until("the item of the link to be read", || async {
        server.read_bodies().await.iter().any(|body| body == "Your parcel is here")
    })
    .await;
    assert_eq!(app::pids(&desktop).len(), 1);
    quit(&desktop).await;
}
