//! The program at its name on the session bus. It has `org.freedesktop.Application` of the desktop entry specification,
//! by which a desktop starts it, shows its window, and passes links and actions to it. It answers the desktop's search,
//! too. Everything else works without a bus, and without the name.

#![allow(
    clippy::needless_pass_by_value,
    clippy::used_underscore_binding,
    reason = "the specification's arguments"
)]

use std::collections::HashMap;
use std::time::Duration;

use tidings_app::App;
use tidings_net::supervise;
use tidings_ports::{DesktopRequest, MenuAction};
use tidings_sources::OWN_DESKTOP_ENTRY;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use zbus::connection::Builder;
use zbus::fdo::{self, RequestNameFlags, RequestNameReply};
use zbus::interface;
use zbus::zvariant::OwnedValue;

use crate::after_paint::AfterPaint;
use crate::desktop_search;

/// Sends requests to the app.
type Requests = mpsc::UnboundedSender<DesktopRequest>;
/// What the desktop says of the click behind a call, in place of environment variables.
type PlatformData = HashMap<String, OwnedValue>;

/// The name on the bus. The specification wants that of the desktop entry.
const BUS_NAME: &str = OWN_DESKTOP_ENTRY;
/// The name as a path.
const OBJECT_PATH: &str = "/org/tidings/desktop";
/// The wait before a missing bus is tried again.
const BUS_RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// Answers at the name for as long as the program runs, after a wait. Aborting the task gives the name away. Needs a tokio
/// runtime.
pub(crate) fn spawn(waits: AfterPaint, requests: Requests, app: App) -> AbortHandle {
    let begin = move || run(waits.clone(), requests.clone(), app.clone());
    supervise::keep("the name on the session bus", begin).abort_handle()
}

async fn run(waits: AfterPaint, requests: Requests, app: App) {
    waits.wait().await;
    loop {
        match serve(requests.clone(), &app).await {
            Ok(()) => tracing::debug!("the session bus is gone"),
            Err(error) => tracing::debug!(%error, "no desktop reaches the program by the session bus"),
        }
        tokio::time::sleep(BUS_RETRY_INTERVAL).await;
    }
}

/// Answers until the bus is gone.
async fn serve(requests: Requests, app: &App) -> zbus::Result<()> {
    // Served before it has the name: calls wait at the bus for a program that the bus has just started.
    let builder = desktop_search::serve_on(Builder::session()?, app, &requests)?;
    let bus = builder.serve_at(OBJECT_PATH, Application { requests })?.build().await?;
    // Nobody lets this name be replaced, so that a program that is second waits until the first one ends.
    let reply = bus.request_name_with_flags(BUS_NAME, RequestNameFlags::ReplaceExisting.into()).await?;
    if reply == RequestNameReply::InQueue {
        tracing::info!("another program has the name on the session bus");
    }
    bus.closed().await;
    Ok(())
}

/// The object at the name.
struct Application {
    requests: Requests,
}

impl Application {
    fn send(&self, request: DesktopRequest) {
        let _ = self.requests.send(request);
    }
}

#[interface(name = "org.freedesktop.Application")]
impl Application {
    fn activate(&self, platform_data: PlatformData) {
        self.send(DesktopRequest::Show(token_of(platform_data)));
    }

    fn open(&self, uris: Vec<String>, platform_data: PlatformData) {
        let mut token = token_of(platform_data);
        for link in uris {
            self.send(DesktopRequest::Link { link, token: token.take() });
        }
    }

    fn activate_action(
        &self,
        action_name: &str,
        _parameter: Vec<OwnedValue>,
        platform_data: PlatformData,
    ) -> fdo::Result<()> {
        let unknown = || fdo::Error::InvalidArgs(format!("{action_name} is no action of the desktop entry"));
        let action = MenuAction::from_word(action_name).ok_or_else(unknown)?;
        self.send(DesktopRequest::Act { action, token: token_of(platform_data) });
        Ok(())
    }
}

/// The activation token, by which the window may take the focus; of X11 the older startup id.
fn token_of(mut platform_data: PlatformData) -> Option<String> {
    let mut text = |key: &str| {
        let text = platform_data.remove(key).and_then(|value| String::try_from(value).ok());
        text.filter(|text| !text.is_empty())
    };
    text("activation-token").or_else(|| text("desktop-startup-id"))
}

#[cfg(test)]
pub(crate) mod tests {
    use zbus::message::Message;
    use zbus::zvariant::{Str, Value};

    use super::*;

    /// A value of a type that its first letter selects.
    pub(crate) fn value(text: &str) -> Value<'_> {
        let (letter, rest) = text.split_at_checked(1).unwrap_or_default();
        match letter {
            "u" => Value::U32(rest.parse().unwrap_or(u32::MAX)),
            "i" => Value::I32(rest.parse().unwrap_or(i32::MIN)),
            "t" => Value::U64(rest.parse().unwrap_or(u64::MAX)),
            "b" => Value::Bool(rest.is_empty()),
            "a" => Value::from(rest.split(',').collect::<Vec<_>>()),
            "v" => Value::Value(Box::new(Value::from(rest))),
            "s" => Value::from(rest),
            _ => Value::from(text),
        }
    }

    /// An input has the name of an action and its parameter, and then names and values of what the desktop says of the
    /// click. A unit separator stands between them.
    #[test]
    fn whatever_a_desktop_calls_is_one_request_or_refused() {
        tidings_testkit::fuzz::run("bus-call", 2_000, |input| {
            // No text on the bus has a NUL.
            let text = String::from_utf8_lossy(input).replace('\0', " ");
            let mut parts = text.split('\u{1f}');
            let (action, parameter) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let mut data = HashMap::new();
            while let (Some(name), Some(said)) = (parts.next(), parts.next()) {
                data.insert(name, value(said));
            }
            let arguments = (action, vec![value(parameter)], data);
            let call = Message::method_call(OBJECT_PATH, "ActivateAction").unwrap();
            let body = call.build(&arguments).unwrap().body();
            let read = || body.deserialize::<(String, Vec<OwnedValue>, PlatformData)>().unwrap();
            let (requests, mut received) = mpsc::unbounded_channel();
            let application = Application { requests };
            let (name, parameter, data) = read();
            let is_known = application.activate_action(&name, parameter, data).is_ok();
            assert_eq!(is_known, MenuAction::from_word(action).is_some());
            application.activate(read().2);
            application.open(vec![action.to_owned(); 2], read().2);
            let mut sent = Vec::new();
            while let Ok(request) = received.try_recv() {
                sent.push(match request {
                    DesktopRequest::Act { token, .. }
                    | DesktopRequest::Show(token)
                    | DesktopRequest::Link { token, .. } => token,
                    other => panic!("{other:?}"),
                });
            }
            assert_eq!(sent.len(), 3 + usize::from(is_known));
            assert!(sent.iter().flatten().all(|token| !token.is_empty()), "{sent:?}");
            // A token is good for one window.
            assert_eq!(sent.pop(), Some(None));
        });
    }

    #[test]
    fn files_of_the_package_have_the_names_of_the_program_on_the_bus() {
        let entry = include_str!("../../packaging/org.tidings.desktop.desktop");
        let service = include_str!("../../packaging/org.tidings.desktop.service");
        assert!(entry.contains("\nDBusActivatable=true\n"), "{entry}");
        assert!(service.contains(&format!("\nName={BUS_NAME}\n")), "{service}");
        assert_eq!(OBJECT_PATH, format!("/{}", BUS_NAME.replace('.', "/")));
    }

    #[test]
    fn the_token_of_an_activation_goes_before_the_startup_id() {
        let data = |pairs: &[(&str, &'static str)]| {
            pairs.iter().map(|(key, text)| ((*key).to_owned(), OwnedValue::from(Str::from(*text)))).collect()
        };
        let startup = ("desktop-startup-id", "x11");
        assert_eq!(token_of(data(&[startup, ("activation-token", "wayland")])).as_deref(), Some("wayland"));
        assert_eq!(token_of(data(&[startup, ("activation-token", "")])).as_deref(), Some("x11"));
        assert_eq!(token_of(data(&[("activation-token", "")])), None);
        let number = PlatformData::from([("activation-token".to_owned(), OwnedValue::from(7_u32))]);
        assert_eq!(token_of(number), None);
    }
}
