//! The rules of the server: who may do what, what a publication is, and what an operation does to an item. They know
//! neither SQL nor HTTP.

pub mod account;
pub mod draft;
pub mod item;
pub mod limits;
pub mod msgid;
