//! The files of a chart that its templates may read with `.Files`. Reads them through `base::Files`, within limits.

use smol_str::SmolStr;

use base::{FileId, Files, RepoPath};

use crate::Value;

/// Limits on the number of files and on their total size: what Helm can store as a release, and more. Beyond them, nothing
/// is read.
const MAX_FILES: usize = 5_000;
const MAX_TEXT: usize = 16 * 1024 * 1024;

/// Texts by path, and their files; empty if they exceed the limits.
#[derive(Debug, Default)]
pub struct ChartFiles {
    pub texts: Value,
    pub files: Vec<FileId>,
    /// Whether they exceed the limits.
    pub is_too_large: bool,
}

/// All files of a chart that Helm does not read itself.
pub fn chart_files(directory: &RepoPath, files: &dyn Files) -> ChartFiles {
    let mut found = ChartFiles::default();
    let mut texts: Vec<(SmolStr, Value)> = Vec::new();
    let mut size = 0;
    for file in files.below(directory) {
        let path = files.path(file).as_str();
        let path = path.strip_prefix(directory.as_str()).unwrap_or(path);
        let path = path.trim_start_matches('/');
        if is_helms_own(path) {
            continue;
        }
        // Binary files cannot be put into a manifest.
        let Ok(text) = files.read_text(file) else {
            continue;
        };
        size += text.len();
        if texts.len() >= MAX_FILES || size > MAX_TEXT {
            return ChartFiles {
                is_too_large: true,
                ..ChartFiles::default()
            };
        }
        texts.push((path.into(), Value::text(&*text)));
        found.files.push(file);
    }
    found.texts = Value::map(texts.into_iter());
    found
}

fn is_helms_own(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or_default();
    matches!(
        path,
        "Chart.yaml" | "Chart.lock" | "values.yaml" | "values.schema.json"
    ) || top != path && matches!(top, "templates" | "charts")
}
