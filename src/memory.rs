//! How memory goes back to the machine: a guide is built with several times the memory it keeps, and the one before
//! it is freed as a whole. Uses mimalloc, the program's allocator; under another one it does nothing. And how much is
//! taken at a time.

/// Takes memory by the page, and not by the 2 MB that mimalloc asks for: a huge page is kept for as long as a few bytes
/// of it are, which on a small guide is a third of all memory, and on a large one saved no measurable time.
pub fn take_by_the_page() {
    // memory that is taken by more at a time still works
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Gives what this thread freed back to the machine. Takes milliseconds: not for the way of a request.
pub fn give_back() {
    // SAFETY: mi_collect takes no pointer and may be called at any time from any thread; it only returns memory
    // that is already free.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
