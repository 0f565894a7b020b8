//! Stories about the server, told over real HTTP. Refuses to look inside: everything is seen from the wire.

mod accounts;
mod groups;
mod live;
mod ntfy;
mod publishing;
mod pulling;
mod reading;
mod running;
mod subscriptions;
mod support;
mod wire;
