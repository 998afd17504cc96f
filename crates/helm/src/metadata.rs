//! The metadata of a chart: `Chart.yaml`, with `requirements.yaml` for apiVersion v1.

use std::sync::Arc;

use base::{FileId, RepoPath};
use yaml::Node;

use crate::ChartSource;

const LISTED: &str = "dependencies";

/// The `Chart.yaml` of a directory, and its content.
pub fn metadata(directory: &RepoPath, source: &dyn ChartSource) -> Option<(FileId, Arc<Node>)> {
    let files = source.files();
    let file = files.file_in(directory, "Chart.yaml")?;
    let own = source.documents(file).first()?;
    let listed = files
        .file_in(directory, "requirements.yaml")
        .and_then(|file| source.documents(file).first()?.get(LISTED));
    let whole = listed.map(|listed| {
        let mut whole = Node::clone(own);
        if let Some(map) = whole.as_map_mut() {
            map.set(LISTED, listed.clone());
        }
        Arc::new(whole)
    });
    Some((file, whole.unwrap_or_else(|| own.clone())))
}
