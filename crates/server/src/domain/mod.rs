//! What the server decides: who may do what, what a publication is, what an operation does to an item. Refuses SQL
//! and HTTP.

pub mod account;
pub mod draft;
pub mod item;
pub mod limits;
pub mod msgid;
