//! Tests a week at the desk in which everything around the program goes and comes, again and again. The desktop has a
//! tray host, a notification daemon, a keyring, a portal and the machine's sleep. The network has its name server and the
//! certificate of a server, and the program its window and the process of the page. Nothing is lost, and after the first
//! of it nothing grows.
//!
//! `TIDINGS_SOAK` is its length in seconds, 600 at most: then it has a hundred troubles and 100,000 notifications.
//! `TIDINGS_SEED` draws another order of the troubles.

use std::cell::Cell;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use support::{
    app::{self, App},
    client::Client,
    desktop::{Desktop, DesktopOptions},
    program::Process,
    toasts::Toasts,
    tray::Tray,
    usage::Usage,
    wait,
};
use tidings_testkit::bus::Bus;
use tidings_testkit::lot::Lot;
use tidings_testkit::names::Names;
use tidings_testkit::report::tried;
use tidings_testkit::services::{Fault, Forgejo, ScriptedService as _};
use tidings_testkit::tls::{Authority, TlsFront};
use zbus::connection::Builder;
use zbus::{Connection, interface};

/// The name of the service, which the program looks up.
const FORGE: &str = "forge.test";

/// What happens around the program, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// The tray host ends, and another one starts.
    TrayHost,
    /// The notification daemon ends, and another one starts.
    Daemon,
    /// A keyring comes that never answers, and goes.
    Keyring,
    /// The desktop's portal goes, which says which proxies to use, and another one comes.
    Portal,
    /// The machine sleeps, and something is published elsewhere meanwhile.
    Sleep,
    /// The network asks for a sign-in, with a page in place of each answer.
    CaptivePortal,
    /// The network sends every request to another address.
    Redirect,
    /// Answers are no protocol at all.
    Garbage,
    /// Connections end without an answer.
    Down,
    /// Nobody answers for names.
    NameServer,
    /// The certificate of the service has expired, until it is renewed.
    Expired,
    /// Somebody in between shows a certificate of his own.
    Impostor,
    /// The window is closed, and opened again.
    Window,
    /// The process of the page is killed.
    PageProcess,
}

use Trouble::{
    CaptivePortal, Daemon, Down, Expired, Garbage, Impostor, Keyring, NameServer, PageProcess, Portal,
    Redirect, Sleep, TrayHost, Window,
};

const TROUBLES: [Trouble; 14] = [
    TrayHost,
    Daemon,
    Keyring,
    Portal,
    Sleep,
    CaptivePortal,
    Redirect,
    Garbage,
    Down,
    NameServer,
    Expired,
    Impostor,
    Window,
    PageProcess,
];

/// How much more the program may hold in the end than after every trouble happened once.
const SLACK: Usage = Usage { processes: 3, threads: 24, handles: 64, timers: 6, memory: 256, files: 16 };

/// The seed without `TIDINGS_SEED`.
const SEED: u64 = 38;

/// The longest week, in seconds. Others of a soak take more.
const LONGEST: usize = 600;

/// The number of troubles, and of notifications in each.
fn length() -> (usize, usize) {
    let secs: Option<usize> = std::env::var("TIDINGS_SOAK").ok().and_then(|secs| secs.parse().ok());
    secs.map_or((2 * TROUBLES.len(), 20), |secs| ((secs.min(LONGEST) / 6).max(2 * TROUBLES.len()), 1_000))
}

/// So many troubles: each in turn, and then all of them again and again, in an order by lot.
fn in_turn(count: usize, seed: u64) -> Vec<Trouble> {
    let (mut lot, mut all) = (Lot::new(seed), Vec::from(TROUBLES));
    while all.len() < count {
        let mut left = Vec::from(TROUBLES);
        while !left.is_empty() {
            all.push(left.swap_remove(lot.index(left.len())));
        }
    }
    all.truncate(count);
    all
}

/// A desktop with the program on it, and all that may go.
struct Week<'d> {
    desktop: &'d Desktop,
    app: App<'d>,
    server: Client,
    /// A service elsewhere, which is pulled and has no live channel. It is reached by its name and over TLS.
    service: Forgejo,
    names: Names,
    front: TlsFront,
    authority: Authority,
    logind: Connection,
    tray_host: Option<Process>,
    toasts: Option<Toasts>,
    keyring: Option<Connection>,
    portal: Option<Connection>,
    /// How often a portal was asked.
    asked: Arc<AtomicUsize>,
    /// What was published here, and at the service.
    here: usize,
    there: usize,
}

impl Week<'_> {
    fn publish_there(&mut self) {
        self.service.publish(self.there);
        self.there += 1;
    }

    async fn publish_here(&mut self, count: usize) {
        let from = self.here;
        let posts: Vec<_> =
            (from..from + count).map(|n| (format!("job-{}", n % 20), format!("Step {n} is done"))).collect();
        self.server.publish_many(&posts).await;
        self.here += count;
    }

    /// logind's signal: the machine goes to sleep, or has woken up.
    async fn tell_sleep(&self, begins: bool) {
        let (path, interface) = ("/org/freedesktop/login1", "org.freedesktop.login1.Manager");
        let told = self.logind.emit_signal(None::<&str>, path, interface, "PrepareForSleep", &begins).await;
        told.expect("the system bus takes the signal");
    }

    /// Waits until something holds. Meanwhile the machine wakes up again and again, each time after twice as long. A wake-up
    /// ends the connections of a pull, which needs more time on a busy machine.
    async fn wake_until<F: Future<Output = bool>>(&self, bound: Duration, what: &str, holds: impl Fn() -> F) {
        let due = Cell::new((Instant::now(), Duration::from_millis(200)));
        wait::within(bound, what, || async {
            let (holds, (at, pause)) = (holds().await, due.get());
            if !holds && Instant::now() >= at {
                due.set((Instant::now() + pause, 2 * pause));
                self.tell_sleep(false).await;
            }
            holds
        })
        .await;
    }

    async fn begin(&mut self, trouble: Trouble) {
        let faults = self.service.faults();
        match trouble {
            TrayHost => {
                drop(self.tray_host.take());
                wait::until_equal("items in the tray", 0, || Tray::count(self.desktop)).await;
            }
            Daemon => self.toasts.take().expect("a daemon runs").end().await,
            Keyring => {
                let builder = self.desktop.bus_builder().name("org.freedesktop.secrets").expect("a name");
                self.keyring = Some(builder.build().await.expect("there is no other keyring"));
            }
            Portal => drop(self.portal.take()),
            Sleep => {
                self.tell_sleep(true).await;
                self.app.process.signal("STOP");
            }
            CaptivePortal => faults.plan(0, Fault::CaptivePortal),
            Redirect => faults.plan(0, Fault::Redirect("http://sign-in.invalid/".to_owned())),
            Garbage => faults.plan(0, Fault::Garbage),
            Down => faults.set_down(true),
            NameServer => self.names.forget(),
            Expired => self.front.exchange(&self.authority.expired_server(FORGE)),
            Impostor => self.front.exchange(&Authority::new("Somebody in between").server(FORGE)),
            Window => self.desktop.close_window().await,
            PageProcess => {
                let page = wait::until("a page in the window", || async {
                    app::page_pids(self.desktop).into_iter().find(|pid| app::is_connected(*pid))
                })
                .await;
                let before = app::page_pids(self.desktop);
                assert!(app::end_process(page), "the process of the page can be killed");
                wait::until("the page to be read in again, or the window to be closed", || async {
                    let is_new = |pid: &u32| !before.contains(pid) && app::is_connected(*pid);
                    app::page_pids(self.desktop).iter().any(is_new) || self.desktop.window_titles().is_empty()
                })
                .await;
            }
        }
    }

    /// Waits until a pull has met the trouble, if it is one of the network.
    async fn meet(&self, trouble: Trouble) {
        let (asked, looked_up) = (self.service.requests().len(), self.names.unanswered());
        let refused = self.front.refused();
        self.wake_until(wait::TEST_TIMEOUT, &format!("a pull in {trouble:?}"), || async {
            match trouble {
                CaptivePortal | Redirect | Garbage => self.service.faults().is_empty(),
                Down | Portal => self.service.requests().len() > asked,
                NameServer => self.names.unanswered() > looked_up,
                Expired | Impostor => self.front.refused() > refused,
                _ => true,
            }
        })
        .await;
    }

    async fn end(&mut self, trouble: Trouble) {
        match trouble {
            TrayHost => self.tray_host = Some(self.desktop.start_tray_host()),
            Daemon => self.toasts = Some(Toasts::record(self.desktop).await),
            Keyring => drop(self.keyring.take()),
            Portal => {
                let before = self.asked.load(Ordering::SeqCst);
                self.portal = Some(portal(self.desktop, &self.asked).await);
                self.wake_until(wait::TEST_TIMEOUT, "the portal to be asked again", || async {
                    self.asked.load(Ordering::SeqCst) > before
                })
                .await;
            }
            Sleep => self.app.process.signal("CONT"),
            CaptivePortal | Redirect | Garbage => {}
            Down => self.service.faults().set_down(false),
            NameServer => self.names.know(FORGE, "127.0.0.1"),
            Expired | Impostor => self.front.exchange(&self.authority.server(FORGE)),
            Window | PageProcess => self.open_window().await,
        }
    }

    async fn open_window(&self) {
        let tray = Tray::find(self.desktop).await;
        if self.desktop.window_titles().is_empty() {
            tray.click().await;
        }
        self.desktop.wait_for_rendered_page().await;
    }

    /// Waits until everything that was published is in the inbox, after a wake-up if it is elsewhere.
    async fn everything_arrives(&self) {
        let (data, all) = (self.desktop.data_dir(), (self.here + self.there) as u64);
        self.wake_until(4 * wait::TEST_TIMEOUT, &format!("{all} in the inbox"), || async {
            let unread = app::unread(&data);
            assert!(unread <= all, "{unread} of {all}: something came twice");
            unread == all
        })
        .await;
    }

    /// What went is there again: a toast, the number in the tray.
    async fn everything_works(&mut self, count: usize) {
        Tray::find(self.desktop).await.wait_for_number("9plus").await;
        let calls = self.toasts.as_ref().expect("a daemon runs").calls().len();
        self.publish_here(count).await;
        self.everything_arrives().await;
        let toasts = self.toasts.as_ref().expect("a daemon runs");
        wait::until("a toast", || async { toasts.calls().len() > calls }).await;
    }
}

async fn logind(bus: &Bus) -> Connection {
    let connection = Builder::address(bus.address.as_str()).expect("an address").build().await;
    let connection = connection.expect("the bus answers");
    connection.request_name("org.freedesktop.login1").await.expect("the name is free");
    connection
}

/// The desktop's portal, which names no proxy.
struct ProxyResolver(Arc<AtomicUsize>);

#[interface(name = "org.freedesktop.portal.ProxyResolver")]
impl ProxyResolver {
    fn lookup(&self, uri: &str) -> Vec<String> {
        assert!(uri.contains("://"), "an address is asked for: {uri}");
        self.0.fetch_add(1, Ordering::SeqCst);
        vec!["direct://".to_owned()]
    }
}

async fn portal(desktop: &Desktop, asked: &Arc<AtomicUsize>) -> Connection {
    let path = "/org/freedesktop/portal/desktop";
    let builder = desktop.bus_builder().serve_at(path, ProxyResolver(asked.clone())).expect("a path");
    let builder = builder.name("org.freedesktop.portal.Desktop").expect("a name");
    builder.build().await.expect("there is no other portal")
}

/// Has a program know the name of the service, and no proxy but that of the desktop.
fn prepare(command: &mut Command, names: &Names) {
    names.hold_for(command);
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_desktop_for_a_week() {
    let (troubles, count) = length();
    let seed = std::env::var("TIDINGS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(SEED);
    println!("TIDINGS_SEED={seed}: {troubles} troubles");
    let options = DesktopOptions { tray_host: false, dunst: false, ..DesktopOptions::default() };
    let (desktop, system) = (Desktop::with_options(options), Bus::start());
    let service = Forgejo::start().await;
    let (names, authority) = (Names::new(), Authority::new("Company"));
    names.know(FORGE, "127.0.0.1");
    let host = service.url().replace("http://", "");
    let front = TlsFront::start(&host, &authority.server(FORGE), None).await;
    let (url, token) = (front.url_of(FORGE), service.token());
    let file = desktop.path().join("company.pem");
    std::fs::write(&file, authority.pem()).expect("the folder is writable");
    let file = file.to_str().expect("a path in UTF-8");
    for args in [
        &["certificate", "add", &url, file][..],
        &["source", "add", "forgejo", &url, "--token", &token, "--name", "Forge"],
    ] {
        let done = app::try_tidings_with(&desktop.data_dir(), args, |command| prepare(command, &names));
        assert!(done.0, "{done:?}");
    }
    let asked = Arc::<AtomicUsize>::default();
    let portal = Some(portal(&desktop, &asked).await);
    let logind = logind(&system).await;
    let tray_host = Some(desktop.start_tray_host());
    let toasts = Some(Toasts::record(&desktop).await);
    let app = App::start_with(&desktop, &[], |command| {
        command.env("DBUS_SYSTEM_BUS_ADDRESS", &system.address);
        prepare(command, &names);
    });
    let server = app.server().await;
    let keyring = None;
    let mut week = Week {
        desktop: &desktop,
        app,
        server,
        service,
        names,
        front,
        authority,
        logind,
        tray_host,
        toasts,
        keyring,
        portal,
        asked,
        here: 0,
        there: 0,
    };
    desktop.wait_for_rendered_page().await;
    week.publish_here(10).await;
    week.everything_arrives().await;

    let mut first = Usage::default();
    for (nth, trouble) in in_turn(troubles, seed).into_iter().enumerate() {
        week.begin(trouble).await;
        week.publish_there();
        week.meet(trouble).await;
        // A program that sleeps takes nothing.
        if trouble != Sleep {
            week.publish_here(count / 2).await;
        }
        week.end(trouble).await;
        week.everything_arrives().await;
        week.everything_works(count - count / 2).await;
        if nth + 1 == TROUBLES.len() {
            first = Usage::of(week.app.process.pid(), &desktop.data_dir());
        }
    }

    let now = || Usage::of(week.app.process.pid(), &desktop.data_dir());
    println!("{} here, {} there; {first:?}, then {:?}", week.here, week.there, now());
    wait::until("everything to be as large as after the first of it", || async {
        let grown = now().grown_since(&first, &SLACK);
        if !grown.is_empty() {
            eprintln!("grown: {grown:?}");
        }
        grown.is_empty()
    })
    .await;
    let Week { mut app, here, there, .. } = week;
    let counts = [("troubles", troubles as u64), ("notifications", (here + there) as u64)];
    tried("a week at the desk", &counts, &[seed]);
    assert!(app.process.terminate().success(), "{}", app.log());
    app::tidings(&desktop.data_dir(), &["check"]);
}

#[tokio::test]
async fn a_session_bus_that_ends_takes_nothing_with_it() {
    let options = DesktopOptions { tray_host: false, dunst: false, ..DesktopOptions::default() };
    let (desktop, mut bus) = (Desktop::with_options(options), Bus::start());
    let mut app = App::start_with(&desktop, &["--background"], |command| {
        command.env("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    });
    let server = app.server().await;
    server.publish("backups", "Backup done", &[]).await;
    let data = desktop.data_dir();
    wait::until_equal("unread", 1, || async { app::unread(&data) }).await;
    bus.end();

    // The toolkit may end the program with its session, as at a sign-out; else it goes on without toasts.
    let mut all = 1;
    if let Some(status) = app.process.exit_within(wait::QUIET_PERIOD) {
        let is_orderly = status.success() || status.signal() == Some(15);
        assert!(is_orderly, "{status}: {}", app.log());
    } else {
        server.publish("backups", "Backup done again", &[]).await;
        all += 1;
        wait::until_equal("unread", all, || async { app::unread(&data) }).await;
        assert!(app.process.terminate().success(), "{}", app.log());
    }
    drop(app);

    // The next session has a bus.
    let toasts = Toasts::record(&desktop).await;
    let app = App::start(&desktop, &["--background"]);
    app.server().await.publish("parcels", "Your parcel is here", &[]).await;
    toasts.wait_for("parcel").await;
    wait::until_equal("unread", all + 1, || async { app::unread(&data) }).await;
    app::tidings(&data, &["check"]);
}
