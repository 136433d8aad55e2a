//! `logging/setLevel`. A modern client writes the level into each request instead.

use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;

use super::read;
use crate::logging::level_named;
use crate::shared::Shared;
use crate::table::{Eras, Feature};

#[derive(Deserialize)]
struct SetLevel {
    level: String,
}

pub(crate) fn methods(shared: &Arc<Shared>) -> Feature {
    let mut feature = Feature::new(shared);
    feature.answers(Eras::Legacy, "logging/setLevel", |_, call, params| {
        let wanted: SetLevel = read(params)?;
        let level = level_named(&wanted.level)?;
        if let Some(session) = &call.session {
            session.set_log_level(level);
        }
        Ok(Bytes::from_static(b"{}"))
    });
    feature
}
