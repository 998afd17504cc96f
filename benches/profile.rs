//! The profile that a benchmark was built with: figures of two profiles cannot be compared.

use std::env;

/// Prints it, as cargo's directory says it.
pub fn print() {
    let program = env::current_exe().unwrap_or_default();
    // target/PROFILE/deps/NAME
    let directory = program.ancestors().nth(2).and_then(|it| it.file_name());
    let name = directory.unwrap_or_default().to_string_lossy();
    match &*name {
        "dist" => println!("profile: dist"),
        other => println!("profile: {other}; bounds are for `cargo bench --profile dist`"),
    }
}
