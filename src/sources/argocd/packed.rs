//! The files of a chart that its templates may read, as far as they are few and small.

use smol_str::SmolStr;

use crate::input::repo::{Repo, RepoPath};
use base::FileId;
use helm::Value;

/// More files than this, or more text in them, is not read for a template.
const MAX_FILES: usize = 200;
const MAX_TEXT: usize = 512 * 1024;

/// Texts by path, and the files that they are in; nothing where there is too much of it.
#[derive(Default)]
pub struct Packed {
    pub texts: Value,
    pub files: Vec<FileId>,
}

/// All files of a chart that Helm does not read itself.
pub fn files(directory: &RepoPath, repo: &Repo) -> Packed {
    let mut packed = Packed::default();
    let mut texts: Vec<(SmolStr, Value)> = Vec::new();
    let mut size = 0;
    for file in repo.below(directory) {
        let path = repo.path(file).as_str();
        let path = path.strip_prefix(directory.as_str()).unwrap_or(path);
        let path = path.trim_start_matches('/');
        if is_helms_own(path) {
            continue;
        }
        // What is no text is none to be put into a manifest.
        let Ok(text) = repo.read_text(file) else {
            continue;
        };
        size += text.len();
        if texts.len() >= MAX_FILES || size > MAX_TEXT {
            return Packed::default();
        }
        texts.push((path.into(), Value::text(&*text)));
        packed.files.push(file);
    }
    packed.texts = Value::map(texts.into_iter());
    packed
}

fn is_helms_own(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or_default();
    matches!(
        path,
        "Chart.yaml" | "Chart.lock" | "values.yaml" | "values.schema.json"
    ) || top != path && matches!(top, "templates" | "charts")
}
