//! Calls of the desktop's portals that answer by a signal, because the reader may have to answer first.

use std::collections::HashMap;

use futures_util::StreamExt as _;
use zbus::zvariant::{DynamicType, OwnedValue, Value};
use zbus::{Connection, Proxy};

pub(crate) const BUS_NAME: &str = "org.freedesktop.portal.Desktop";
pub(crate) const OBJECT_PATH: &str = "/org/freedesktop/portal/desktop";

/// Values by name, as portals take them.
pub(crate) type Named<'a> = HashMap<&'a str, Value<'a>>;

/// Calls a method whose options name this token, and waits for what it answers. An error if the reader does not agree, or the
/// portal ends meanwhile.
pub(crate) async fn ask<B>(
    bus: &Connection,
    interface: &str,
    method: &str,
    token: &str,
    body: &B,
) -> zbus::Result<HashMap<String, OwnedValue>>
where
    B: serde::Serialize + DynamicType,
{
    let nobody = || zbus::Error::Failure("the portal did not answer".to_owned());
    let own = bus.unique_name().ok_or_else(nobody)?.trim_start_matches(':').replace('.', "_");
    let path = format!("{OBJECT_PATH}/request/{own}/{token}");
    // Subscribed before the call, so that no answer is missed.
    let request = Proxy::new(bus, BUS_NAME, path, "org.freedesktop.portal.Request").await?;
    let mut answers = request.receive_signal("Response").await?;
    let mut owners = request.receive_owner_changed().await?;
    bus.call_method(Some(BUS_NAME), OBJECT_PATH, Some(interface), method, body).await?;
    // The call may have started the portal, which has an owner then.
    let lost = async { while owners.next().await.flatten().is_some() {} };
    let answer = tokio::select! {
        biased;
        answer = answers.next() => answer,
        () = lost => None,
    };
    let answer = answer.ok_or_else(nobody)?;
    match answer.body().deserialize()? {
        (0_u32, results) => Ok(results),
        (code, _) => Err(zbus::Error::Failure(format!("{method} was refused: {code}"))),
    }
}
