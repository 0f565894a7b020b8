//! Tests of the desktop's own search over a real session bus: GNOME's shell and Plasma's runner find threads by words, once
//! that is allowed.

use std::collections::HashMap;

use serde_json::json;
use support::{app, desktop::Desktop, page::Page, wait};
use zbus::{Proxy, zvariant::OwnedValue};

use super::{
    activation::has_owner,
    deep_links::{link_to, quit, wait_for_item},
};

const NAME: &str = "org.tidings.desktop";
const PATH: &str = "/org/tidings/desktop/search";
const SWITCH: &str = "Show results in the desktop’s search";

/// What a desktop is told of a result.
type Properties = HashMap<String, OwnedValue>;
/// A result for Plasma: id, text, icon, type, relevance and properties.
type Match = (String, String, String, i32, f64, Properties);

/// What GNOME's shell finds for some words.
async fn found(gnome: &Proxy<'_>, words: &[&str]) -> Vec<String> {
    gnome.call("GetInitialResultSet", &(words,)).await.expect("an answer")
}

/// What GNOME's shell shows of results.
async fn described(gnome: &Proxy<'_>, results: &[String]) -> Vec<Properties> {
    gnome.call("GetResultMetas", &(results,)).await.expect("an answer")
}

/// What Plasma finds and shows for a text.
async fn matches(plasma: &Proxy<'_>, text: &str) -> Vec<Match> {
    plasma.call("Match", &(text,)).await.expect("an answer")
}

fn text(properties: &Properties, key: &str) -> String {
    String::try_from(properties[key].clone()).expect("a text")
}

#[tokio::test]
async fn gnome_and_plasma_find_threads_by_words_once_it_is_allowed() {
    let desktop = Desktop::start();
    let bus = desktop.bus().await;
    let page = Page::open(&desktop).await;
    let server = app::own_server(&desktop).await;
    for (topic, body) in [
        ("home", "Load 2 is dry"),
        ("home-door", "The load stands outside"),
        ("parcels", "Your parcel is here"),
    ] {
        server.publish(topic, body, &[]).await;
        page.wait_for_row(body).await;
    }
    wait::until("the name on the bus", || has_owner(&bus)).await;
    let gnome = Proxy::new(&bus, NAME, PATH, "org.gnome.Shell.SearchProvider2").await.unwrap();
    let plasma = Proxy::new(&bus, NAME, PATH, "org.kde.krunner1").await.unwrap();

    assert_eq!(found(&gnome, &["load"]).await, [""; 0], "off by default");
    assert!(matches(&plasma, "load").await.is_empty(), "off by default");
    page.open_settings("General").await;
    page.press_button(SWITCH).await;
    wait::until("the search to be allowed", || async { !found(&gnome, &["load"]).await.is_empty() }).await;

    let results = found(&gnome, &["load"]).await;
    let shown = described(&gnome, &results).await;
    let names: Vec<_> = shown.iter().map(|one| text(one, "name")).collect();
    assert_eq!(names, ["The load stands outside", "Load 2 is dry"]);
    assert!(text(&shown[1], "description").starts_with("home · 20"), "{shown:?}");
    let more = (results.as_slice(), ["load", "dry"].as_slice());
    let fewer: Vec<String> = gnome.call("GetSubsearchResultSet", &more).await.unwrap();
    assert_eq!(fewer.as_slice(), &results[1..]);
    let of_plasma = matches(&plasma, "load outside").await;
    assert_eq!(of_plasma.len(), 1, "{of_plasma:?}");
    let (outside, title, .., properties) = &of_plasma[0];
    assert_eq!((outside, title.as_str()), (&results[0], "The load stands outside"));
    assert!(text(properties, "subtext").starts_with("home-door · "), "{properties:?}");

    let (_, dry) = link_to(&server, "Load 2 is dry").await;
    let chosen = (results[1].as_str(), ["load"].as_slice(), 0_u32);
    gnome.call::<_, _, ()>("ActivateResult", &chosen).await.unwrap();
    wait_for_item(&page, &dry, "Load 2 is dry").await;
    let (_, door) = link_to(&server, "The load stands outside").await;
    plasma.call::<_, _, ()>("Run", &(outside.as_str(), "")).await.unwrap();
    wait_for_item(&page, &door, "The load stands outside").await;

    let all = (["load", "dry"].as_slice(), 0_u32);
    gnome.call::<_, _, ()>("LaunchSearch", &all).await.unwrap();
    let field = "return document.querySelector('input[type=search]')?.value";
    wait::until_equal("the search field", json!("load dry"), || page.script(field)).await;
    wait::until_equal("what the window finds", 1, || async { page.rows().await.len() }).await;

    page.open_settings("General").await;
    page.press_button(SWITCH).await;
    wait::until("nothing to be found", || async { found(&gnome, &["load"]).await.is_empty() }).await;
    assert!(described(&gnome, &results).await.is_empty());
    assert!(matches(&plasma, "load").await.is_empty());

    desktop.close_window().await;
    gnome.call::<_, _, ()>("LaunchSearch", &all).await.unwrap();
    desktop.wait_for_rendered_page().await;
    quit(&desktop).await;
}
