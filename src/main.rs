//! The program: everything is in the library.

/// Guides are built beside the one in service and freed as a whole: mimalloc gives that memory back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    candango::cli::run()
}
