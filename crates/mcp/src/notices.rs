//! Notices that a list changed: to each session once per change, on one stream.
//!
//! A notice that is not yet written absorbs later ones, so a slow reader costs one flag per list
//! and nothing grows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::RawId;
use crate::history::{Event, EventId, History};
use crate::meta::SUBSCRIPTION_ID;
use crate::slot::Slot;

/// A list whose change is announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ListKind {
    /// `tools/list`.
    Tools,
    /// `resources/list`, and with it `skills/list`.
    Resources,
    /// `prompts/list`.
    Prompts,
}

impl ListKind {
    /// Every list.
    pub(crate) const ALL: [Self; 3] = [Self::Tools, Self::Resources, Self::Prompts];

    /// The method of the notice.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
        }
    }

    /// The member of `subscriptions/listen` that asks for it.
    pub(crate) const fn filter(self) -> &'static str {
        match self {
            Self::Tools => "toolsListChanged",
            Self::Resources => "resourcesListChanged",
            Self::Prompts => "promptsListChanged",
        }
    }

    /// The whole message.
    pub(crate) fn message(self, subscription: Option<&RawId>) -> Bytes {
        notification(self.method(), Map::new(), subscription)
    }
}

/// A notification as it goes on the wire; on a subscription every frame names its request.
pub(crate) fn notification(
    method: &str,
    params: Map<String, Value>,
    subscription: Option<&RawId>,
) -> Bytes {
    let bare = params.is_empty();
    let mut text = format!(r#"{{"jsonrpc":"2.0","method":"{method}""#);
    let params = Value::Object(params).to_string();
    // Spliced as text, because an id may be a number that no number type holds.
    match subscription {
        None if bare => {}
        None => text.extend([r#","params":"#, &params]),
        Some(id) => {
            let rest = params.strip_suffix('}').unwrap_or(&params);
            let comma = if bare { "" } else { "," };
            text.extend([
                r#","params":"#,
                rest,
                comma,
                r#""_meta":{""#,
                SUBSCRIPTION_ID,
                r#"":"#,
                id.as_json(),
                "}}",
            ]);
        }
    }
    text.push('}');
    Bytes::from(text)
}

/// One session's notices and streams (revisions of 2025).
#[derive(Debug, Default)]
pub(crate) struct SessionNotices {
    state: Mutex<SessionState>,
}

#[derive(Debug, Default)]
struct SessionState {
    /// The generation up to which each list's changes have been handed out.
    told: BTreeMap<ListKind, u64>,
    since: u64,
    /// Changes that no stream could take yet.
    pending: BTreeSet<ListKind>,
    /// Live streams, oldest first.
    streams: Vec<Arc<Slot>>,
    history: History,
}

impl SessionState {
    fn is_news(&self, kind: ListKind, generation: u64) -> bool {
        generation > self.told.get(&kind).copied().unwrap_or(self.since)
    }

    fn hand_out(&mut self, kinds: BTreeSet<ListKind>) {
        if kinds.is_empty() {
            return;
        }
        match self.streams.first() {
            Some(oldest) => oldest.add(kinds),
            None => self.pending.extend(kinds),
        }
    }
}

impl SessionNotices {
    /// A session that began when the catalog was at this generation.
    pub(crate) fn since(generation: u64) -> Self {
        Self {
            state: Mutex::new(SessionState {
                since: generation,
                ..SessionState::default()
            }),
        }
    }

    /// The list changed with this generation.
    pub(crate) fn changed(&self, kind: ListKind, generation: u64) {
        let mut state = lock(&self.state);
        if state.is_news(kind, generation) {
            state.told.insert(kind, generation);
            state.hand_out(BTreeSet::from([kind]));
        }
    }

    /// A call of this session made the change and has a stream of its own: whether the notice is
    /// to be written there. It is not when a stream is open, which then gets it.
    pub(crate) fn claim(&self, kind: ListKind, generation: u64) -> bool {
        let mut state = lock(&self.state);
        if !state.streams.is_empty() {
            return false;
        }
        let waited = state.pending.remove(&kind);
        let news = state.is_news(kind, generation);
        if news {
            state.told.insert(kind, generation);
        }
        waited || news
    }

    /// The list changed, whatever generation the session began with.
    pub(crate) fn stirred(&self, kind: ListKind, generation: u64) {
        let mut state = lock(&self.state);
        let told = state.told.entry(kind).or_default();
        *told = generation.max(*told);
        state.hand_out(BTreeSet::from([kind]));
    }

    /// Sends a message of its own on the oldest stream; `false` when none is open or its reader is
    /// far behind.
    pub(crate) fn post(&self, message: Bytes) -> bool {
        let state = lock(&self.state);
        state
            .streams
            .first()
            .is_some_and(|oldest| oldest.post(message))
    }

    /// The client has read the list; a notice that found no stream has nothing left to say.
    pub(crate) fn listed(&self, kind: ListKind) {
        lock(&self.state).pending.remove(&kind);
    }

    /// Opens a stream; what has been waiting goes to it. After an event that another stream has
    /// written it goes on with what that one wrote since, and that one ends.
    pub(crate) fn open(self: &Arc<Self>, seen: Option<EventId>) -> StreamGuard {
        let mut state = lock(&self.state);
        let missed = seen.and_then(|seen| Some((seen.stream, state.history.after(seen)?)));
        let (number, missed) = match missed {
            Some((number, missed)) => (number, missed),
            None => (state.history.begin(), Vec::new()),
        };
        state.streams.retain(|slot| {
            let other = slot.number != number;
            if !other {
                slot.taken_up.cancel();
            }
            other
        });
        let slot = Arc::new(Slot::numbered(number));
        state.streams.push(Arc::clone(&slot));
        let pending = std::mem::take(&mut state.pending);
        state.hand_out(pending);
        StreamGuard {
            slot,
            missed: Mutex::new(missed.into()),
            owner: Arc::downgrade(self),
        }
    }

    pub(crate) fn has_stream(&self) -> bool {
        !lock(&self.state).streams.is_empty()
    }
}

/// A live stream. When it goes, what it has not written goes to the next one.
#[derive(Debug)]
pub(crate) struct StreamGuard {
    pub(crate) slot: Arc<Slot>,
    /// What its client has missed and is to be written first.
    missed: Mutex<VecDeque<Event>>,
    owner: Weak<SessionNotices>,
}

impl StreamGuard {
    /// An event that is to be written once more.
    pub(crate) fn missed(&self) -> Option<Event> {
        lock(&self.missed).pop_front()
    }

    /// Notes what is written now.
    pub(crate) fn written(&self, message: Bytes) -> Event {
        let id = match self.owner.upgrade() {
            Some(owner) => lock(&owner.state)
                .history
                .written(self.slot.number, &message),
            None => EventId {
                stream: self.slot.number,
                place: 0,
            },
        };
        (id, message)
    }
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        let Some(owner) = self.owner.upgrade() else {
            return;
        };
        let mut state = lock(&owner.state);
        state.streams.retain(|slot| !Arc::ptr_eq(slot, &self.slot));
        let left = self.slot.take_left();
        state.hand_out(left.kinds);
        if let Some(next) = state.streams.first() {
            for message in left.messages {
                next.post(message);
            }
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn written(slot: &Slot) -> usize {
        let mut count = 0;
        while slot.next().now_or_never().is_some() {
            count += 1;
        }
        count
    }

    #[test]
    fn a_frame_names_its_subscription_by_the_id_as_written() {
        let id = RawId::new("123456789012345678901234567890").unwrap();
        assert_eq!(
            ListKind::Tools.message(Some(&id)),
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":123456789012345678901234567890}}}"#
        );
        assert_eq!(
            ListKind::Tools.message(None),
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#
        );
    }

    #[test]
    fn the_oldest_stream_gets_each_change_once() {
        let notices = Arc::new(SessionNotices::since(3));
        let (first, second) = (notices.open(None), notices.open(None));
        notices.changed(ListKind::Tools, 3);
        assert_eq!(written(&first.slot), 0, "older than the session");
        notices.changed(ListKind::Tools, 4);
        notices.changed(ListKind::Tools, 4);
        assert_eq!((written(&first.slot), written(&second.slot)), (1, 0));
        notices.changed(ListKind::Tools, 5);
        assert_eq!((written(&first.slot), written(&second.slot)), (1, 0));
    }

    #[test]
    fn a_notice_not_yet_written_absorbs_later_ones_and_outlives_its_stream() {
        let notices = Arc::new(SessionNotices::since(0));
        let (first, second) = (notices.open(None), notices.open(None));
        notices.changed(ListKind::Tools, 1);
        notices.changed(ListKind::Tools, 2);
        drop(first);
        assert_eq!(written(&second.slot), 1);
        notices.changed(ListKind::Tools, 3);
        drop(second);
        assert_eq!(
            written(&notices.open(None).slot),
            1,
            "the next stream to open gets it"
        );
    }

    #[test]
    fn the_call_that_made_the_change_tells_it_when_no_stream_is_open() {
        let notices = Arc::new(SessionNotices::since(0));
        assert!(notices.claim(ListKind::Tools, 1));
        notices.changed(ListKind::Tools, 1);
        assert!(!notices.claim(ListKind::Tools, 1), "told once");
        let stream = notices.open(None);
        assert_eq!(written(&stream.slot), 0);
        assert!(!notices.claim(ListKind::Tools, 2), "the stream gets it");
        notices.changed(ListKind::Tools, 2);
        assert_eq!(written(&stream.slot), 1);
    }

    #[test]
    fn a_client_that_has_read_the_list_needs_no_old_notice() {
        let notices = Arc::new(SessionNotices::since(0));
        notices.changed(ListKind::Tools, 1);
        notices.listed(ListKind::Tools);
        assert_eq!(written(&notices.open(None).slot), 0);
    }
}
