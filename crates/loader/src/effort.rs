//! Steps of work, counted in tests alone: how work grows with its input is told without a clock.

/// One step: a comparison, a folding, whatever could be done too often.
#[inline]
pub(crate) fn step() {
    #[cfg(test)]
    counter::STEPS.with(|steps| steps.set(steps.get() + 1));
}

#[cfg(test)]
pub(crate) use counter::steps_of;

#[cfg(test)]
mod counter {
    use std::cell::Cell;

    thread_local! {
        pub(super) static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    /// How many steps some work takes on this thread.
    pub(crate) fn steps_of(work: impl FnOnce()) -> u64 {
        let before = STEPS.get();
        work();
        STEPS.get() - before
    }
}
