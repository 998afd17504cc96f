//! Archives of charts: what is in them, within limits, and nothing that leaves their directory. Touches no files.
//! The only importer of `flate2` and `tar`.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use flate2::read::GzDecoder;
use tar::{Archive, Builder, EntryType, Header};
use thiserror::Error;

use base::FileId;

/// The largest archive, compressed.
pub const MAX_ARCHIVE_BYTES: u64 = 32 * 1024 * 1024;
/// The most that an archive may hold.
pub const MAX_UNPACKED_BYTES: u64 = 256 * 1024 * 1024;
pub const MAX_FILES: usize = 20_000;
/// Names and headers count as well, so the stream may be longer than its contents.
const MAX_STREAM_BYTES: u64 = MAX_UNPACKED_BYTES + MAX_FILES as u64 * 4 * 1024;
const MAX_PATH: usize = 1024;
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The files of a chart by their path in its directory, such as `templates/deployment.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArchivedChart {
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Why an archive is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ArchiveError {
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    #[error("the archive holds more than {} MiB", MAX_UNPACKED_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("the archive holds more than {MAX_FILES} files")]
    TooMany,
    #[error("`{0}` in the archive points outside its directory")]
    Escapes(String),
    #[error("`{0}` in the archive is a link, which charts must not contain")]
    Link(String),
    #[error("`{0}` in the archive is neither a file nor a directory")]
    Special(String),
    #[error("`{0}` in the archive is not in the directory of the chart")]
    Scattered(String),
    #[error("the archive contains no Chart.yaml")]
    NoChart,
    #[error("Chart.yaml in the archive has no `{0}`")]
    Unnamed(&'static str),
}

/// The files of the chart in an archive: a tar file, compressed or not.
pub fn unpack(bytes: &[u8]) -> Result<ArchivedChart, ArchiveError> {
    if bytes.starts_with(GZIP) {
        read(GzDecoder::new(bytes))
    } else {
        read(Cursor::new(bytes))
    }
}

fn read(stream: impl Read) -> Result<ArchivedChart, ArchiveError> {
    let mut archive = Archive::new(Bounded {
        stream,
        left: MAX_STREAM_BYTES,
    });
    let mut chart = ArchivedChart::default();
    let mut root: Option<String> = None;
    let (mut count, mut total) = (0, 0);
    for entry in archive.entries().map_err(fault)? {
        let mut entry = entry.map_err(fault)?;
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::XGlobalHeader | EntryType::XHeader) {
            continue;
        }
        count += 1;
        if count > MAX_FILES {
            return Err(ArchiveError::TooMany);
        }
        let path = entry.path_bytes();
        let shown = shown(&path);
        let inside = inside(&path).ok_or_else(|| ArchiveError::Escapes(shown.clone()))?;
        match kind {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory => continue,
            EntryType::Symlink | EntryType::Link => return Err(ArchiveError::Link(shown)),
            _ => return Err(ArchiveError::Special(shown)),
        }
        let Some((directory, path)) = inside.split_once('/') else {
            return Err(ArchiveError::Scattered(shown));
        };
        if root.get_or_insert_with(|| directory.to_owned()) != directory {
            return Err(ArchiveError::Scattered(shown));
        }
        let left = MAX_UNPACKED_BYTES - total;
        let mut contents = Vec::new();
        let read = (&mut entry).take(left + 1).read_to_end(&mut contents);
        total += read.map_err(fault)? as u64;
        if total > MAX_UNPACKED_BYTES {
            return Err(ArchiveError::TooLarge);
        }
        chart.files.insert(path.to_owned(), contents);
    }
    Ok(chart)
}

/// An archive of these files. The same files always give the same bytes, so it is not compressed.
pub fn pack(directory: &str, files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, ArchiveError> {
    let mut builder = Builder::new(Vec::new());
    for (path, contents) in files {
        let mut header = Header::new_gnu();
        header.set_size(contents.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        let path = format!("{directory}/{path}");
        let added = builder.append_data(&mut header, path, contents.as_slice());
        added.map_err(fault)?;
    }
    builder.into_inner().map_err(fault)
}

impl ArchivedChart {
    /// Name and version, as `Chart.yaml` has them.
    pub fn identity(&self) -> Result<(String, String), ArchiveError> {
        let bytes = self.files.get("Chart.yaml").ok_or(ArchiveError::NoChart)?;
        let text = String::from_utf8_lossy(bytes);
        let parsed = yaml::parse(&text, FileId::NONE);
        let metadata = parsed.documents.first().ok_or(ArchiveError::NoChart)?;
        let value = |key: &'static str| {
            let text = metadata.root.text_at(&[key]);
            let text = text.filter(|text| !text.is_empty() && !text.contains(char::is_control));
            text.map(str::to_owned).ok_or(ArchiveError::Unnamed(key))
        };
        Ok((value("name")?, value("version")?))
    }
}

/// The path without what means nothing; none if it leads out of its directory, or would on some system.
fn inside(path: &[u8]) -> Option<String> {
    let path = std::str::from_utf8(path).ok()?;
    let is_odd = |c: char| c == '\\' || c.is_control();
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || path.len() > MAX_PATH || path.contains(is_odd) || drive {
        return None;
    }
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    (!parts.contains(&"..")).then(|| parts.join("/"))
}

fn shown(path: &[u8]) -> String {
    const LONGEST: usize = 100;
    let text = String::from_utf8_lossy(path);
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .take(LONGEST)
        .collect()
}

fn fault(error: std::io::Error) -> ArchiveError {
    match error
        .get_ref()
        .and_then(|it| it.downcast_ref::<ArchiveError>())
    {
        Some(own) => own.clone(),
        // The reader of archives wraps errors of its stream.
        None if error.to_string().contains(END) => ArchiveError::TooLarge,
        None => ArchiveError::Damaged(shown(error.to_string().as_bytes())),
    }
}

const END: &str = "the archive holds more than it may";

/// A stream that fails where it should end.
struct Bounded<R> {
    stream: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stream.read(to)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(std::io::Error::other(END)),
        }
        Ok(read)
    }
}

/// Decompresses a body of at most `most` bytes.
#[cfg(feature = "network")]
pub fn decompressed(bytes: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(bytes)
        .take(most + 1)
        .read_to_end(&mut plain)?;
    Ok(plain)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// An archive as Helm makes it.
    pub fn chart(name: &str, version: &str) -> Vec<u8> {
        let metadata = format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
        let files = BTreeMap::from([
            ("Chart.yaml".to_owned(), metadata.into_bytes()),
            ("values.yaml".to_owned(), b"replicas: 1\n".to_vec()),
        ]);
        compressed(&pack(name, &files).unwrap())
    }

    pub fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// An archive with one entry under a path that its writer would refuse.
    fn with(path: &str, kind: EntryType, contents: &[u8]) -> Vec<u8> {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(contents.len() as u64);
        header.set_entry_type(kind);
        header.set_mode(0o644);
        if matches!(kind, EntryType::Symlink | EntryType::Link) {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        let mut builder = Builder::new(Vec::new());
        builder.append(&header, contents).unwrap();
        builder.into_inner().unwrap()
    }

    #[test]
    fn a_chart_is_unpacked_and_says_what_it_is() {
        let found = unpack(&chart("web", "1.2.0")).unwrap();
        assert_eq!(found.files.len(), 2);
        assert_eq!(found.identity().unwrap(), ("web".into(), "1.2.0".into()));
        let dotted = with(
            "./web/Chart.yaml",
            EntryType::Regular,
            b"name: web\nversion: 1.0\n",
        );
        let found = unpack(&dotted).unwrap();
        assert_eq!(found.identity().unwrap(), ("web".into(), "1.0".into()));
    }

    #[test]
    fn the_same_files_give_the_same_archive() {
        let files = BTreeMap::from([("a".repeat(300), b"x".to_vec())]);
        let packed = pack("web", &files).unwrap();
        assert_eq!(packed, pack("web", &files).unwrap());
        assert_eq!(unpack(&packed).unwrap().files, files);
    }

    #[test]
    fn what_leaves_the_directory_or_is_no_file_is_refused() {
        let refused = |path, kind| unpack(&with(path, kind, b"")).unwrap_err();
        for path in [
            "../x",
            "web/../../x",
            "/etc/x",
            "C:/x",
            "web\\..\\x",
            "web/..",
            "web/a\u{1b}",
        ] {
            let error = refused(path, EntryType::Regular);
            assert!(matches!(error, ArchiveError::Escapes(_)), "{path}: {error}");
        }
        for kind in [EntryType::Symlink, EntryType::Link] {
            assert!(matches!(refused("web/x", kind), ArchiveError::Link(_)));
        }
        for kind in [EntryType::Char, EntryType::Block, EntryType::Fifo] {
            assert!(matches!(refused("web/x", kind), ArchiveError::Special(_)));
        }
        assert!(matches!(
            refused("Chart.yaml", EntryType::Regular),
            ArchiveError::Scattered(_)
        ));
    }

    #[test]
    fn bombs_are_refused_early() {
        let zeros = vec![0; 300 * 1024 * 1024];
        let bomb = compressed(&with("web/x", EntryType::Regular, &zeros));
        drop(zeros);
        assert!(bomb.len() < 4 * 1024 * 1024);
        assert_eq!(unpack(&bomb), Err(ArchiveError::TooLarge));
        let mut builder = Builder::new(Vec::new());
        for number in 0..=MAX_FILES {
            let mut header = Header::new_gnu();
            header.set_size(0);
            let path = format!("web/{number}");
            builder.append_data(&mut header, path, &[][..]).unwrap();
        }
        let many = builder.into_inner().unwrap();
        assert_eq!(unpack(&many), Err(ArchiveError::TooMany));
    }

    #[test]
    fn a_size_that_is_a_lie_costs_no_memory() {
        let mut archive = with("web/x", EntryType::Regular, b"abc");
        let mut header = Header::from_byte_slice(&archive[..512]).clone();
        header.set_size(u64::MAX / 2);
        header.set_cksum();
        archive[..512].copy_from_slice(header.as_bytes());
        assert!(unpack(&archive).is_err());
        assert!(unpack(b"").unwrap().identity().is_err());
        assert!(unpack(b"not an archive at all").is_err());
        let cut = chart("web", "1");
        assert!(unpack(&cut[..cut.len() / 2]).is_err());
    }
}
