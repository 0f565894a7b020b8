//! Which text is for which reason: each reason is matched once, for all languages.

use tidings_ipc::{NotPublished, OverBudget, UnreadCount};
use tidings_net::CertificateFault;
use tidings_sync::{PullEnd, Trouble};

use crate::Strings;

impl Strings {
    /// Why a source is not up to date.
    pub fn trouble(&self, trouble: Trouble) -> String {
        let text = match trouble {
            Trouble::Address => self.trouble_address,
            Trouble::Setup => self.trouble_setup,
            Trouble::Certificate(fault) => match fault {
                CertificateFault::UnknownAuthority => self.trouble_unknown_authority,
                CertificateFault::NotValidNow => self.trouble_not_valid_now,
                CertificateFault::OtherName => self.trouble_other_name,
                CertificateFault::Untrusted => self.trouble_untrusted,
                CertificateFault::ClientWanted => self.trouble_client_wanted,
                CertificateFault::ClientKey => self.trouble_client_key,
            },
            Trouble::Offline => self.trouble_offline,
            Trouble::NameNotFound => self.trouble_name_not_found,
            Trouble::Unreachable => self.trouble_unreachable,
            Trouble::Slow => self.trouble_slow,
            Trouble::Unavailable(status) => return (self.trouble_unavailable)(status),
            Trouble::Waiting(_) => self.trouble_waiting,
            Trouble::SignIn => self.trouble_sign_in,
            Trouble::Refused(status) => return (self.trouble_refused)(status),
            Trouble::Malformed => self.trouble_malformed,
            Trouble::TooLarge => self.trouble_too_large,
            Trouble::TooComplex => self.trouble_too_complex,
            Trouble::PassedBy => self.trouble_passed_by,
            Trouble::NoProgress => self.trouble_no_progress,
            Trouble::PullEnded(PullEnd::Bytes(bytes)) => return (self.trouble_ended_at_bytes)(bytes >> 20),
            Trouble::PullEnded(PullEnd::Pages(pages)) => return (self.trouble_ended_at_pages)(pages.into()),
            Trouble::PullEnded(PullEnd::Disk(bytes)) => return (self.trouble_ended_at_disk)(bytes >> 20),
            Trouble::RedirectRefused => self.trouble_redirect_refused,
            Trouble::Fault => self.trouble_fault,
            Trouble::DiskFull => self.trouble_disk_full,
            Trouble::DiskFails => self.trouble_disk_fails,
            Trouble::ReadOnly => self.trouble_read_only,
            Trouble::Replica => self.trouble_replica,
            Trouble::Damaged => self.trouble_damaged,
            Trouble::NoSessionBus => self.trouble_no_session_bus,
            Trouble::MonitorRefused => self.trouble_monitor_refused,
        };
        text.to_owned()
    }

    /// Why what the reader wrote was not published, or may not have been.
    pub fn not_published(&self, why: NotPublished, source: &str, topic: &str) -> String {
        match why {
            NotPublished::Paused => (self.not_published_paused)(source),
            NotPublished::Unreachable => (self.not_published_unreachable)(source),
            NotPublished::SignIn => (self.not_published_sign_in)(source),
            NotPublished::Forbidden => (self.not_published_forbidden)(source, topic),
            NotPublished::TooLong => (self.not_published_too_long)(source),
            NotPublished::TooMany(minutes) => (self.not_published_too_many)(source, minutes),
            NotPublished::Refused(status) => (self.not_published_refused)(source, status),
            NotPublished::Unanswered => (self.not_published_unanswered)(source, topic),
        }
    }

    /// Why a message with a file was refused, from the HTTP status and the largest size that the server takes. `None` if
    /// the file is not the reason.
    pub fn file_refused(&self, status: &str, limit: Option<&str>) -> Option<String> {
        Some((self.file_refusal)(status, limit)).filter(|text| !text.is_empty())
    }

    /// The verb after a name, in a sentence without a target; `None` for an unknown action.
    pub fn verb(&self, action: &str) -> Option<String> {
        let verb = (self.verbs)(action);
        // What was published, and a poll, say all by themselves.
        (!verb.is_empty() || ["publish", "poll"].contains(&action)).then_some(verb)
    }

    /// The numbers of unread items.
    pub fn unread(&self, UnreadCount { unread, counted }: UnreadCount) -> String {
        (self.unread_count)(counted.min(unread), unread.saturating_sub(counted))
    }

    /// Why a body is shown as plain text, or only its beginning.
    pub const fn plain_reason(&self, why: OverBudget, is_markdown: bool) -> &'static str {
        match why {
            OverBudget::Length if is_markdown => self.plain_long_markdown,
            OverBudget::Length => self.plain_long,
            OverBudget::Depth => self.plain_deep,
            OverBudget::Elements => self.plain_many_parts,
        }
    }
}
