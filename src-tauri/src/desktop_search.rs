//! The desktop's own search: `org.gnome.Shell.SearchProvider2` for GNOME and `org.kde.krunner1` for Plasma. The app says
//! what is found, which is nothing until its reader allows it. A result opens its thread as a link does.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::used_underscore_binding,
    reason = "the arguments of the desktops' interfaces"
)]

use std::collections::HashMap;

use tidings_app::{App, FoundThread};
use tidings_net::supervise;
use tidings_ports::DesktopRequest;
use tidings_sources::OWN_DESKTOP_ENTRY;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use zbus::connection::Builder;
use zbus::interface;
use zbus::zvariant::Value;

/// Sends requests to the app.
type Requests = mpsc::UnboundedSender<DesktopRequest>;
/// What a desktop shows of a result, by names of its interface.
type Properties = HashMap<&'static str, Value<'static>>;
/// A result for Plasma: id, text, icon, type, relevance and properties.
type Match = (String, String, &'static str, i32, f64, Properties);

/// The path of both interfaces.
const OBJECT_PATH: &str = "/org/tidings/desktop/search";
/// Plasma's type of a result that may be meant.
const POSSIBLE_MATCH: i32 = 30;
/// How much less relevant than the one before each result is for Plasma, which sorts them by that.
const RELEVANCE_STEP: f64 = 0.05;

/// Has a connection serve both interfaces. Needs a tokio runtime.
pub(crate) fn serve_on<'b>(
    builder: Builder<'b>,
    app: &App,
    requests: &Requests,
) -> zbus::Result<Builder<'b>> {
    let search = Search { app: app.clone(), requests: requests.clone(), runtime: Handle::current() };
    builder.serve_at(OBJECT_PATH, Gnome(search.clone()))?.serve_at(OBJECT_PATH, Plasma(search))
}

/// What both interfaces do. The id of a result is its link.
#[derive(Clone)]
struct Search {
    app: App,
    requests: Requests,
    /// The connection runs its calls outside of it, and the app reads its inbox within it.
    runtime: Handle,
}

impl Search {
    fn ask(&self, words: String) -> oneshot::Receiver<Vec<FoundThread>> {
        let (answer, found) = oneshot::channel();
        let app = self.app.clone();
        let _runtime = self.runtime.enter();
        supervise::once("a search of the desktop", async move {
            let _ = answer.send(app.found_by_desktop(&words).await);
        });
        found
    }

    async fn find(&self, words: String) -> Vec<FoundThread> {
        let found = self.ask(words);
        found.await.unwrap_or_default()
    }

    fn open(&self, link: String, token: Option<String>) {
        let _ = self.requests.send(DesktopRequest::Link { link, token });
    }
}

/// A token for the focus from the time of the click, as X11 has it; none without a time.
fn token_at(timestamp: u32) -> Option<String> {
    (timestamp != 0).then(|| format!("_TIME{timestamp}"))
}

/// GNOME's search provider.
struct Gnome(Search);

impl Gnome {
    async fn links(&self, terms: &[String]) -> Vec<String> {
        self.0.find(terms.join(" ")).await.into_iter().map(|found| found.link).collect()
    }
}

#[interface(name = "org.gnome.Shell.SearchProvider2")]
impl Gnome {
    async fn get_initial_result_set(&self, terms: Vec<String>) -> Vec<String> {
        self.links(&terms).await
    }

    async fn get_subsearch_result_set(&self, _earlier: Vec<String>, terms: Vec<String>) -> Vec<String> {
        self.links(&terms).await
    }

    fn get_result_metas(&self, identifiers: Vec<String>) -> Vec<Properties> {
        let found = self.0.app.described_to_desktop(&identifiers);
        let meta = |found: FoundThread| {
            HashMap::from([
                ("id", Value::from(found.link)),
                ("name", Value::from(found.title)),
                ("description", Value::from(found.about)),
                ("gicon", Value::from(OWN_DESKTOP_ENTRY)),
            ])
        };
        found.into_iter().map(meta).collect()
    }

    fn activate_result(&self, identifier: String, _terms: Vec<String>, timestamp: u32) {
        self.0.open(identifier, token_at(timestamp));
    }

    fn launch_search(&self, terms: Vec<String>, timestamp: u32) {
        let request = DesktopRequest::Search { query: terms.join(" "), token: token_at(timestamp) };
        let _ = self.0.requests.send(request);
    }
}

/// Plasma's runner.
struct Plasma(Search);

#[interface(name = "org.kde.krunner1")]
impl Plasma {
    /// Results have no actions besides being opened.
    fn actions(&self) -> Vec<(String, String, String)> {
        Vec::new()
    }

    #[zbus(name = "Match")]
    async fn matches(&self, query: String) -> Vec<Match> {
        let found = self.0.find(query).await;
        let shown = |(nth, found): (u8, FoundThread)| {
            let properties = HashMap::from([("subtext", Value::from(found.about))]);
            let relevance = 1.0 - f64::from(nth) * RELEVANCE_STEP;
            (found.link, found.title, OWN_DESKTOP_ENTRY, POSSIBLE_MATCH, relevance, properties)
        };
        (0..).zip(found).map(shown).collect()
    }

    fn run(&self, match_id: String, _action_id: String) {
        self.0.open(match_id, None);
    }

    /// A search has ended, of which nothing is kept here.
    fn teardown(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_by_which_desktops_find_the_search_name_the_program_on_the_bus() {
        let of_gnome = include_str!("../../packaging/org.tidings.desktop.search-provider.ini");
        let of_plasma = include_str!("../../packaging/org.tidings.desktop.krunner.desktop");
        for line in [
            format!("DesktopId={OWN_DESKTOP_ENTRY}.desktop"),
            format!("BusName={OWN_DESKTOP_ENTRY}"),
            format!("ObjectPath={OBJECT_PATH}"),
        ] {
            assert!(of_gnome.lines().any(|one| one == line), "{line}: {of_gnome}");
        }
        // With the asterisk Plasma asks a program that runs, and starts none.
        for line in [
            format!("X-Plasma-DBusRunner-Service={OWN_DESKTOP_ENTRY}*"),
            format!("X-Plasma-DBusRunner-Path={OBJECT_PATH}"),
        ] {
            assert!(of_plasma.lines().any(|one| one == line), "{line}: {of_plasma}");
        }
    }

    #[test]
    fn the_time_of_a_click_is_the_token_of_x11() {
        assert_eq!(token_at(71).as_deref(), Some("_TIME71"));
        assert_eq!(token_at(0), None);
    }
}
