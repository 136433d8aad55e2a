//! The seam between what runs and what serves: handlers, call context, output, argument repair, compiled schemas.
