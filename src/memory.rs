//! How the process takes memory from the operating system and returns it. Works on mimalloc, the allocator of the
//! program; under another one the functions have no effect.

/// `mi_option_purge_delay` of mimalloc 3, which `libmimalloc_sys` does not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Has the process hold no more memory than it uses: before the first snapshot is built.
///
/// mimalloc asks for huge pages of 2 MB, and one stays resident as long as a few bytes of it are used: a third of all
/// memory with a small snapshot, and no measurable gain of time with a large one. It also keeps free memory for a
/// second or until somebody allocates more, which after a build is for ever: 12 MB with the demo, 35 MB with 100,000
/// records.
pub(crate) fn hold_little() {
    // on failure the process only uses more memory
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    // SAFETY: mi_option_set takes no pointer and may be called at any time; options are read where they are used.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, 0) }
}

/// Returns what this thread has freed to the operating system: building a snapshot takes several times the memory that
/// the snapshot keeps. Takes milliseconds, so never call it while a request waits.
pub(crate) fn release_unused() {
    // SAFETY: mi_collect takes no pointer and may be called at any time from any thread; it only returns memory
    // that is already free.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_is_the_option_that_is_set() {
        // SAFETY: mi_option_get takes no pointer and may be called at any time
        let delay = || unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        // milliseconds, the default of mimalloc for this option alone
        assert_eq!(delay(), 1_000);
        hold_little();
        assert_eq!(delay(), 0);
    }
}
