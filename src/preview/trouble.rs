//! Problems that keep the repo from being shown in its current state. They are displayed over the last good page.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::checks::fix::Fixes;
use crate::export::report::{Paint, Report, text};
use crate::input::config::Config;
use crate::input::repo::Repo;
use crate::pipeline::is_unreadable;
use base::Finding;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    pub title: String,
    pub text: String,
}

/// A file that cannot be parsed as what it should be, with the report about it.
#[derive(Debug, Clone)]
pub struct Unreadable {
    path: String,
    report: String,
}

/// More broken files than this are not shown one by one.
const MOST_UNREADABLE: usize = 50;

impl Trouble {
    /// Nothing can be made.
    pub fn of_all(error: &str) -> Trouble {
        Trouble {
            title: "The catalogue cannot be built".to_owned(),
            text: error.to_owned(),
        }
    }

    /// A page cannot be rendered.
    pub fn of_page(error: &str) -> Trouble {
        Trouble {
            title: "This page cannot be rendered".to_owned(),
            text: error.to_owned(),
        }
    }

    /// Edited files that cannot be read in their current state.
    pub fn of_files(
        unreadable: &[Unreadable],
        root: &Path,
        touched: &BTreeSet<PathBuf>,
    ) -> Option<Trouble> {
        let broken = unreadable.iter();
        let broken = broken.filter(|file| touched.contains(&root.join(&file.path)));
        let (paths, reports): (Vec<&str>, Vec<&str>) = broken
            .map(|file| (file.path.as_str(), file.report.as_str()))
            .unzip();
        let first = *paths.first()?;
        Some(Trouble {
            title: if paths.iter().all(|path| *path == first) {
                format!("{first} cannot be read")
            } else {
                "Some files cannot be read".to_owned()
            },
            text: reports.concat(),
        })
    }
}

/// The files that these findings call unreadable.
pub fn unreadable<'f>(
    repo: &Repo,
    config: &Config,
    findings: impl Iterator<Item = &'f Finding>,
) -> Vec<Unreadable> {
    // Their lines are those of the files, whatever is shown in their place.
    let repo = &repo.as_it_is();
    let broken = findings.filter(|finding| is_unreadable(finding));
    let each = broken.take(MOST_UNREADABLE).map(|finding| {
        let report = Report {
            repo,
            config,
            findings: vec![finding],
            fixes: Fixes::default(),
            allowed: &[],
            unseen: None,
            fail_on: None,
        };
        Unreadable {
            path: repo.path(finding.place.file).as_str().to_owned(),
            report: text(&report, Paint::Plain),
        }
    });
    each.collect()
}
