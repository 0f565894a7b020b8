//! What is done to the data of a server that is stopped, in whichever database it is. It moves to the other one, and
//! stamps that a wrong clock left are mended.

#[cfg(test)]
mod databases;
#[cfg(test)]
mod earlier_tables;
#[cfg(test)]
mod histories;
pub mod mend_clock;
pub mod migrate;
pub mod served;
