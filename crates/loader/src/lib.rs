//! Finds skill folders, reads them in two parse modes, and says what is wrong with them.
