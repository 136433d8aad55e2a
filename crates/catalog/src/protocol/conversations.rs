//! What each session has seen of the skills.

use std::collections::BTreeMap;

use metier_skill_protocol::Conversation;

/// So many sessions are remembered; one more, and the one that was heard of longest ago is forgotten.
const MOST_SESSIONS: usize = 1_000;

/// What is remembered. Whoever is forgotten gets the whole listing again, unless a token says otherwise.
#[derive(Debug, Default)]
pub(crate) struct Conversations {
    known: BTreeMap<String, (u64, Conversation)>,
    turn: u64,
}

impl Conversations {
    /// What a session has seen; nothing without one.
    pub(crate) fn of(&self, session: Option<&str>) -> Conversation {
        let known = session.and_then(|session| self.known.get(session));
        known.map_or_else(Conversation::default, |(_, known)| known.clone())
    }

    /// Remembers what a session has seen.
    pub(crate) fn keep(&mut self, session: Option<&str>, conversation: Conversation) {
        let Some(session) = session else {
            return;
        };
        self.turn += 1;
        self.known
            .insert(session.to_owned(), (self.turn, conversation));
        if self.known.len() > MOST_SESSIONS {
            let oldest = self.known.iter().min_by_key(|(_, (turn, _))| *turn);
            let oldest = oldest.map(|(session, _)| session.clone());
            oldest.and_then(|session| self.known.remove(&session));
        }
    }

    /// Changes what a session has seen.
    pub(crate) fn change(&mut self, session: Option<&str>, change: impl FnOnce(&mut Conversation)) {
        if session.is_some() {
            let mut conversation = self.of(session);
            change(&mut conversation);
            self.keep(session, conversation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_session_is_forgotten() {
        let mut conversations = Conversations::default();
        let seen = |id: &str| {
            let id = id.to_owned();
            move |conversation: &mut Conversation| {
                conversation.invoked.insert(id);
            }
        };
        for number in 0..MOST_SESSIONS {
            conversations.change(Some(&format!("s{number}")), seen("a"));
        }
        conversations.change(Some("s0"), seen("b"));
        conversations.change(Some("new"), seen("c"));
        assert_eq!(conversations.known.len(), MOST_SESSIONS);
        assert_eq!(conversations.of(Some("s0")).invoked.len(), 2);
        assert!(conversations.of(Some("s1")).invoked.is_empty());
        conversations.change(None, seen("d"));
        assert!(conversations.of(None).invoked.is_empty());
    }
}
