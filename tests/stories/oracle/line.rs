//! The line between a device and its server: an ordinary source that can be cut before a request arrives or before its
//! answer does, and that notes what arrived. Refuses to leave a request behind: what is on its way is waited for.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use tidings_model::group::{Group, Readers, ReceiptPage};
use tidings_model::{MsgId, Stamp, wire};
use tidings_replica::Outgoing;
use tidings_sync::{
    Error, PreviewPage, Result, ServerInfo, Since, Source,
    source::{Fetched, Live, Tidings},
};
use tokio_util::task::TaskTracker;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Request {
    Greet,
    Head,
    Page,
    Count,
    Ops,
    Letter,
    Receipts,
    Forget,
    Group,
}

/// Where a line breaks: at which request of a sort, and whether that one still arrives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) at: Request,
    pub(crate) nth: u32,
    pub(crate) arrives: bool,
}

/// What arrived at the server and means something there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    /// The inbox was read.
    Read,
    /// Operations; so many.
    Ops(usize),
    /// A letter was posted under a name, or refused.
    Letter(String, Option<MsgId>),
    /// Receipts were acknowledged: these messages, with who read them.
    Forget(Vec<(MsgId, String)>),
}

#[derive(Clone)]
pub(crate) struct Line {
    to: Arc<Tidings>,
    cut: Option<Cut>,
    asked: Arc<Mutex<HashMap<Request, u32>>>,
    /// Receipts in the last answer.
    fetched: Arc<Mutex<Vec<(MsgId, String)>>>,
    heard: Arc<Mutex<Vec<Heard>>>,
    flights: TaskTracker,
}

impl Line {
    pub(crate) fn new(to: Tidings, cut: Option<Cut>) -> Self {
        let flights = TaskTracker::new();
        Self {
            to: Arc::new(to),
            cut,
            asked: Arc::default(),
            fetched: Arc::default(),
            heard: Arc::default(),
            flights,
        }
    }

    /// What arrived, when nothing is on its way any more.
    pub(crate) async fn heard(&self) -> Vec<Heard> {
        self.flights.close();
        self.flights.wait().await;
        std::mem::take(&mut *self.heard.lock().unwrap())
    }

    fn note(&self, heard: Heard) {
        self.heard.lock().unwrap().push(heard);
    }

    async fn pass<T: Send + 'static>(
        &self,
        request: Request,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let nth = {
            let mut asked = self.asked.lock().unwrap();
            let nth = asked.entry(request).or_default();
            *nth += 1;
            *nth
        };
        let cut = self.cut.filter(|cut| cut.at == request && cut.nth <= nth);
        if cut.is_some_and(|cut| !cut.arrives) {
            return Err(Error::Unreachable);
        }
        // Whoever asks may be dropped; a request that was sent goes on.
        let answer = self.flights.spawn(work).await.map_err(|_| Error::Stopped)?;
        if cut.is_some() { Err(Error::Slow) } else { answer }
    }
}

#[async_trait]
impl Source for Line {
    async fn server_info(&self) -> Result<ServerInfo> {
        let to = self.to.clone();
        self.pass(Request::Greet, async move { to.server_info().await }).await
    }

    async fn preview_page(&self) -> Result<Option<PreviewPage>> {
        let line = self.clone();
        self.pass(Request::Head, async move {
            line.note(Heard::Read);
            line.to.preview_page().await
        })
        .await
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let line = self.clone();
        self.pass(Request::Page, async move {
            line.note(Heard::Read);
            line.to.page(since, limit).await
        })
        .await
    }

    async fn remaining(&self, since: Since) -> Result<Option<u64>> {
        let line = self.clone();
        self.pass(Request::Count, async move {
            line.note(Heard::Read);
            line.to.remaining(since).await
        })
        .await
    }

    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>> {
        let line = self.clone();
        self.pass(Request::Ops, async move {
            line.note(Heard::Ops(ops.len()));
            line.to.send_ops(ops).await
        })
        .await
    }

    async fn send_message(&self, letter: &Outgoing) -> Result<MsgId> {
        let (line, letter) = (self.clone(), letter.clone());
        self.pass(Request::Letter, async move {
            let answer = line.to.send_message(&letter).await;
            match &answer {
                Ok(msgid) => line.note(Heard::Letter(letter.id, Some(msgid.clone()))),
                Err(Error::Refused(_) | Error::Forbidden) => line.note(Heard::Letter(letter.id, None)),
                // Nobody knows; it is asked again.
                Err(_) => {}
            }
            answer
        })
        .await
    }

    async fn receipts(&self, since: Option<Stamp>) -> Result<Option<ReceiptPage>> {
        let line = self.clone();
        self.pass(Request::Receipts, async move {
            let page = line.to.receipts(since).await?;
            let lines = page.iter().flat_map(|page| &page.receipts);
            *line.fetched.lock().unwrap() =
                lines.map(|one| (one.msgid.clone(), one.reader.clone())).collect();
            Ok(page)
        })
        .await
    }

    async fn ack_receipts(&self, through: Stamp) -> Result<()> {
        let line = self.clone();
        self.pass(Request::Forget, async move {
            let lines = std::mem::take(&mut *line.fetched.lock().unwrap());
            line.note(Heard::Forget(lines));
            line.to.ack_receipts(through).await
        })
        .await
    }

    async fn group(&self, gid: &str) -> Result<Option<Group>> {
        let (to, gid) = (self.to.clone(), gid.to_owned());
        self.pass(Request::Group, async move { to.group(&gid).await }).await
    }

    async fn readers(&self, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        let (to, gid, msgid) = (self.to.clone(), gid.to_owned(), msgid.clone());
        self.pass(Request::Group, async move { to.readers(&gid, &msgid).await }).await
    }

    async fn listen(&self) -> Result<Option<Live>> {
        self.to.listen().await
    }
}
