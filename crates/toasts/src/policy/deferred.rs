//! Toasts that a silence (a pause or quiet hours) defers, and their summary when it ends.

use std::collections::HashSet;

use tidings_ipc::{QuietScope, Sound, Sounds};
use tidings_model::{MsgId, Stamp};
use tidings_replica::{DEFAULT_FROM_PRIORITY, DeferredToast, ItemId, SourceId};

use super::{Candidate, MAX_TOAST_ITEMS, ToastCommand, ToastPolicy};

/// The settings that apply to toasts at this time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToastContext {
    /// The least priority that makes a toast, if neither thread nor source sets one.
    pub from_priority: u8,
    /// Whether toasts may play a sound, if neither thread nor source sets it.
    pub sound: bool,
    /// Which sounds they play.
    pub sounds: Sounds,
    /// The pause and the quiet hours in force.
    pub silences: Vec<Silence>,
}

/// A pause or quiet hours, which defer toasts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Silence {
    /// The least priority that makes a toast all the same; none lets no item pass.
    pub passes: Option<u8>,
    /// What it holds back; empty holds back everything.
    pub only: Vec<QuietScope>,
}

impl Silence {
    fn allows(&self, priority: u8) -> bool {
        self.passes.is_some_and(|least| priority >= least)
    }
}

impl ToastContext {
    /// The settings of a new reader, without a silence.
    pub const DEFAULT: Self = Self {
        from_priority: DEFAULT_FROM_PRIORITY,
        sound: true,
        sounds: Sounds::DEFAULT,
        silences: Vec::new(),
    };

    /// Whether every silence lets a toast of a thread pass that has this priority.
    pub fn allows(&self, source: SourceId, key: &str, priority: u8) -> bool {
        let holds = |silence: &&Silence| QuietScope::cover(&silence.only, source, key);
        self.silences.iter().filter(holds).all(|silence| silence.allows(priority))
    }

    /// The sound of an item, of which the settings of its thread or source say whether it may have one.
    pub(super) fn find_sound(&self, may: Option<bool>, source: SourceId, key: &str, priority: u8) -> Sound {
        let is_heard = may.unwrap_or(self.sound);
        if is_heard { self.sounds.find(source, key, priority).clone() } else { Sound::SILENT }
    }
}

/// The items of a source that a silence deferred; `overflow` counts those over [`MAX_TOAST_ITEMS`].
#[derive(Debug, Default)]
pub(super) struct Deferred {
    pub(super) candidates: Vec<Candidate>,
    pub(super) overflow: u64,
}

impl ToastPolicy {
    /// Defers the items that the silence does not let pass, and returns the others.
    pub(super) fn defer_silenced(
        &mut self,
        source: SourceId,
        candidates: Vec<Candidate>,
        context: &ToastContext,
    ) -> Vec<Candidate> {
        let (passes, silent): (Vec<Candidate>, Vec<Candidate>) =
            candidates.into_iter().partition(|one| context.allows(source, &one.key, one.priority));
        for candidate in silent {
            // An item whose toast is on screen was shown before; a change of it is not deferred.
            if !self.stands_for(candidate.thread, &candidate.msgid) {
                self.newly_deferred.push(candidate.item);
                self.defer(source, candidate);
            }
        }
        passes
    }

    fn defer(&mut self, source: SourceId, candidate: Candidate) {
        let deferred = self.deferred.entry(source).or_default();
        deferred.candidates.retain(|other| other.msgid != candidate.msgid);
        if deferred.candidates.len() < MAX_TOAST_ITEMS {
            deferred.candidates.push(candidate);
        } else {
            deferred.overflow += 1;
        }
    }

    /// Takes the items deferred since the last call; the caller stores them beyond this session.
    pub fn newly_deferred(&mut self) -> Vec<ItemId> {
        std::mem::take(&mut self.newly_deferred)
    }

    /// Restores the toasts that an earlier session deferred.
    pub fn restore_deferred(&mut self, deferred: Vec<DeferredToast>, context: &ToastContext) {
        for toast in deferred {
            let DeferredToast { item, source, thread, key, msgid, priority, sound: may } = toast;
            let sound = context.find_sound(may, source, &key, priority);
            self.defer(source, Candidate { item, thread, key, msgid, priority, sound, news: true });
        }
    }

    /// The deferred items that no silence holds back any more, by source.
    pub fn released(&self, context: &ToastContext) -> Vec<(SourceId, Vec<MsgId>)> {
        let each = |(source, deferred): (&SourceId, &Deferred)| {
            let free =
                deferred.candidates.iter().filter(|one| context.allows(*source, &one.key, one.priority));
            (*source, free.map(|one| one.msgid.clone()).collect::<Vec<_>>())
        };
        self.deferred.iter().map(each).filter(|(_, msgids)| !msgids.is_empty()).collect()
    }

    /// Whether anything is deferred.
    pub fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Handles the end of a silence: the deferred items that none holds back any more and that are still unread get one
    /// summary a source. Returns the released items, too, which need not be stored any more.
    pub fn silence_ended(
        &mut self,
        unread: &HashSet<(SourceId, MsgId)>,
        context: &ToastContext,
        now: Stamp,
    ) -> (Vec<ToastCommand>, Vec<ItemId>) {
        let (mut commands, mut items) = (Vec::new(), Vec::new());
        let mut sources: Vec<SourceId> = self.deferred.keys().copied().collect();
        sources.sort_unstable();
        for source in sources {
            let Some(deferred) = self.deferred.remove(&source) else { continue };
            let (mut free, held): (Vec<Candidate>, Vec<Candidate>) = deferred
                .candidates
                .into_iter()
                .partition(|one| context.allows(source, &one.key, one.priority));
            items.extend(free.iter().map(|one| one.item));
            free.retain(|one| unread.contains(&(source, one.msgid.clone())));
            let overflow = if held.is_empty() { deferred.overflow } else { 0 };
            if !held.is_empty() {
                let rest = Deferred { candidates: held, overflow: deferred.overflow };
                self.deferred.insert(source, rest);
            }
            commands.extend(self.toast_summary(source, free, overflow, now));
        }
        self.newly_deferred.retain(|item| !items.contains(item));
        (commands, items)
    }
}
