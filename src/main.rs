//! The binary. Everything is in the library.

/// mimalloc is fast for the small allocations of a request, and returns the memory that building a snapshot took.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    candango::cli::run()
}
