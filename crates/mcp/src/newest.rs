//! What is made of a snapshot once, and kept as long as no newer snapshot comes.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwapOption;

/// Something that was made of one generation of the catalog.
pub(crate) trait OfGeneration {
    /// Which.
    fn generation(&self) -> u64;
}

/// Keeps the one of the newest generation. Readers never wait.
pub(crate) struct Newest<T>(ArcSwapOption<T>);

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self(ArcSwapOption::empty())
    }
}

impl<T> fmt::Debug for Newest<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Newest").finish_non_exhaustive()
    }
}

impl<T: OfGeneration> Newest<T> {
    /// The one of that generation; `make` is given the newest of before.
    pub(crate) fn of(&self, generation: u64, make: impl FnOnce(Option<&T>) -> T) -> Arc<T> {
        let known = self.0.load_full();
        if let Some(known) = &known
            && known.generation() == generation
        {
            return Arc::clone(known);
        }
        let made = Arc::new(make(known.as_deref()));
        // A request that began before a change must not put what is older over what is newer.
        self.0.rcu(|kept| match kept {
            Some(kept) if kept.generation() >= generation => Some(Arc::clone(kept)),
            _ => Some(Arc::clone(&made)),
        });
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Made(u64);

    impl OfGeneration for Made {
        fn generation(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn a_generation_is_made_once_and_never_put_over_a_newer_one() {
        let newest = Newest::default();
        let first = newest.of(2, |before| {
            assert!(before.is_none());
            Made(2)
        });
        assert!(Arc::ptr_eq(&first, &newest.of(2, |_| Made(0))));
        assert_eq!(newest.of(1, |_| Made(1)).0, 1);
        assert!(Arc::ptr_eq(&first, &newest.of(2, |_| Made(0))));
        let next = newest.of(3, |before| Made(before.map_or(0, |before| before.0) + 1));
        assert_eq!(next.0, 3);
        assert!(Arc::ptr_eq(&next, &newest.of(3, |_| Made(0))));
    }
}
