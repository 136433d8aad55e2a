//! A time for people.

/// Milliseconds since 1970 as `2026-11-30 04:25:29Z`; beyond the year 9999, the number itself.
pub(crate) fn utc(ms: u64) -> String {
    let seconds = i64::try_from(ms / 1_000).ok();
    match seconds.and_then(metier::loader::utc) {
        Some(text) => text.replace('T', " "),
        None => format!("{ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_at_a_glance() {
        assert_eq!(utc(1_764_476_729_000), "2025-11-30 04:25:29Z");
        assert_eq!(utc(u64::MAX), "18446744073709551615 ms");
    }
}
