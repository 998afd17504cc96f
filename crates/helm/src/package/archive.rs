//! Unpacks `.tgz` archives in memory. Links, absolute paths and paths that lead out are refused.

use smol_str::SmolStr;

use super::{MAX_FILE, PackageFile};

const BLOCK: usize = 512;
/// Maximum number of entries.
const MAX_ENTRIES: usize = 20_000;

/// The files of an archive, without the directory that contains them all.
pub fn unpack(bytes: &[u8], most: usize) -> Result<Vec<PackageFile>, String> {
    let unpacked = charts::decompressed(bytes, most as u64)
        .map_err(|error| format!("the archive cannot be read: {error}"))?;
    if unpacked.len() > most {
        return Err(format!(
            "decompressed chart is larger than the maximum size {most}"
        ));
    }
    let mut files: Vec<PackageFile> = Vec::new();
    let mut rest = unpacked.as_slice();
    let mut long_name: Option<String> = None;
    for _ in 0..MAX_ENTRIES {
        let Some(entry) = TarEntry::read(rest)? else {
            return Ok(files);
        };
        let data = rest.get(BLOCK..BLOCK + entry.size);
        let data = data.ok_or("the archive ends within a file")?;
        let padded = entry.size.div_ceil(BLOCK) * BLOCK;
        rest = rest.get(BLOCK + padded..).unwrap_or_default();
        match entry.kind {
            b'L' => long_name = Some(until_nul(data)),
            b'x' => long_name = pax_path(data).or(long_name),
            b'g' | b'K' | b'5' => long_name = None,
            b'0' | 0 | b'7' => {
                let name = long_name.take().unwrap_or(entry.name);
                if name.ends_with('/') {
                    continue;
                }
                let path = inner_path(&name)?;
                if data.len() > MAX_FILE {
                    return Err(format!(
                        "decompressed chart file {path:?} is larger than the maximum file size {MAX_FILE}"
                    ));
                }
                files.push(PackageFile::new(path, data));
            }
            b'1' | b'2' => {
                let name = long_name.take().unwrap_or(entry.name);
                return Err(format!("the archive contains a link: {name}"));
            }
            _ => long_name = None,
        }
    }
    Err("the archive has too many entries".to_owned())
}

struct TarEntry {
    name: String,
    size: usize,
    kind: u8,
}

impl TarEntry {
    /// The header at the start; `None` at the end of the archive.
    fn read(bytes: &[u8]) -> Result<Option<TarEntry>, String> {
        let Some(header) = bytes
            .get(..BLOCK)
            .filter(|header| header.iter().any(|b| *b != 0))
        else {
            return Ok(None);
        };
        let name = until_nul(&header[..100]);
        let is_ustar = &header[257..262] == b"ustar";
        let prefix = if is_ustar {
            until_nul(&header[345..500])
        } else {
            String::new()
        };
        let name = if prefix.is_empty() || header[156] == b'L' {
            name
        } else {
            format!("{prefix}/{name}")
        };
        let size = until_nul(&header[124..136]);
        let size = usize::from_str_radix(size.trim(), 8).map_err(|_| "the archive is not a tar")?;
        Ok(Some(TarEntry {
            name,
            size,
            kind: header[156],
        }))
    }
}

fn until_nul(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The path that an extended header states: `LENGTH path=VALUE`.
fn pax_path(data: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(data);
    let mut records = text.lines();
    let found = records.find_map(|record| record.split_once(' ')?.1.strip_prefix("path="));
    found.map(str::to_owned)
}

/// A path inside the chart, or why it is refused.
fn inner_path(name: &str) -> Result<SmolStr, String> {
    let name = name.replace('\\', "/");
    if name.starts_with('/') || name.split('/').any(|part| part == "..") {
        return Err("chart illegally references parent directory".to_owned());
    }
    let name = name.strip_prefix("./").unwrap_or(&name);
    let Some((_, path)) = name.split_once('/') else {
        return Err("chart illegally contains content outside the base directory".to_owned());
    };
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || is_drive || path.is_empty() {
        return Err("chart contains illegally named files".to_owned());
    }
    Ok(path.into())
}
