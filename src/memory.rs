//! How memory goes back to the machine: a guide is built with several times the memory it keeps, and the one before
//! it is freed as a whole. Uses mimalloc, the program's allocator; under another one it does nothing.

/// Gives what this thread freed back to the machine. Takes milliseconds: not for the way of a request.
pub fn give_back() {
    // SAFETY: mi_collect takes no pointer and may be called at any time from any thread; it only returns memory
    // that is already free.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
