//! `subscriptions/listen`: one long request whose stream carries the notices it asked for.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::read;
use crate::call::{Call, Outcome};
use crate::notices::{ListKind, notification};
use crate::shared::Shared;
use crate::table::{Eras, Feature, json_of};

#[derive(Deserialize)]
struct Listen {
    notifications: Map<String, Value>,
}

pub(crate) fn methods(shared: &Arc<Shared>) -> Feature {
    let mut feature = Feature::new(shared);
    feature.works(
        Eras::Modern,
        "subscriptions/listen",
        |shared, call, params| async move { listen(&shared, &call, json_of(&params)).await },
    );
    feature
}

async fn listen(shared: &Shared, call: &Call, params: &str) -> Outcome {
    let asked: Listen = match read(params) {
        Ok(asked) => asked,
        Err(error) => return error.into(),
    };
    let wants: BTreeSet<ListKind> = ListKind::ALL
        .into_iter()
        .filter(|kind| asked.notifications.get(kind.filter()) == Some(&Value::Bool(true)))
        .collect();
    let accepted: Map<String, Value> = wants
        .iter()
        .map(|kind| (kind.filter().to_owned(), Value::Bool(true)))
        .collect();
    // Opened before the acknowledgement is sent, so that no change falls between the two.
    let subscription = shared
        .listeners
        .open(wants, shared.catalog.snapshot().generation());

    let mut params = Map::new();
    params.insert("notifications".into(), accepted.into());
    let acknowledged = notification(
        "notifications/subscriptions/acknowledged",
        params,
        Some(&call.id),
    );
    if !call.outbound.send(acknowledged).await {
        return Outcome::Silence;
    }
    // A reader that stands still must not hold up the end of the server.
    let last_words = || shared.results.subscription_end(call.era, &call.id).into();
    loop {
        let kind = tokio::select! {
            biased;
            () = shared.closing.cancelled() => return last_words(),
            () = call.cancel.cancelled() => return Outcome::Silence,
            kind = subscription.next() => kind,
        };
        tokio::select! {
            biased;
            () = shared.closing.cancelled() => return last_words(),
            () = call.cancel.cancelled() => return Outcome::Silence,
            // Waits for the reader; what changes meanwhile is one flag.
            read = call.outbound.send(kind.message(Some(&call.id))) => {
                if !read {
                    return Outcome::Silence;
                }
            }
        }
    }
}
