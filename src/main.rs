//! The program: everything is in the library.

/// Quick for the small pieces of a request, and able to give back what a guide was built with.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    candango::cli::run()
}
