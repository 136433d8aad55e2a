//! Who gets a place next: each asker in its turn, and of one asker's jobs the one that came first.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::RunError;

/// On whose behalf a job runs; jobs of nobody in particular are one asker's as well.
type Asker = Option<Arc<str>>;

/// The places for jobs, and what waits for them.
#[derive(Debug)]
pub(crate) struct Turns {
    most: Load,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) jobs: usize,
    pub(crate) bytes: usize,
}

impl Load {
    const fn plus(self, bytes: usize) -> Self {
        Self {
            jobs: self.jobs + 1,
            bytes: self.bytes.saturating_add(bytes),
        }
    }

    const fn minus(self, bytes: usize) -> Self {
        Self {
            jobs: self.jobs - 1,
            bytes: self.bytes.saturating_sub(bytes),
        }
    }

    const fn is_over(self, most: Self) -> bool {
        self.jobs > most.jobs || self.bytes > most.bytes
    }
}

/// While a place is free nobody waits.
#[derive(Debug)]
struct State {
    free: usize,
    all: Load,
    waiting: BTreeMap<Asker, Waiting>,
    /// Everybody who waits, each once: the first is the next to get a place.
    turns: VecDeque<Asker>,
    next_ticket: u64,
}

/// What waits for one asker, by ticket: the lowest came first.
#[derive(Debug, Default)]
struct Waiting {
    load: Load,
    jobs: BTreeMap<u64, Job>,
}

#[derive(Debug)]
struct Job {
    bytes: usize,
    place: oneshot::Sender<Place>,
}

impl State {
    /// Takes a job from those that wait; the asker's turn goes with the last of its jobs.
    fn take(&mut self, asker: &Asker, ticket: u64) -> Option<Job> {
        let waiting = self.waiting.get_mut(asker)?;
        let job = waiting.jobs.remove(&ticket)?;
        waiting.load = waiting.load.minus(job.bytes);
        self.all = self.all.minus(job.bytes);
        if waiting.jobs.is_empty() {
            self.waiting.remove(asker);
            self.turns.retain(|turn| turn != asker);
        }
        Some(job)
    }

    /// The job whose turn it is. Its asker's next job has its turn after all others.
    fn take_next(&mut self) -> Option<Job> {
        let asker = self.turns.front()?.clone();
        self.turns.rotate_left(1);
        let ticket = *self.waiting.get(&asker)?.jobs.keys().next()?;
        self.take(&asker, ticket)
    }
}

impl Turns {
    pub(crate) fn new(places: usize, most: Load) -> Self {
        Self {
            most,
            state: Mutex::new(State {
                free: places.max(1),
                all: Load::default(),
                waiting: BTreeMap::new(),
                turns: VecDeque::new(),
                next_ticket: 0,
            }),
        }
    }

    pub(crate) fn free(&self) -> usize {
        self.state().free
    }

    /// What waits now.
    pub(crate) fn load(&self) -> Load {
        self.state().all
    }

    /// A place, or a ticket for one. A job whose asker is known may have at most half of the room for those that wait
    /// beside its asker's other ones, so that nobody alone has all others refused.
    pub(crate) fn enter(
        self: &Arc<Self>,
        asker: Option<&str>,
        bytes: impl FnOnce() -> usize,
    ) -> Result<Entered, RunError> {
        if let Some(place) = self.try_place() {
            return Ok(Entered::Place(place));
        }
        // What is to be counted may be large, and others come and go meanwhile.
        let bytes = bytes();
        let asker: Asker = asker.map(Into::into);
        let mut state = self.state();
        if state.free > 0 {
            state.free -= 1;
            return Ok(Entered::Place(Place(Some(Arc::clone(self)))));
        }
        let own = state.waiting.get(&asker);
        let own = own.map(|waiting| waiting.load).unwrap_or_default();
        let most_own = match asker {
            Some(_) => Load {
                jobs: self.most.jobs.div_ceil(2),
                bytes: self.most.bytes.div_ceil(2),
            },
            None => self.most,
        };
        if state.all.plus(bytes).is_over(self.most) {
            let waiting = state.all.jobs;
            return Err(RunError::Busy { waiting });
        }
        if own.plus(bytes).is_over(most_own) {
            return Err(RunError::BusyWithOwn { waiting: own.jobs });
        }
        let number = state.next_ticket;
        state.next_ticket += 1;
        state.all = state.all.plus(bytes);
        if own.jobs == 0 {
            state.turns.push_back(asker.clone());
        }
        let waiting = state.waiting.entry(asker.clone()).or_default();
        waiting.load = waiting.load.plus(bytes);
        let (place, granted) = oneshot::channel();
        waiting.jobs.insert(number, Job { bytes, place });
        Ok(Entered::Ticket(Ticket {
            turns: Arc::clone(self),
            asker,
            number,
            granted,
        }))
    }

    fn try_place(self: &Arc<Self>) -> Option<Place> {
        let mut state = self.state();
        state.free = state.free.checked_sub(1)?;
        Some(Place(Some(Arc::clone(self))))
    }

    /// Hands a place on to whoever is next.
    fn hand_on(self: &Arc<Self>) {
        loop {
            let next = {
                let mut state = self.state();
                let next = state.take_next();
                if next.is_none() {
                    state.free += 1;
                }
                next
            };
            let Some(next) = next else { return };
            let Err(mut refused) = next.place.send(Place(Some(Arc::clone(self)))) else {
                return;
            };
            // Whoever has gone meanwhile gives nothing back: the place is still here.
            refused.0 = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a job has that came.
#[derive(Debug)]
pub(crate) enum Entered {
    Place(Place),
    Ticket(Ticket),
}

/// The right to run; dropping it hands it on.
#[derive(Debug)]
pub(crate) struct Place(Option<Arc<Turns>>);

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.hand_on();
        }
    }
}

/// One that waits; dropping it gives its room back.
#[derive(Debug)]
pub(crate) struct Ticket {
    turns: Arc<Turns>,
    asker: Asker,
    number: u64,
    granted: oneshot::Receiver<Place>,
}

impl Ticket {
    /// Ends when it is this one's turn. `None` cannot be: whoever takes the ticket out sends a place.
    pub(crate) async fn place(&mut self) -> Option<Place> {
        (&mut self.granted).await.ok()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // A place that was sent and not taken is handed on as the receiver is dropped, behind this.
        let job = self.turns.state().take(&self.asker, self.number);
        drop(job);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn turns(places: usize, jobs: usize) -> Arc<Turns> {
        let bytes = usize::MAX;
        Arc::new(Turns::new(places, Load { jobs, bytes }))
    }

    fn ticket(turns: &Arc<Turns>, asker: &str) -> Ticket {
        match turns.enter(Some(asker), || 1).unwrap() {
            Entered::Ticket(ticket) => ticket,
            Entered::Place(place) => panic!("{place:?} is free"),
        }
    }

    #[test]
    fn each_asker_has_its_turn_however_many_jobs_another_has() {
        let turns = turns(1, 100);
        let Entered::Place(first) = turns.enter(Some("many"), || 1).unwrap() else {
            panic!("nobody was there");
        };
        let askers = ["many", "many", "many", "few", "many", "one", "few"];
        let mut waiting: Vec<_> = askers.map(|asker| (asker, ticket(&turns, asker))).into();
        drop(first);
        let mut order = Vec::new();
        while !waiting.is_empty() {
            let next = waiting.iter_mut().enumerate();
            let mut granted =
                next.filter_map(|(at, (_, ticket))| Some((at, ticket.granted.try_recv().ok()?)));
            let (at, place) = granted.next().unwrap();
            assert!(granted.next().is_none(), "one place, and two have it");
            order.push((waiting.remove(at).0, at));
            drop(place);
        }
        let names: Vec<_> = order.iter().map(|(asker, _)| *asker).collect();
        assert_eq!(names, ["many", "few", "one", "many", "few", "many", "many"]);
        assert_eq!((turns.free(), turns.load()), (1, Load::default()));
    }

    #[test]
    fn one_asker_has_half_of_the_room() {
        let turns = turns(1, 4);
        let place = turns.enter(None, || 1).unwrap();
        let own = [ticket(&turns, "a"), ticket(&turns, "a")];
        let refused = turns.enter(Some("a"), || 1).unwrap_err();
        assert!(
            matches!(refused, RunError::BusyWithOwn { waiting: 2 }),
            "{refused:?}"
        );
        let others = [ticket(&turns, "b"), ticket(&turns, "c")];
        let refused = turns.enter(Some("d"), || 1).unwrap_err();
        assert!(
            matches!(refused, RunError::Busy { waiting: 4 }),
            "{refused:?}"
        );
        drop((own, others, place));
        assert_eq!((turns.free(), turns.load()), (1, Load::default()));
    }

    proptest! {
        /// Whoever comes, runs and goes: no place is lost or given twice, and nobody waits beside a free one.
        #[test]
        fn places_are_neither_lost_nor_doubled(
            steps in proptest::collection::vec((0_usize..3, 0_usize..4, any::<prop::sample::Index>()), 1..80),
            places in 1_usize..4,
        ) {
            let turns = turns(places, 1_000);
            let (mut running, mut waiting) = (Vec::new(), Vec::new());
            for (step, asker, which) in steps {
                match step {
                    0 => match turns.enter(Some(["a", "b", "c", "d"][asker]), || 1).unwrap() {
                        Entered::Place(place) => running.push(place),
                        Entered::Ticket(ticket) => waiting.push(ticket),
                    },
                    1 if !running.is_empty() => drop(running.swap_remove(which.index(running.len()))),
                    2 if !waiting.is_empty() => drop(waiting.swap_remove(which.index(waiting.len()))),
                    _ => {}
                }
                // Half of those that may go on do so; the others have a place that they have not taken.
                let (mut still, mut is_slow) = (Vec::new(), false);
                for mut ticket in waiting {
                    is_slow = !is_slow;
                    match if is_slow { ticket.granted.try_recv().ok() } else { None } {
                        Some(place) => running.push(place),
                        None => still.push(ticket),
                    }
                }
                waiting = still;
                let jobs = turns.load().jobs;
                prop_assert!(running.len() + turns.free() <= places);
                prop_assert!(jobs == 0 || turns.free() == 0);
                prop_assert!(jobs <= waiting.len());
                let granted = waiting.len() - jobs;
                prop_assert_eq!(running.len() + granted + turns.free(), places);
            }
            drop((running, waiting));
            prop_assert_eq!((turns.free(), turns.load()), (places, Load::default()));
        }
    }
}
