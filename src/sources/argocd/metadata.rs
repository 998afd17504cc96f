//! What a chart says of itself: its own file, and for charts of the old kind the list beside it of what they are made of.

use std::sync::Arc;

use super::super::around::Around;
use crate::input::repo::RepoPath;
use base::FileId;
use yaml::Node;

const LISTED: &str = "dependencies";

/// The file of the chart in a directory, and what it says.
pub fn of(directory: &RepoPath, around: &Around<'_>) -> Option<(FileId, Arc<Node>)> {
    let repo = around.facts.repo;
    let file = repo.file_in(directory, "Chart.yaml")?;
    let own = around.documents(file).first()?;
    let listed = repo
        .file_in(directory, "requirements.yaml")
        .and_then(|file| around.documents(file).first()?.get(LISTED));
    let whole = listed.map(|listed| {
        let mut whole = Node::clone(own);
        if let Some(map) = whole.as_map_mut() {
            map.set(LISTED, listed.clone());
        }
        Arc::new(whole)
    });
    Some((file, whole.unwrap_or_else(|| own.clone())))
}
