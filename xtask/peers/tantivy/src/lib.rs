//! What the two programs share: documents and queries ([`pool`]), and the sides that answer ([`sides`]).

pub mod pool;
pub mod sides;
