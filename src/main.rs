//! The command `panewatch`; see the library for what is where.

use panewatch::cli::{self, exit::Exit};

fn main() -> Exit {
    cli::main()
}
