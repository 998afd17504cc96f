//! Style and script under names that change with their content, so that a browser may keep them for good.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::knowledge::route::Route;
use crate::site::page::Assets;
use crate::site::theme::Theme;

/// Adds the files of the theme, and returns their addresses.
pub fn add(
    theme: &Theme,
    search: Option<String>,
    graph: Option<String>,
    files: &mut BTreeMap<Route, Vec<u8>>,
) -> Assets {
    let mut named: BTreeMap<&str, Route> = BTreeMap::new();
    let sheet = theme.style();
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
    Assets {
        style,
        theme: asset("theme.js"),
        script: asset("script.js"),
        finder: asset("search.js"),
        graph: asset("graph.js"),
        favicon: asset("favicon.svg"),
        search,
        graph_data,
    }
}

/// `assets/style-1a2b3c4d.css`.
fn hashed(name: &str, bytes: &[u8]) -> Route {
    let hash = base::text::hex(&Sha256::digest(bytes)[..4]);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "bin"));
    Route::new(format!("assets/{stem}-{hash}.{extension}"))
}
