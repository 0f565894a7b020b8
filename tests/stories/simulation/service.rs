//! A service of somebody else, from which a device also pulls: it fails, answers garbage, and asks to be left alone.

use std::sync::Arc;

use tidings_replica::{Item, ItemFilter, NewSource, SourceId};
use tidings_sync::{Error, pull_once};
use tidings_testkit::services::{Fault, Gotify, ScriptedService};

use super::{PHONE, Simulation};
use crate::oracle::device::Device;

/// Longer than any service may ask for, by clocks that are hours apart.
const LONG: i64 = 86_400 + 6 * 3_600;

/// Adds the service, which has nothing yet, to a device.
pub(super) fn add(service: &Gotify, device: &Device) -> SourceId {
    service.wipe();
    service.faults().clear();
    let new = NewSource {
        name: "Push".into(),
        protocol: service.protocol().into(),
        url: service.url(),
        user: None,
        own: false,
    };
    device.replica().add_source(new).unwrap()
}

impl Simulation<'_> {
    /// The service publishes some, perhaps fails, and is asked.
    pub(super) async fn ask_service(&mut self) {
        for _ in 0..self.world.below(3) {
            self.service.publish(self.published);
            self.published += 1;
        }
        let fault = match self.world.below(10) {
            0 => Some(Fault::Status(503, String::new())),
            1 => Some(Fault::Status(500, String::new())),
            2 | 3 => Some(Fault::Status(429, "retry-after: 90\r\n".to_owned())),
            4 => Some(Fault::Garbage),
            5 => Some(Fault::CaptivePortal),
            6 => Some(Fault::DropMidBody),
            7 => Some(Fault::Reset),
            _ => None,
        };
        self.world.log.note(format!("the service has {} and fails: {fault:?}", self.published));
        let is_well = fault.is_none();
        if let Some(fault) = fault {
            let passing = self.world.below(2);
            self.service.faults().plan(passing, fault);
        }
        let phone = &self.world.devices[PHONE];
        let must_wait = phone.replica().waits(self.service_source).unwrap().requests.is_some();
        let done = self.pull_service().await;
        self.service.faults().clear();
        if must_wait {
            assert!(matches!(done, Err(Error::Net(tidings_net::Error::Waiting { .. }))), "{done:?}");
        } else {
            assert!(done.is_ok() || !is_well, "{done:?}");
        }
    }

    async fn pull_service(&self) -> tidings_sync::Result<()> {
        let phone = &self.world.devices[PHONE];
        let row = phone.replica().source(self.service_source).unwrap();
        let client =
            tidings_sources::open(&row, self.service.token(), Arc::new(phone.clock.clone())).unwrap();
        pull_once(phone.replica(), row.id, client).await.map(drop)
    }

    /// Asserts that, once it is well, the device has exactly what it published.
    pub(super) async fn check_service(&mut self) {
        self.world.let_pass(LONG);
        self.pull_service().await.unwrap();
        let phone = &self.world.devices[PHONE];
        let filter = ItemFilter { source: Some(self.service_source), ..ItemFilter::default() };
        let msgid = |item: Item| item.notification.msgid.0;
        let mut here: Vec<String> =
            phone.replica().items(&filter, usize::MAX >> 1).unwrap().into_iter().map(msgid).collect();
        let mut published: Vec<String> = (0..self.published).map(|n| self.service.msgid(n)).collect();
        here.sort_unstable();
        published.sort_unstable();
        assert_eq!(here, published, "each message of the service is here once");
        assert_eq!(phone.check(), [""; 0], "the recount of the {}", phone.name);
    }
}
