//! How the process takes memory from the operating system and returns it. Works on mimalloc, the allocator of the
//! program; under another one the functions have no effect.

/// Turns transparent huge pages off. mimalloc asks for 2 MB pages, and one stays resident as long as a few bytes of it
/// are used: a third of all memory with a small snapshot, and no measurable gain of time with a large one.
pub(crate) fn disable_huge_pages() {
    // on failure the process only uses more memory
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Returns what this thread has freed to the operating system: building a snapshot takes several times the memory that
/// the snapshot keeps. Takes milliseconds, so never call it while a request waits.
pub(crate) fn release_unused() {
    // SAFETY: mi_collect takes no pointer and may be called at any time from any thread; it only returns memory
    // that is already free.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// Returns what this thread has freed and not used again for a second. Takes microseconds when that is little, and some
/// 10 ms for 100 MB.
pub(crate) fn release_expired() {
    // SAFETY: as in `release_unused`
    unsafe { libmimalloc_sys::mi_collect(false) }
}
