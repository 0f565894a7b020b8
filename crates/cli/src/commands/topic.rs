//! `topic`: settings of topics, in the server's database, whether it is running or not.

use std::io::{Read, Write};
use std::path::Path;

use serde_json::json;
use tidings_home::Home;
use tidings_model::Priority;
use tidings_model::topic::Expected;
use tidings_server::{Secret, Topic, TopicSettings};

use super::accounts::open;
use crate::{
    args::{SetTopic, Store, Topic as TopicArgs},
    error::{Error, Result},
    output::{Output, clean},
};

/// Runs `tidings topic …`.
pub(crate) async fn run(args: TopicArgs, store: Store, home: &Home, out: Output) -> Result<()> {
    let server = open(store.config(home)?, home).await?;
    match args {
        TopicArgs::Set(args) => {
            let before = server.topic(&args.topic).await?.unwrap_or_default();
            let topic = args.topic.clone();
            let after = server.set_topic(&topic, changed(before, args)?).await?;
            out.print(&after, |to| writeln!(to, "set {}", after.topic))
        }
        TopicArgs::Show { topic } => match server.topic(&topic).await? {
            Some(settings) => {
                let shown = Topic::new(&topic, settings);
                out.print(&shown, |to| describe(to, &shown))
            }
            None => Err(Error::failed(format!("nothing is set for the topic {}", clean(&topic)))),
        },
        TopicArgs::List => {
            let topics = server.topics().await?;
            out.print(&topics, |to| {
                topics.iter().try_for_each(|topic| writeln!(to, "{}  {}", topic.topic, clean(&topic.name)))
            })
        }
        TopicArgs::Remove { topic } => {
            server.remove_topic(&topic).await?;
            out.print(&json!({ "removed": topic }), |to| writeln!(to, "removed {}", clean(&topic)))
        }
    }
}

/// The settings with what the arguments give.
fn changed(before: TopicSettings, args: SetTopic) -> Result<TopicSettings> {
    let reads_input = args.template.as_deref() == Some(Path::new("-"));
    if reads_input && args.secret_of.is_some() {
        return Err(Error::Usage("standard input can have the template or the secret, not both".to_owned()));
    }
    let mut settings = before;
    if let Some(name) = args.name {
        settings.name = name;
    }
    if let Some(icon) = args.icon {
        settings.icon = Some(icon).filter(|icon| !icon.is_empty());
    }
    if let Some(floor) = args.priority_floor {
        settings.priority_floor = Priority::new(floor.into()).ok().filter(|floor| *floor != Priority::LOWEST);
    }
    if let Some(expected) = args.expect {
        settings.expect_secs = expected.every_secs;
    }
    if let Some(file) = args.template {
        settings.template = if reads_input { from_input()? } else { std::fs::read_to_string(file)? };
    }
    if args.anybody {
        settings.publishers = None;
    } else if !args.publisher.is_empty() {
        settings.publishers = Some(args.publisher);
    }
    if args.all_readers {
        settings.readers = None;
    } else if !args.reader.is_empty() {
        settings.readers = Some(args.reader);
    }
    if let Some(sender) = args.secret_of {
        settings.secrets.insert(sender, Secret(from_input()?.trim_end_matches(['\r', '\n']).to_owned()));
    }
    Ok(settings)
}

fn from_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

/// One line for each thing that is set.
fn describe(to: &mut dyn Write, topic: &Topic) -> std::io::Result<()> {
    writeln!(to, "{}  {}", topic.topic, clean(&topic.name))?;
    if let Some(icon) = &topic.icon {
        writeln!(to, "icon: {}", clean(icon))?;
    }
    if let Some(floor) = topic.priority_floor {
        writeln!(to, "priority floor: {}", floor.get())?;
    }
    if topic.expect_secs.is_some() {
        writeln!(to, "expected at least every: {}", Expected { every_secs: topic.expect_secs })?;
    }
    match &topic.publishers {
        Some(publishers) => writeln!(to, "may publish: {}", clean(&publishers.join(", ")))?,
        None => writeln!(to, "may publish: everybody who may publish")?,
    }
    match &topic.readers {
        Some(readers) if readers.is_empty() => writeln!(to, "may read: nobody")?,
        Some(readers) => writeln!(to, "may read: {}", clean(&readers.join(", ")))?,
        None => writeln!(to, "may read: all users of the server")?,
    }
    if !topic.secrets.is_empty() {
        writeln!(to, "secrets of: {}", topic.secrets.join(", "))?;
    }
    if !topic.template.is_empty() {
        writeln!(to, "template:")?;
        topic.template.lines().try_for_each(|line| writeln!(to, "  {}", clean(line)))?;
    }
    Ok(())
}
