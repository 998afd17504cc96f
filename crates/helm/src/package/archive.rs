//! The files of a chart archive, within the limits of Helm.

use super::{MAX_FILE, PackageFile};

/// The files of an archive, without the directory that contains them all. They may have `most` bytes in all.
pub fn unpack(bytes: &[u8], most: usize) -> Result<Vec<PackageFile>, String> {
    let chart = charts::unpack(bytes).map_err(|error| error.to_string())?;
    let total: usize = chart.files.values().map(Vec::len).sum();
    if total > most {
        return Err(format!(
            "decompressed chart is larger than the maximum size {most}"
        ));
    }
    if let Some((path, _)) = chart.files.iter().find(|(_, data)| data.len() > MAX_FILE) {
        return Err(format!(
            "decompressed chart file {path:?} is larger than the maximum file size {MAX_FILE}"
        ));
    }
    let files = chart.files.into_iter();
    Ok(files
        .map(|(path, data)| PackageFile::new(path, data))
        .collect())
}
