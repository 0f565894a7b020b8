//! The link between a device and its server: a source that fails before a request arrives or before its answer does,
//! and records which requests arrived.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use tidings_model::group::{Readers, ReceiptPage};
use tidings_model::{MsgId, Stamp, wire};
use tidings_replica::Outgoing;
use tidings_sync::{
    Error, GroupView, PreviewPage, Result, ServerInfo, Since, Source,
    source::{Fetched, Live, Tidings},
};
use tokio_util::task::TaskTracker;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Request {
    ServerInfo,
    Preview,
    Page,
    Count,
    Ops,
    Message,
    Receipts,
    AckReceipts,
    Group,
}

/// A break of the link at the `nth` request of a kind and all later ones; `arrives` if the request still arrives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) at: Request,
    pub(crate) nth: u32,
    pub(crate) arrives: bool,
}

/// A request that arrived at the server and changed something there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Delivered {
    /// A pull of the inbox, which brings in what waited.
    Read,
    /// Operations.
    Ops(Vec<wire::Op>),
    /// A message by its local id, posted under a msgid or refused.
    Message(String, Option<MsgId>),
    /// Acknowledged receipts, as message and reader.
    AckReceipts(Vec<(MsgId, String)>),
}

#[derive(Clone)]
pub(crate) struct FlakyLink {
    server: Arc<Tidings>,
    cut: Option<Cut>,
    request_counts: Arc<Mutex<HashMap<Request, u32>>>,
    /// The receipts in the last answer.
    fetched: Arc<Mutex<Vec<(MsgId, String)>>>,
    delivered: Arc<Mutex<Vec<Delivered>>>,
    flights: TaskTracker,
}

impl FlakyLink {
    pub(crate) fn new(server: Tidings, cut: Option<Cut>) -> Self {
        let flights = TaskTracker::new();
        Self {
            server: Arc::new(server),
            cut,
            request_counts: Arc::default(),
            fetched: Arc::default(),
            delivered: Arc::default(),
            flights,
        }
    }

    /// Takes the requests that arrived, once none is under way.
    pub(crate) async fn delivered(&self) -> Vec<Delivered> {
        self.flights.close();
        self.flights.wait().await;
        std::mem::take(&mut *self.delivered.lock().unwrap())
    }

    fn note(&self, delivered: Delivered) {
        self.delivered.lock().unwrap().push(delivered);
    }

    async fn send_over_link<T: Send + 'static>(
        &self,
        request: Request,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let nth = {
            let mut request_counts = self.request_counts.lock().unwrap();
            let nth = request_counts.entry(request).or_default();
            *nth += 1;
            *nth
        };
        let cut = self.cut.filter(|cut| cut.at == request && cut.nth <= nth);
        if cut.is_some_and(|cut| !cut.arrives) {
            return Err(Error::Unreachable);
        }
        // The caller may be dropped; a request that was sent goes on.
        let answer = self.flights.spawn(work).await.map_err(|_| Error::Stopped)?;
        if cut.is_some() { Err(Error::Slow) } else { answer }
    }
}

#[async_trait]
impl Source for FlakyLink {
    async fn server_info(&self) -> Result<ServerInfo> {
        let server = self.server.clone();
        self.send_over_link(Request::ServerInfo, async move { server.server_info().await }).await
    }

    async fn preview_page(&self) -> Result<Option<PreviewPage>> {
        let link = self.clone();
        self.send_over_link(Request::Preview, async move {
            link.note(Delivered::Read);
            link.server.preview_page().await
        })
        .await
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        let link = self.clone();
        self.send_over_link(Request::Page, async move {
            link.note(Delivered::Read);
            link.server.page(since, limit).await
        })
        .await
    }

    async fn remaining(&self, since: Since) -> Result<Option<u64>> {
        let link = self.clone();
        self.send_over_link(Request::Count, async move {
            link.note(Delivered::Read);
            link.server.remaining(since).await
        })
        .await
    }

    fn max_ops(&self) -> usize {
        self.server.max_ops()
    }

    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>> {
        let link = self.clone();
        self.send_over_link(Request::Ops, async move {
            link.note(Delivered::Ops(ops.clone()));
            link.server.send_ops(ops).await
        })
        .await
    }

    async fn send_message(&self, message: &Outgoing) -> Result<MsgId> {
        let (link, message) = (self.clone(), message.clone());
        self.send_over_link(Request::Message, async move {
            let answer = link.server.send_message(&message).await;
            match &answer {
                Ok(msgid) => link.note(Delivered::Message(message.id, Some(msgid.clone()))),
                Err(Error::Refused(_) | Error::Forbidden) => link.note(Delivered::Message(message.id, None)),
                // Whether it arrived is unknown; the device sends it again.
                Err(_) => {}
            }
            answer
        })
        .await
    }

    async fn receipts(&self, since: Option<Stamp>) -> Result<Option<ReceiptPage>> {
        let link = self.clone();
        self.send_over_link(Request::Receipts, async move {
            let page = link.server.receipts(since).await?;
            let lines = page.iter().flat_map(|page| &page.receipts);
            *link.fetched.lock().unwrap() =
                lines.map(|one| (one.msgid.clone(), one.reader.clone())).collect();
            Ok(page)
        })
        .await
    }

    async fn ack_receipts(&self, through: Stamp) -> Result<()> {
        let link = self.clone();
        self.send_over_link(Request::AckReceipts, async move {
            let lines = std::mem::take(&mut *link.fetched.lock().unwrap());
            link.note(Delivered::AckReceipts(lines));
            link.server.ack_receipts(through).await
        })
        .await
    }

    async fn group(&self, gid: &str) -> Result<GroupView> {
        let (server, gid) = (self.server.clone(), gid.to_owned());
        self.send_over_link(Request::Group, async move { server.group(&gid).await }).await
    }

    async fn readers(&self, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        let (server, gid, msgid) = (self.server.clone(), gid.to_owned(), msgid.clone());
        self.send_over_link(Request::Group, async move { server.readers(&gid, &msgid).await }).await
    }

    async fn listen(&self) -> Result<Option<Live>> {
        self.server.listen().await
    }
}
