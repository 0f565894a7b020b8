//! The link between a device and its server: a source that loses, repeats or holds back requests and answers, and records
//! which requests arrived.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use tidings_model::group::{Readers, ReceiptPage};
use tidings_model::{MsgId, Stamp, wire};
use tidings_net::{Error, Result};
use tidings_replica::Outgoing;
use tidings_sources::{Bounds, Fetched, GroupView, Live, PreviewPage, ServerInfo, Since, Source, Tidings};
use tokio::sync::Semaphore;
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

/// What goes wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Break {
    /// It and all later ones of its kind are lost.
    Lost,
    /// It and all later ones of its kind arrive, and their answers are lost.
    AnswerLost,
    /// It arrives twice.
    Doubled,
    /// It arrives later, perhaps after others that are sent after it. Who sent it gives it up.
    Held,
}

/// A break of the link at the `nth` request of a kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) at: Request,
    pub(crate) nth: u32,
    pub(crate) how: Break,
}

impl Cut {
    /// What goes wrong with the `nth` request of a kind.
    fn of(self, request: Request, nth: u32) -> Option<Break> {
        let is_lasting = matches!(self.how, Break::Lost | Break::AnswerLost);
        let is_meant = self.nth == nth || (is_lasting && self.nth < nth);
        (self.at == request && is_meant).then_some(self.how)
    }
}

/// A request that arrives later.
pub(crate) type HeldRequest = Pin<Box<dyn Future<Output = ()> + Send>>;

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
    held: Arc<Mutex<Vec<HeldRequest>>>,
    /// Has a permit for each request that may be under way.
    turns: Arc<Semaphore>,
    flights: TaskTracker,
}

impl FlakyLink {
    /// A link that lets `at_once` requests be under way; the others wait in their order.
    pub(crate) fn new(server: Tidings, cut: Option<Cut>, at_once: usize) -> Self {
        Self {
            server: Arc::new(server),
            cut,
            request_counts: Arc::default(),
            fetched: Arc::default(),
            delivered: Arc::default(),
            held: Arc::default(),
            turns: Arc::new(Semaphore::new(at_once)),
            flights: TaskTracker::new(),
        }
    }

    /// Takes the requests that are held back.
    pub(crate) fn held(&self) -> Vec<HeldRequest> {
        std::mem::take(&mut *self.held.lock().unwrap())
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

    async fn send_over_link<T: Send + 'static, F: Future<Output = Result<T>> + Send + 'static>(
        &self,
        request: Request,
        work: impl Fn(Self) -> F + Send + Sync + 'static,
    ) -> Result<T> {
        let nth = {
            let mut request_counts = self.request_counts.lock().unwrap();
            let nth = request_counts.entry(request).or_default();
            *nth += 1;
            *nth
        };
        let how = self.cut.and_then(|cut| cut.of(request, nth));
        match how {
            Some(Break::Lost) => return Err(Error::Unreachable),
            Some(Break::Held) => {
                let late = work(self.clone());
                self.held.lock().unwrap().push(Box::pin(async move { drop(late.await) }));
                return Err(Error::Slow);
            }
            Some(Break::Doubled) => drop(self.arrive(work(self.clone())).await),
            Some(Break::AnswerLost) | None => {}
        }
        let answer = self.arrive(work(self.clone())).await;
        if how == Some(Break::AnswerLost) { Err(Error::Slow) } else { answer }
    }

    /// Sends a request. The caller may be dropped; a request that was sent goes on.
    async fn arrive<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let turns = Arc::clone(&self.turns);
        let sent = self.flights.spawn(async move {
            let _turn = turns.acquire().await;
            work.await
        });
        sent.await.map_err(|_| Error::Stopped)?
    }
}

#[async_trait]
impl Source for FlakyLink {
    fn bounds(&self) -> Bounds {
        self.server.bounds()
    }

    async fn server_info(&self) -> Result<ServerInfo> {
        self.send_over_link(Request::ServerInfo, |link| async move { link.server.server_info().await }).await
    }

    async fn preview_page(&self) -> Result<Option<PreviewPage>> {
        self.send_over_link(Request::Preview, |link| async move {
            link.note(Delivered::Read);
            link.server.preview_page().await
        })
        .await
    }

    async fn page(&self, since: Since, limit: usize) -> Result<Fetched> {
        self.send_over_link(Request::Page, move |link| {
            let since = since.clone();
            async move {
                link.note(Delivered::Read);
                link.server.page(since, limit).await
            }
        })
        .await
    }

    async fn remaining(&self, since: Since) -> Result<Option<u64>> {
        self.send_over_link(Request::Count, move |link| {
            let since = since.clone();
            async move {
                link.note(Delivered::Read);
                link.server.remaining(since).await
            }
        })
        .await
    }

    fn max_ops(&self) -> usize {
        self.server.max_ops()
    }

    async fn send_ops(&self, ops: Vec<wire::Op>) -> Result<Vec<wire::OpResult>> {
        self.send_over_link(Request::Ops, move |link| {
            let ops = ops.clone();
            async move {
                link.note(Delivered::Ops(ops.clone()));
                link.server.send_ops(ops).await
            }
        })
        .await
    }

    async fn send_message(&self, message: &Outgoing) -> Result<MsgId> {
        let message = message.clone();
        self.send_over_link(Request::Message, move |link| {
            let message = message.clone();
            async move {
                let answer = link.server.send_message(&message).await;
                match &answer {
                    Ok(msgid) => link.note(Delivered::Message(message.id, Some(msgid.clone()))),
                    Err(Error::Refused(_) | Error::Forbidden) => {
                        link.note(Delivered::Message(message.id, None));
                    }
                    // Whether it arrived is unknown; the device sends it again.
                    Err(_) => {}
                }
                answer
            }
        })
        .await
    }

    async fn receipts(&self, since: Option<Stamp>) -> Result<Option<ReceiptPage>> {
        self.send_over_link(Request::Receipts, move |link| async move {
            let page = link.server.receipts(since).await?;
            let lines = page.iter().flat_map(|page| &page.receipts);
            *link.fetched.lock().unwrap() =
                lines.map(|one| (one.msgid.clone(), one.reader.clone())).collect();
            Ok::<_, Error>(page)
        })
        .await
    }

    async fn ack_receipts(&self, through: Stamp) -> Result<()> {
        self.send_over_link(Request::AckReceipts, move |link| async move {
            let lines = std::mem::take(&mut *link.fetched.lock().unwrap());
            link.note(Delivered::AckReceipts(lines));
            link.server.ack_receipts(through).await
        })
        .await
    }

    async fn group(&self, gid: &str) -> Result<GroupView> {
        let gid = gid.to_owned();
        self.send_over_link(Request::Group, move |link| {
            let gid = gid.clone();
            async move { link.server.group(&gid).await }
        })
        .await
    }

    async fn readers(&self, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        let (gid, msgid) = (gid.to_owned(), msgid.clone());
        self.send_over_link(Request::Group, move |link| {
            let (gid, msgid) = (gid.clone(), msgid.clone());
            async move { link.server.readers(&gid, &msgid).await }
        })
        .await
    }

    async fn listen(&self) -> Result<Option<Live>> {
        self.server.listen().await
    }
}
