//! Style and script under names that change with their content, so that a browser may keep them for good.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::SiteError;
use crate::input::config::Config;
use crate::input::picture;
use crate::input::repo::{Repo, RepoPath};
use crate::knowledge::route::Route;
use crate::knowledge::route::slug;
use crate::site::page::Assets;
use crate::site::theme::Theme;

/// Every page loads the logo.
const MOST_LOGO_BYTES: usize = 512 * 1024;

/// Adds the files of the theme and the logo, and returns their addresses.
pub fn add(
    config: &Config,
    repo: &Repo,
    theme: &Theme,
    (search, graph): (Option<String>, Option<String>),
    files: &mut BTreeMap<Route, Vec<u8>>,
) -> Result<Assets, SiteError> {
    let logo = match &config.logo {
        Some(path) => {
            let bytes = logo(repo, path).ok_or_else(|| SiteError::Logo(path.clone()))?;
            let route = hashed(base::text::last_part(path), &bytes);
            files.insert(route.clone(), bytes);
            Some(route)
        }
        None => None,
    };
    let mut named: BTreeMap<&str, Route> = BTreeMap::new();
    let sheet = theme.style(config.accent);
    let style = hashed("style.css", &sheet);
    files.insert(style.clone(), sheet);
    for (name, bytes) in theme.assets() {
        let route = hashed(name, bytes);
        files.insert(route.clone(), bytes.to_vec());
        named.insert(name, route);
    }
    let graph_data = graph.map(|data| {
        let route = hashed("graph-data.js", data.as_bytes());
        files.insert(route.clone(), data.into_bytes());
        route
    });
    let mut asset = |name: &str| named.remove(name).unwrap_or_else(|| Route::new(name));
    Ok(Assets {
        logo,
        style,
        theme: asset("theme.js"),
        script: asset("script.js"),
        finder: asset("search.js"),
        graph: asset("graph.js"),
        favicon: asset("favicon.svg"),
        search,
        graph_data,
    })
}

fn logo(repo: &Repo, path: &str) -> Option<Vec<u8>> {
    let file = repo.file(&RepoPath::new(path)?)?;
    let bytes = repo.read(file).ok()?;
    let is_fit = bytes.len() <= MOST_LOGO_BYTES && picture::runs_nothing(path, &bytes);
    is_fit.then_some(bytes)
}

/// `assets/style-1a2b3c4d.css`.
pub fn hashed(name: &str, bytes: &[u8]) -> Route {
    let hash = base::text::hex(&Sha256::digest(bytes)[..4]);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "bin"));
    let stem = slug(stem);
    Route::new(format!("assets/{stem}-{hash}.{extension}"))
}
