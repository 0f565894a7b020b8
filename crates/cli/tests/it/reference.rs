//! Tests that completions and manual pages say what `--help` says, for every command.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::data_folder::DataFolder;

/// A command, by its words, and what `--help` says of it.
struct Helped {
    words: Vec<String>,
    help: String,
}

impl Helped {
    /// The program and every command in it.
    fn all() -> Vec<Self> {
        let (folder, mut all, mut open) = (DataFolder::new(), Vec::new(), vec![Vec::<String>::new()]);
        while let Some(words) = open.pop() {
            let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
            args.push("--help");
            let help = folder.run(&args);
            open.extend(commands(&help).map(|name| [&words[..], &[name.to_owned()]].concat()));
            all.push(Self { words, help });
        }
        assert!(all.len() > 50, "{} commands", all.len());
        all
    }

    fn options(&self) -> BTreeSet<String> {
        options(self.help.split_once("\nOptions:\n").expect("options").1)
    }

    /// The first sentences, before the usage.
    fn about(&self) -> String {
        one_line(self.help.split("\nUsage:").next().unwrap())
    }
}

/// The commands that a help lists.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    let listed = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest.split("\n\n").next().unwrap());
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next())
}

/// The long options that begin a line, but for those that every command has.
fn options(text: &str) -> BTreeSet<String> {
    let begin = text.lines().filter(|line| line.trim_start().starts_with('-'));
    let words = begin.filter_map(|line| line.split([' ', ',', '=']).find(|word| word.starts_with("--")));
    words.filter(|word| !["--help", "--version"].contains(word)).map(ToOwned::to_owned).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A manual page as text, without what sets its type.
fn read(page: &str) -> String {
    let text = page.replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\-", "-");
    let text = text.replace("\\*(Aq", "'").replace("\\(aq", "'").replace("\\&", "").replace("\\\\", "\\");
    let lines = text.lines().filter(|line| !line.starts_with(".ie") && !line.starts_with(".el"));
    lines.map(|line| line.strip_prefix(".br").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn each_command_has_a_manual_page_with_the_words_and_options_of_its_help() {
    let folder = DataFolder::new();
    let pages = folder.path().join("man");
    folder.run(&["man", "--to", pages.to_str().unwrap()]);
    let all = Helped::all();
    for helped in &all {
        let name = [&["tidings".to_owned()], &helped.words[..]].concat().join("-");
        let page = read(&fs::read_to_string(pages.join(format!("{name}.1"))).expect(&name));
        assert_eq!(options(&page), helped.options(), "{name}");
        assert!(one_line(&page).contains(&helped.about()), "{name}: {page}");
    }
    assert_eq!(fs::read_dir(&pages).unwrap().count(), all.len(), "and there are no others");
    assert_eq!(folder.run(&["man"]), fs::read_to_string(pages.join("tidings.1")).unwrap());
    let nowhere = folder.try_run(&["man", "--to", "/dev/null/man"]);
    assert!(nowhere.code == Some(1) && nowhere.err.contains("can't be written"), "{nowhere:?}");
}

#[test]
fn each_shell_completes_every_command_and_option() {
    let folder = DataFolder::new();
    let all = Helped::all();
    for (shell, option) in [("bash", "--"), ("zsh", "--"), ("fish", "-l ")] {
        let script = folder.run(&["completions", shell]);
        for Helped { words, help } in &all {
            for name in words.iter().map(String::as_str).chain(commands(help)) {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
        for name in all.iter().flat_map(Helped::options) {
            let name = name.trim_start_matches("--");
            assert!(script.contains(&format!("{option}{name}")), "{shell}: {name}");
        }
    }
    assert_eq!(folder.try_run(&["completions", "cmd"]).code, Some(2));
}

#[test]
fn bash_completes_what_was_begun() {
    let folder = DataFolder::new();
    let file = folder.path().join("completions");
    fs::write(&file, folder.run(&["completions", "bash"])).unwrap();
    let completed = |words: &str, begun: &str, before: &str| {
        let count = words.split(' ').count() - 1;
        let script = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={count}; _tidings tidings '{begun}' '{before}'; \
             echo \"${{COMPREPLY[*]}}\"",
            file.display()
        );
        let done = Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completed("tidings unr", "unr", "tidings"), "unread");
    assert_eq!(completed("tidings run --only", "--only", "run"), "--only-failure");
    assert_eq!(completed("tidings source im", "im", "source"), "import");
}
