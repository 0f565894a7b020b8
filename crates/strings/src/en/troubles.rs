//! English sentences about what does not work: publishing, and sources.

use tidings_ipc::NotPublished;
use tidings_net::CertificateFault;
use tidings_sync::{PullEnd, Trouble};

use crate::grouped;

pub(super) fn not_published(why: NotPublished, source: &str, topic: &str) -> String {
    match why {
        NotPublished::Paused => {
            format!(
                "{source} is paused. Nothing was published, and your text is kept here. Resume the source, then publish it"
            )
        }
        NotPublished::Unreachable => {
            format!("{source} cannot be reached. Nothing was published, and your text is kept here")
        }
        NotPublished::SignIn => format!(
            "{source} refused the token. Nothing was published, and your text is kept here. Sign in again in Settings, Sources"
        ),
        NotPublished::Forbidden => format!(
            "You may not publish to “{topic}” at {source}. Your text is kept here. Choose another topic, or a token that may \
             publish to this one"
        ),
        NotPublished::TooLong => format!(
            "{source} does not accept a text of this length. Nothing was published, and your text is kept here. Shorten it"
        ),
        NotPublished::TooMany(minutes) => {
            let when =
                minutes.map_or_else(|| "later".to_owned(), |minutes| format!("in {} min", grouped(minutes)));
            format!(
                "{source} accepts no more for now. Nothing was published, and your text is kept here. Try again {when}"
            )
        }
        NotPublished::Refused(status) => {
            format!(
                "{source} refused the notification ({status}). Nothing was published, and your text is kept here"
            )
        }
        NotPublished::Unanswered => format!(
            "{source} did not answer, so this may be on “{topic}” or not. Your text is kept here. If you publish it again, it \
             replaces the first one; a server before ntfy 2.16 keeps both"
        ),
    }
}

pub(super) fn trouble(trouble: Trouble) -> String {
    match trouble {
        Trouble::Address => "The address cannot be used".to_owned(),
        Trouble::Setup => "This computer cannot make secure connections".to_owned(),
        Trouble::Certificate(fault) => match fault {
            CertificateFault::UnknownAuthority => "Its certificate is signed by an unknown authority",
            CertificateFault::NotValidNow => "Its certificate has expired or is not valid yet",
            CertificateFault::OtherName => "Its certificate is for another name",
            CertificateFault::Untrusted => "Its certificate is not trusted",
            CertificateFault::ClientWanted => "It requires a client certificate that it knows",
            CertificateFault::ClientKey => "The key of the client certificate cannot be read",
        }
        .to_owned(),
        Trouble::Offline => "No network".to_owned(),
        Trouble::NameNotFound => "The name in its address cannot be looked up".to_owned(),
        Trouble::Unreachable => "No answer".to_owned(),
        Trouble::Slow => "The answer took too long".to_owned(),
        Trouble::Unavailable(status) => format!("No answer ({status})"),
        Trouble::Waiting(_) => "It asked for a pause".to_owned(),
        Trouble::SignIn => "Needs sign-in".to_owned(),
        Trouble::Refused(status) => format!("Refused ({status})"),
        Trouble::Malformed => "The answer could not be read".to_owned(),
        Trouble::TooLarge => "The answer was too large".to_owned(),
        Trouble::TooComplex => "The answer is nested too deeply, or repeats too much, to be read".to_owned(),
        Trouble::PassedBy => "The answer could not be read before, so it is skipped".to_owned(),
        Trouble::NoProgress => "It announces more, but sends nothing".to_owned(),
        Trouble::PullEnded(PullEnd::Bytes(bytes)) => format!(
            "This source stopped at its limit of {} MiB. What arrived is kept, and the rest follows. If you did not expect this much, pause the source",
            grouped(bytes >> 20)
        ),
        Trouble::PullEnded(PullEnd::Pages(pages)) => format!(
            "This source stopped at its limit of {} pages. What arrived is kept, and the rest follows. If you did not expect this much, pause the source",
            grouped(pages.into())
        ),
        Trouble::PullEnded(PullEnd::Disk(bytes)) => format!(
            "This source stopped because less than {} MiB of the disk is free. What arrived is kept. Free some space, and the rest follows",
            grouped(bytes >> 20)
        ),
        Trouble::RedirectRefused => {
            "The address redirects to another one, which is not followed. Enter that one".to_owned()
        }
        Trouble::Fault => "Tidings has an internal error. What is here is safe".to_owned(),
        Trouble::DiskFull => "The disk is full".to_owned(),
        Trouble::DiskFails => "The disk has errors".to_owned(),
        Trouble::ReadOnly => "Tidings cannot write to the data folder".to_owned(),
        Trouble::Replica => "What arrived could not be saved".to_owned(),
        Trouble::Damaged => "The inbox on this computer is damaged".to_owned(),
        Trouble::NoSessionBus => "This session has no session bus, over which programs send notifications".to_owned(),
        Trouble::MonitorRefused => {
            "The session bus does not let Tidings read notifications, as in a sandbox or before dbus-daemon 1.10"
                .to_owned()
        }
    }
}
