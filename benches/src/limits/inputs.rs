//! What strangers write, each at a bound of its parser: documents of feeds, bodies, pictures, files of other programs,
//! archives.

use std::fmt::Write as _;

use tidings_home::archive::REPLICA;
use tidings_render::budget::MAX_BODY_BYTES;
use tidings_sources::imports::MAX_IMPORT_BYTES;

/// Bytes of the largest picture that is shown.
const PICTURE_BYTES: usize = 8 << 20;
/// Bytes of an archive.
const ARCHIVE_BYTES: usize = 64 << 20;

/// Files, made when they are needed.
type Files = &'static [fn() -> Vec<u8>];

pub(super) fn feed(item: &str) -> String {
    format!(
        "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><title>t</title><link>http://a.example</link>\
         <item><guid>1</guid><title>i</title>{item}</item></channel></rss>"
    )
}

pub(super) fn nested_groups() -> String {
    feed(&("<media:group>".repeat(1_000) + &"</media:group>".repeat(1_000)))
}

pub(super) fn groups_of_all() -> String {
    let each = 2_000;
    let thumbnails = "<media:thumbnail url=\"http://a.example/t\"/>".repeat(each);
    let texts = "<media:text>t</media:text>".repeat(each);
    let contents = "<media:content url=\"http://a.example/c\"/>".repeat(each);
    feed(&format!("<media:group>{thumbnails}{texts}{contents}</media:group>"))
}

pub(super) fn links() -> String {
    let links = "<link href=\"http://a.example/x\"/>".repeat(200_000);
    format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title><entry><id>1</id><title>i</title>{links}</entry></feed>"
    )
}

/// Entries with texts, nearly as many bytes as an answer may have.
pub(super) fn texts() -> String {
    let text = "some words of a long post ".repeat(160);
    let item = |n| format!("<item><guid>{n}</guid><description>{text}</description></item>");
    feed_of((0..4_500).map(item))
}

/// As many entries as are read, each with next to nothing, below a title that each of them has.
pub(super) fn entries() -> String {
    let item = |n| format!("<item><guid>{n}</guid></item>");
    feed_of(std::iter::once(format!("<title>{}</title>", "long ".repeat(200))).chain((0..20_000).map(item)))
}

/// Entries of HTML that nests, links and never ends.
pub(super) fn hypertexts() -> String {
    let pieces =
        ["<div>", "<a href=x>a", "<b><i>", "&amp;", "<table><tr><td>", "<p a a a a a a>", "< ", "<!--"];
    let item = |(n, piece): (usize, &&str)| {
        let text = piece.repeat((1 << 20) / piece.len());
        format!("<item><guid>{n}</guid><description><![CDATA[<p>{text}]]></description></item>")
    };
    feed_of(pieces.iter().enumerate().map(item))
}

fn feed_of(items: impl Iterator<Item = String>) -> String {
    let items = items.collect::<Vec<_>>().concat();
    format!("<rss version=\"2.0\"><channel><title>t</title>{items}</channel></rss>")
}

/// A JSON Feed with nearly as many objects as are read.
pub(super) fn objects() -> String {
    let item = |n| format!("{{\"id\":\"{n}\",\"authors\":[{{\"name\":\"a\"}}]}}");
    let items: Vec<String> = (0..20_000).map(item).collect();
    format!(
        "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"t\",\"items\":[{}]}}",
        items.join(",")
    )
}

/// Bodies of the largest size that make the parser and the sanitiser nest, search and repeat.
pub(super) fn bodies() -> Vec<String> {
    let of = |piece: &str| piece.repeat(MAX_BODY_BYTES / piece.len());
    let pieces = [
        "> ",
        "*a **b ",
        "[a](http://b.example/)",
        "|a|b|\n|-|-|\n",
        "&amp;",
        "http://a.bc ",
        "`a` ",
        "- a\n",
        "[",
        "<a@b.c>",
    ];
    pieces.into_iter().map(of).collect()
}

/// A JPEG of the largest size whose frame comes after as much filler as fits.
fn jpeg_after(filler: &[u8]) -> Vec<u8> {
    let frame = b"\xff\xc0\0\x11\x08\0\x09\0\x09";
    [b"\xff\xd8\xff\xe0\0\x02", filler.repeat((PICTURE_BYTES - 64) / filler.len()).as_slice(), frame].concat()
}

/// A GIF of the largest size whose frame comes after as many empty comments as fit.
fn gif_after_comments() -> Vec<u8> {
    let comments = b"!\xfe\0".repeat((PICTURE_BYTES - 64) / 3);
    [b"GIF89a\x09\0\x09\0\0\0\0", comments.as_slice(), b",\0\0\0\0\x09\0\x09\0"].concat()
}

/// Pictures of the largest size.
pub(super) const PICTURES: Files =
    &[|| jpeg_after(b"\xff"), || jpeg_after(b"\xff\xfe\0\x02"), gif_after_comments];

/// A file of the largest size that begins with `head` and repeats `part`.
fn filled(head: &str, part: &str) -> Vec<u8> {
    (head.to_owned() + &part.repeat((MAX_IMPORT_BYTES - head.len() - 64) / part.len())).into_bytes()
}

/// Lists of feeds.
pub(super) const OUTLINES: Files = &[
    || {
        let mut list =
            filled("<opml version=\"2.0\"><body>", "<outline text=\"a\" xmlUrl=\"http://a.example/x\"/>");
        list.extend(b"</body></opml>");
        list
    },
    || filled("<opml><body>", "<outline>"),
    || filled("<opml><body><outline ", "a='' "),
];

/// Settings of ntfy's client.
pub(super) const SETTINGS: Files = &[
    || {
        let topics = (0..MAX_IMPORT_BYTES / 24).map(|n| format!("- topic: topic{n}\n"));
        format!("subscribe:\n{}", topics.collect::<Vec<_>>().concat()).into_bytes()
    },
    || filled("subscribe: ", "["),
    || filled("", "? "),
    || {
        let mut aliases = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for n in 1..40 {
            let before = n - 1;
            // Writing to a text never fails.
            let _ =
                writeln!(aliases, "a{n}: &a{n} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}]");
        }
        aliases.into_bytes()
    },
];

/// Settings of Gitify and gotify-tray.
pub(super) const VALUES: Files = &[
    || filled("", "["),
    || filled("", "{\"a\":"),
    || filled("x", "{\"auth\":"),
    || {
        // A long text that is remembered again and again.
        let mut pickle = vec![0x80, 4, b'X'];
        pickle.extend(4_000_000_u32.to_le_bytes());
        pickle.resize(pickle.len() + 4_000_000, b'a');
        pickle.resize(MAX_IMPORT_BYTES, 0x94);
        pickle
    },
];

/// Archives with a name, an extension or a database as large as the file.
pub(super) const ARCHIVES: Files =
    &[|| archive(b'L', "././@LongLink"), || archive(b'x', "pax"), || archive(b'0', REPLICA)];

/// An archive with one member, which begins like a database of its size.
fn archive(kind: u8, name: &str) -> Vec<u8> {
    let mut head = vec![0; 512];
    let size = format!("{:011o}\0", ARCHIVE_BYTES - 4096);
    let fields: [(usize, &[u8]); 5] = [
        (0, name.as_bytes()),
        (124, size.as_bytes()),
        (148, b"        "),
        (156, &[kind]),
        (257, b"ustar\x0000"),
    ];
    for (at, field) in fields {
        head.splice(at..at + field.len(), field.iter().copied());
    }
    let sum: u64 = head.iter().copied().map(u64::from).sum();
    head.splice(148..155, format!("{sum:06o}\0").into_bytes());
    head.extend(b"SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20\0\0\0\x01");
    head.extend(u32::try_from((ARCHIVE_BYTES - 4096) / 4096).unwrap_or_default().to_be_bytes());
    head.resize(ARCHIVE_BYTES, b'x');
    head
}
