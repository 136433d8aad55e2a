//! Runs one program: JSON in, JSON out, limits that bind, the whole process tree ended.
