//! Reads the files of a chart's directory, for the example beside and for `benches/charts.rs`.

use std::fs;
use std::io;
use std::path::Path;

/// Maximum nesting of directories.
const MAX_DEPTH: usize = 12;

/// The files below a directory by their paths, in the order of their names.
pub fn files(directory: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    add(directory, "", 0, &mut files)?;
    Ok(files)
}

fn add(
    directory: &Path,
    prefix: &str,
    depth: usize,
    files: &mut Vec<(String, Vec<u8>)>,
) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() && depth < MAX_DEPTH {
            add(&path, &format!("{name}/"), depth + 1, files)?;
        } else if path.is_file() {
            files.push((name, fs::read(&path)?));
        }
    }
    Ok(())
}
