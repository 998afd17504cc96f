//! Any series of edits.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;

use super::desk::{Desk, START};

/// What may be done to a repo: a text put at a path, a path removed, a path moved.
#[derive(Debug, Clone)]
enum Edit {
    Put(usize, usize),
    Remove(usize),
    Move(usize, usize),
}

const PATHS: &[&str] = &[
    "clusters/dev/apps.yaml",
    "clusters/dev/facts.yaml",
    "apps/kustomization.yaml",
    "apps/web/kustomization.yaml",
    "apps/web/deployment.yaml",
    "apps/web/settings.env",
    "apps/web/README.md",
    "apps/store/kustomization.yaml",
    "apps/store/deployment.yaml",
    "apps/store/README.md",
    "docs/adr/0001-keep.md",
    "catalog.toml",
    "apps/web",
    "apps/store",
    "apps/new/kustomization.yaml",
    "clusters/prod/apps.yaml",
    "theme/sections/overview.html",
    "theme/static/style.css",
    ".gitignore",
    "README.md",
];

const TEXTS: &[&str] = &[
    "",
    "resources:\n  - web\n  - ../store\n",
    "a: [",
    "# Heading\n\nWords about [web](apps/web/README.md).\n",
    "LEVEL=warn # loud\nHOST=other\n",
    "title = \"Other\"\nignore = [\"docs/\"]\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts, namespace: flux-system}\ndata: {HOST: b}\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: c, image: \"a:${HOST}\"}]}}}\n",
];

fn edits() -> impl Strategy<Value = Vec<Vec<Edit>>> {
    let path = 0..PATHS.len();
    // Most texts are those that the repo began with, so that it keeps being one.
    let text = 0..TEXTS.len() * 2;
    let edit = prop_oneof![
        6 => (path.clone(), text).prop_map(|(path, text)| Edit::Put(path, text)),
        2 => path.clone().prop_map(Edit::Remove),
        1 => (path.clone(), path).prop_map(|(from, to)| Edit::Move(from, to)),
    ];
    prop::collection::vec(prop::collection::vec(edit, 1..4), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_series_of_edits_gives_what_a_clean_build_gives(series in edits()) {
        let mut desk = Desk::new();
        for batch in series {
            let mut changed = BTreeSet::new();
            for edit in batch {
                changed.extend(apply(&desk, &edit));
            }
            let changed: Vec<&str> = changed.into_iter().collect();
            for page in ["components/web.html", "components/store.html"] {
                let _ = desk.update(page, &changed);
            }
            desk.rebuild(&changed);
            desk.compare();
        }
    }
}

/// Does it, and says what a watcher would report.
fn apply(desk: &Desk, edit: &Edit) -> Vec<&'static str> {
    match *edit {
        Edit::Put(path, text) => {
            let own = START.iter().find(|(name, _)| *name == PATHS[path]);
            let text = TEXTS.get(text).copied().or(own.map(|(_, text)| *text));
            let above = PATHS[path].rsplit_once('/').map_or("", |(above, _)| above);
            let was_there = desk.path(above).is_dir();
            desk.put(PATHS[path], text.unwrap_or_default());
            if was_there {
                vec![PATHS[path]]
            } else {
                vec![PATHS[path], top(PATHS[path]), above]
            }
        }
        Edit::Remove(path) => {
            let at = desk.path(PATHS[path]);
            if at.is_dir() {
                fs::remove_dir_all(at).unwrap()
            } else {
                drop(fs::remove_file(at))
            }
            vec![PATHS[path]]
        }
        Edit::Move(from, to) => {
            let (old, new) = (desk.path(PATHS[from]), desk.path(PATHS[to]));
            let moved =
                new.parent().is_some_and(|parent| parent.is_dir()) && fs::rename(old, new).is_ok();
            if moved {
                vec![PATHS[from], PATHS[to]]
            } else {
                Vec::new()
            }
        }
    }
}

/// The first directory of a path, which is the one that comes when none of it was there.
fn top(path: &'static str) -> &'static str {
    path.split_once('/').map_or(path, |(top, _)| top)
}
