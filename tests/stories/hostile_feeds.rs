//! Stories of feeds and files that are made to end their reader: the real program, in 512 MB, answers in words, lives, and
//! pulls its other sources.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::program::built;
use tempfile::TempDir;
use tidings_testkit::services::Feed;

/// The memory that the program and each of its children have, in bytes.
const MEMORY: u64 = 512 << 20;
const RSS: &str = "content-type: application/rss+xml\r\n";
const NAMESPACES: &str = "xmlns:media=\"http://search.yahoo.com/mrss/\" \
                          xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"";

/// The program in its own process group.
fn tidings(data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("prlimit");
    command.arg(format!("--data={MEMORY}")).arg(built("tidings")).args(args);
    command.env("TIDINGS_DATA_DIR", data).env_remove("TIDINGS_LOG").env_remove("TIDINGS_STORE");
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(data: &Path, args: &[&str]) -> Output {
    tidings(data, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn rss(inside: &str) -> String {
    format!("<rss version=\"2.0\" {NAMESPACES}><channel><title>Blog</title>{inside}</channel></rss>")
}

fn good(entry: &str) -> String {
    rss(&format!("<item><guid>{entry}</guid><title>{entry}</title></item>"))
}

/// An inbox with sources, each of which has had one entry.
struct Inbox {
    data: TempDir,
    server: Feed,
}

impl Inbox {
    async fn of(sources: &[&str]) -> Self {
        let (data, server) = (TempDir::new().unwrap(), Feed::start().await);
        for name in sources {
            server.put(&format!("/{name}"), RSS, good("first"));
            let url = server.at(&format!("/{name}"));
            let added = run(data.path(), &["source", "add", "feed", &url, "--name", name]);
            assert!(added.status.success(), "{}", text(&added.stderr));
        }
        let inbox = Self { data, server };
        assert!(inbox.tidings(&["pull"]).status.success());
        inbox
    }

    fn command(&self, args: &[&str]) -> Command {
        tidings(self.data.path(), args)
    }

    fn tidings(&self, args: &[&str]) -> Output {
        run(self.data.path(), args)
    }

    fn publish(&self, name: &str, document: impl AsRef<[u8]>) {
        self.server.put(&format!("/{name}"), RSS, document);
    }

    /// Pulls, and asserts that these sources are named as failing in these words, and that `good` was pulled.
    fn pull_fails(&self, hostile: &[&str], words: &str) {
        self.publish("good", good("second"));
        let pulled = self.tidings(&["pull"]);
        let (out, err) = (text(&pulled.stdout), text(&pulled.stderr));
        assert_eq!(pulled.status.code(), Some(1), "{out}{err}");
        for name in hostile {
            let line = err.lines().find(|line| line.contains(&format!("{name}: ")));
            assert!(line.is_some_and(|line| line.contains(words)), "{name}: {out}{err}");
        }
        assert!(out.contains("good: 1 new"), "{out}{err}");
    }

    /// Pulls, and asserts that this source is named as failing in these words.
    fn pull_fails_again(&self, name: &str, words: &str) {
        let pulled = self.tidings(&["pull"]);
        let err = text(&pulled.stderr);
        assert_eq!(pulled.status.code(), Some(1), "{err}");
        assert!(err.contains(name) && err.contains(words), "{err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_of_a_thousand_nested_groups_is_refused_and_the_inbox_goes_on() {
    let hostile = ["group", "content", "category"];
    let inbox = Inbox::of(&["good", "group", "content", "category"]).await;
    for (name, element) in hostile.iter().zip(["media:group", "media:content", "itunes:category text='a'"]) {
        let end = element.split(' ').next().unwrap();
        let deep = format!("{}{}", format!("<{element}>").repeat(1_000), format!("</{end}>").repeat(1_000));
        let document = rss(&format!("{deep}<item>{deep}</item>"));
        inbox.publish(name, &document);
    }
    inbox.pull_fails(&hostile, "nested too deeply");
}

#[tokio::test(flavor = "multi_thread")]
async fn thumbnails_times_texts_times_groups_of_380_kb_are_refused_and_the_inbox_goes_on() {
    let inbox = Inbox::of(&["good", "product"]).await;
    let thumbnails = "<media:thumbnail url=\"https://x.example/t.png\"/>".repeat(2_000);
    let texts = "<media:text type=\"plain\">some words</media:text>".repeat(2_000);
    let groups = "<media:group><media:content url=\"https://x.example/v.mp4\"/></media:group>".repeat(2_500);
    let group = |inside: String| format!("<item><media:group>{inside}</media:group></item>");
    let document = rss(&group(format!("{thumbnails}{texts}{groups}")));
    assert!((300_000..450_000).contains(&document.len()), "{}", document.len());
    inbox.publish("product", &document);
    inbox.pull_fails(&["product"], "");
    // Fewer of each, so that only their product is too much.
    let fewer = 400;
    let group_of_fewer = group(format!(
        "{}{}{}",
        &thumbnails[..thumbnails.len() / 2_000 * fewer],
        &texts[..texts.len() / 2_000 * fewer],
        &groups[..groups.len() / 2_500 * fewer]
    ));
    inbox.publish("product", rss(&group_of_fewer));
    inbox.pull_fails_again("product", "repeats too much");
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_feeds_of_200_000_links_at_once_stay_under_300_mib() {
    let names: Vec<String> = (1..=8).map(|n| format!("links{n}")).collect();
    let hostile: Vec<&str> = names.iter().map(String::as_str).collect();
    let inbox = Inbox::of(&[&["good"][..], &hostile].concat()).await;
    let links = "<link>https://x.example/</link>".repeat(200_000);
    let of_entry = rss(&format!("<item><guid>1</guid>{links}</item>"));
    for (nth, name) in hostile.iter().enumerate() {
        inbox.publish(name, if nth % 2 == 0 { rss(&links) } else { of_entry.clone() });
    }
    inbox.publish("good", good("second"));
    let pull = tidings(inbox.data.path(), &["pull"]).spawn().unwrap();
    let (pulled, most) = watch(pull);
    let (out, err) = (text(&pulled.stdout), text(&pulled.stderr));
    assert_eq!(pulled.status.code(), Some(1), "{out}{err}");
    assert_eq!(err.matches("too large").count(), 8, "{out}{err}");
    assert!(out.contains("good: 1 new"), "{out}{err}");
    println!("at most {} MiB in all processes", most >> 20);
    assert!(most < 300 << 20, "{} MiB", most >> 20);
}

/// Waits for the end of a program, and returns the most memory that it and its children had at a time, in bytes.
fn watch(mut program: Child) -> (Output, u64) {
    let (mut most, mut others) = (0, HashSet::new());
    while program.try_wait().unwrap().is_none() {
        most = most.max(memory_of_group(program.id(), &mut others));
        std::thread::sleep(Duration::from_millis(5));
    }
    (program.wait_with_output().unwrap(), most)
}

/// The resident memory of all processes of a group. What is no process of it never is: `others` are not read again.
fn memory_of_group(group: u32, others: &mut HashSet<OsString>) -> u64 {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let resident = processes.filter_map(|process| {
        let (name, path) = (process.file_name(), process.path());
        if others.contains(&name) || group_of(&path) != Some(group) {
            others.insert(name);
            return None;
        }
        let status = fs::read_to_string(path.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kilobytes * 1024)
    });
    resident.sum()
}

/// The group of a process, by its folder in /proc.
fn group_of(process: &Path) -> Option<u32> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    // After the name, which may have spaces: state, parent, group.
    stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok()
}

/// A document of 600 entries, at which a process is for a while.
fn long_feed() -> String {
    let paragraph = "<p>Some <b>words</b> of a <a href=\"/x\">long</a> post.</p>".repeat(100);
    let mut items = String::new();
    for n in 0..600 {
        write!(items, "<item><guid>n{n}</guid><description><![CDATA[{paragraph}]]></description></item>")
            .unwrap();
    }
    rss(&items)
}

/// Pulls, and ends the process at the very point: while the page of the second source alone is marked.
fn kill_at_the_mark(inbox: &Inbox) {
    let mut pull = inbox.command(&["pull"]).spawn().unwrap();
    let marks = inbox.data.path().join("parsing");
    let is_marked = || {
        let marks = fs::read_dir(&marks)
            .unwrap()
            .flatten()
            .filter(|mark| mark.path().extension().is_some_and(|end| end == "mark"));
        let marks: Vec<String> =
            marks.map(|mark| fs::read_to_string(mark.path()).unwrap_or_default()).collect();
        !marks.is_empty() && marks.iter().all(|mark| mark.contains("\"2\""))
    };
    let began = Instant::now();
    while !is_marked() {
        assert!(
            pull.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_secs(60),
            "it was read"
        );
    }
    pull.kill().unwrap();
    pull.wait().unwrap();
}

/// Pulls, and asserts that the long document was read.
fn pull_reads_all(inbox: &Inbox) {
    let pulled = inbox.tidings(&["pull"]);
    let (out, err) = (text(&pulled.stdout), text(&pulled.stderr));
    assert!(out.contains("large: 600 new"), "{out}{err}");
    assert!(!text(&inbox.tidings(&["check"]).stdout).contains("skipped: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ended_the_process_is_passed_by_and_named_and_read_again_by_hand() {
    let inbox = Inbox::of(&["good", "large"]).await;
    inbox.publish("large", long_feed());
    kill_at_the_mark(&inbox);

    inbox.pull_fails(&["large"], "skipped");
    let checked = inbox.tidings(&["check"]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    assert!(text(&checked.stdout).contains("skipped: large: "), "{}", text(&checked.stdout));
    inbox.pull_fails_again("large", "skipped");

    assert!(inbox.tidings(&["source", "retry", "large"]).status.success());
    assert_eq!(inbox.tidings(&["source", "retry", "large"]).status.code(), Some(1), "there is nothing more");
    pull_reads_all(&inbox);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ended_the_process_is_read_again_by_the_next_version() {
    let inbox = Inbox::of(&["good", "large"]).await;
    inbox.publish("large", long_feed());
    kill_at_the_mark(&inbox);
    inbox.pull_fails(&["large"], "skipped");
    // The list is that of an earlier version.
    let list = inbox.data.path().join("parsing/passed-by");
    let entries: Vec<_> = fs::read_dir(list).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    let mut entry: Value = serde_json::from_str(&fs::read_to_string(&entries[0]).unwrap()).unwrap();
    entry["version"] = "0.0.0".into();
    fs::write(&entries[0], entry.to_string()).unwrap();
    pull_reads_all(&inbox);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_file_that_is_imported_ends_the_program_or_takes_its_memory() {
    let data = TempDir::new().unwrap();
    let most = 8 << 20;
    let filled = |head: &str, part: &str| head.to_owned() + &part.repeat((most - head.len()) / part.len());
    let mut aliases = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..40 {
        let before = n - 1;
        writeln!(aliases, "a{n}: &a{n} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}]")
            .unwrap();
    }
    // A long text that is remembered again and again.
    let mut pickle = vec![0x80, 4, b'X'];
    pickle.extend(4_000_000_u32.to_le_bytes());
    pickle.resize(pickle.len() + 4_000_000, b'a');
    pickle.resize(most, 0x94);
    let files: [(&str, Vec<u8>); 9] = [
        ("outlines", filled("<opml><body>", "<outline>").into()),
        ("attributes", filled("<opml><body><outline ", "a='' ").into()),
        ("values", filled("", "[").into()),
        ("objects", filled("", "{\"a\":").into()),
        ("accounts", filled("x", "{\"auth\":").into()),
        ("aliases", aliases.into()),
        ("lists", filled("subscribe: ", "[").into()),
        ("keys", filled("", "? ").into()),
        ("pickle", pickle),
    ];
    for (name, bytes) in files {
        let file = data.path().join(name);
        fs::write(&file, bytes).unwrap();
        let (done, most) =
            watch(tidings(data.path(), &["source", "import", file.to_str().unwrap()]).spawn().unwrap());
        let said = text(&done.stdout) + &text(&done.stderr);
        assert!(matches!(done.status.code(), Some(0 | 1)), "{name}: {:?} {said}", done.status);
        assert!(done.status.success() || said.contains("the file"), "{name}: {said}");
        assert!(most < 300 << 20, "{name}: {} MiB", most >> 20);
    }
}
