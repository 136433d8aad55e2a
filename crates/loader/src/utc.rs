//! A time as protocols write it.

/// Seconds since 1970 as RFC 3339 has it, `2026-11-30T04:25:29Z`; `None` before the year 0 and beyond the year 9999.
pub fn utc(seconds: i64) -> Option<String> {
    const FIRST: i64 = -62_167_219_200;
    const END: i64 = 253_402_300_800;
    if !(FIRST..END).contains(&seconds) {
        return None;
    }
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // The calendar repeats every 400 years, and counted from March a leap day ends the year.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_over_leap_years() {
        for (seconds, text) in [
            (-62_167_219_200, "0000-01-01T00:00:00Z"),
            (-14_182_940, "1969-07-20T20:17:40Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_764_476_729, "2025-11-30T04:25:29Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(seconds).as_deref(), Some(text));
        }
        assert_eq!((utc(i64::MIN), utc(i64::MAX)), (None, None));
    }
}
