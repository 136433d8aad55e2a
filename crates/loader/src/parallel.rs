//! Work on many items at once, with the results in the order of the items.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many items one thread takes at a time.
const SHARE: usize = 16;
/// More threads than this only wait for the disk.
const MOST_THREADS: usize = 16;

/// Applies `work` to every item, on as many threads as the machine has cores, of which this one is one.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(MOST_THREADS).min(items.len().div_ceil(SHARE));
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let shares: Vec<&[T]> = items.chunks(SHARE).collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Vec<R>)>> = Mutex::new(Vec::with_capacity(shares.len()));
    let take_shares = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(share) = shares.get(number) else {
                break;
            };
            let results: Vec<R> = share.iter().map(&work).collect();
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((number, results));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(take_shares);
        }
        take_shares();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        for length in [0_usize, 1, 15, 16, 17, 1000] {
            let items: Vec<usize> = (0..length).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(in_parallel(&items, |item| item * 2), doubled);
        }
    }
}
