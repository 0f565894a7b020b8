//! Input that strangers write for the parsers of the reader's program, each at its bound. The `tidings` program reads
//! the feeds; the window's program reads bodies, pictures, imports and archives. The probes ask a server beside it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tidings_home::{StagingDir, archive};
use tidings_render::budget::Budget;
use tidings_render::markdown::to_html;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::process::Command;

use super::fill::Fixture;
use super::probe::Probes;
use super::{Figures, inputs};
use crate::Result;
use crate::process_stats::ProcessStats;

/// Pause between two looks at a program.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(2);
/// The longest that a program may take.
const MAX_DURATION: Duration = Duration::from_secs(120);

/// What is measured.
#[derive(Clone, Copy)]
pub(super) struct Work {
    pub(super) name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// A pull of feeds with this document.
    Feed(fn() -> String),
    /// A part of this program, by its name, with these files.
    Part(&'static str, &'static [fn() -> Vec<u8>]),
}

/// All of them, in the order of the report's rows.
pub(super) const ALL: &[Work] = &[
    Work { name: "a feed of 1,000 nested groups", kind: Kind::Feed(inputs::nested_groups) },
    Work { name: "a feed of thumbnails, texts and groups", kind: Kind::Feed(inputs::groups_of_all) },
    Work { name: "a feed of 200,000 links", kind: Kind::Feed(inputs::links) },
    Work { name: "a feed of 19 MB of texts", kind: Kind::Feed(inputs::texts) },
    Work { name: "a feed of 20,000 entries below a long title", kind: Kind::Feed(inputs::entries) },
    Work { name: "a feed of HTML of 1 MiB", kind: Kind::Feed(inputs::hypertexts) },
    Work { name: "a JSON Feed of 60,000 objects", kind: Kind::Feed(inputs::objects) },
    Work { name: "bodies of 256 KiB of Markdown", kind: Kind::Part("markdown", &[]) },
    Work { name: "pictures of 8 MiB", kind: Kind::Part("pictures", inputs::PICTURES) },
    Work { name: "imports of 8 MiB of OPML", kind: Kind::Part("imports", inputs::OUTLINES) },
    Work { name: "imports of 8 MiB of YAML", kind: Kind::Part("imports", inputs::SETTINGS) },
    Work { name: "imports of 8 MiB of JSON and pickle", kind: Kind::Part("imports", inputs::VALUES) },
    Work { name: "archives of 64 MiB that are no backup", kind: Kind::Part("archives", inputs::ARCHIVES) },
];

/// Serves feeds: small ones until they are made hostile.
async fn serve(document: Arc<Mutex<String>>) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let document = document.lock().clone();
            tokio::spawn(async move {
                let _ = connection.read(&mut [0; 8192]).await;
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    document.len()
                );
                // A reader that breaks off has its reasons.
                let _ = connection.write_all(head.as_bytes()).await;
                let _ = connection.write_all(document.as_bytes()).await;
            });
        }
    });
    Ok(url)
}

/// The command of a pull of `count` such feeds.
async fn pull_of(count: usize, data: &Path, make: fn() -> String) -> Result<Command> {
    let program = std::env::current_exe()?.with_file_name("tidings");
    let document = Arc::new(Mutex::new(inputs::feed("")));
    let url = serve(Arc::clone(&document)).await?;
    for n in 0..count {
        let added = Command::new(&program)
            .args(["source", "add", "feed", &format!("{url}/{n}.xml")])
            .env("TIDINGS_DATA_DIR", data)
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .output()
            .await?;
        if !added.status.success() {
            return Err(String::from_utf8_lossy(&added.stderr).into());
        }
    }
    *document.lock() = make();
    let mut pull = Command::new(program);
    pull.arg("pull").env("TIDINGS_DATA_DIR", data).env_remove("DBUS_SESSION_BUS_ADDRESS");
    Ok(pull)
}

/// Runs one program with as much at once, and measures it while the probes ask a server.
pub(super) async fn measure(
    work: &Work,
    count: usize,
    probed: &Arc<Fixture>,
    data: &Path,
) -> Result<Figures> {
    let folder = tempfile::Builder::new().prefix("client.").tempdir_in(data)?;
    let mut command = match work.kind {
        Kind::Feed(make) => pull_of(count, folder.path(), make).await?,
        Kind::Part(name, files) => {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["lay-out", name, &count.to_string()]).arg(folder.path());
            // The files are written before the measurement, so that neither their bytes nor their way to the disk
            // count.
            for (n, make) in files.iter().enumerate() {
                fs::write(folder.path().join(n.to_string()), make())?;
            }
            command
        }
    };
    let probes = Probes::start(probed)?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let stats = ProcessStats::new(child.id().ok_or("it has ended")?);
    let (mut cpu, mut peak) = (Duration::ZERO, 0);
    let sampled = async {
        while child.try_wait()?.is_none() {
            cpu = cpu.max(stats.cpu_with_children().unwrap_or_default());
            peak = peak.max(stats.peak_with_children().unwrap_or_default());
            tokio::time::sleep(SAMPLE_INTERVAL).await;
        }
        Ok::<_, std::io::Error>(())
    };
    tokio::time::timeout(MAX_DURATION, sampled).await.map_err(|_| format!("{} did not end", work.name))??;
    let latencies = probes.stop().await?;
    Ok(Figures { cpu: cpu / u32::try_from(count)?, peak, latencies })
}

/// Lays out bodies, or reads the pictures, the imports or the archives in a folder, `count` at once, as the window's
/// program does.
pub(crate) fn lay_out(part: &str, count: usize, folder: &Path) -> Result<()> {
    std::thread::scope(|threads| {
        let running: Vec<_> = (0..count).map(|_| threads.spawn(move || lay_out_once(part, folder))).collect();
        running.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a parser failed")?)
    })
}

/// The result is that of the harness: what is beyond its bounds is shown as plain text or refused.
fn lay_out_once(part: &str, folder: &Path) -> Result<()> {
    if part == "markdown" {
        for body in inputs::bodies() {
            drop(to_html(&body, &mut Budget::default()));
        }
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        match part {
            "pictures" => drop(tidings_render::preview::preview(&file)?),
            "archives" => {
                let folder = StagingDir::for_restore(std::env::temp_dir().as_path())?;
                drop(archive::unpack(&file, folder.path()));
            }
            _ => drop(runtime.block_on(tidings_sources::imports::read(fs::read(&file)?, "import"))),
        }
    }
    Ok(())
}
