//! The parts of a component's page, in order: one file each. A section that has nothing to say is not there.
//! To add one: a file with a function like the others, a line in [`SECTIONS`], and its template in `theme/sections/`.

mod architecture;
mod blast_radius;
mod changes;
pub mod configuration;
mod decisions;
mod dependencies;
mod docs;
mod findings;
mod interface;
mod operations;
mod overview;
mod related;
pub mod settings;

use crate::catalog::{Component, ComponentIx};
use crate::knowledge::pages::{ComponentDocs, DocTopic};
use crate::site::theme::View;
use crate::site::view::{Here, Text};
pub use operations::{alert_anchors, runbook_anchor};

/// A part of every component's page.
pub struct Section {
    /// The name of its template.
    pub kind: &'static str,
    /// The topic of the documentation that belongs in it.
    pub topic: Option<DocTopic>,
    pub title: &'static str,
    pub write: fn(&About<'_>) -> Option<SectionBody>,
}

/// In the order of the page.
pub const SECTIONS: &[Section] = &[
    Section {
        kind: "overview",
        topic: None,
        title: "Overview",
        write: overview::write,
    },
    Section {
        kind: "changes",
        topic: None,
        title: "Recent changes",
        write: changes::write,
    },
    Section {
        kind: "dependencies",
        topic: None,
        title: "Dependencies",
        write: dependencies::write,
    },
    Section {
        kind: "blast_radius",
        topic: None,
        title: "Blast radius",
        write: blast_radius::write,
    },
    Section {
        kind: "purpose",
        topic: Some(DocTopic::Purpose),
        title: "Purpose",
        write: |about| docs::write(about, DocTopic::Purpose),
    },
    Section {
        kind: "features",
        topic: Some(DocTopic::Features),
        title: "Features",
        write: |about| docs::write(about, DocTopic::Features),
    },
    Section {
        kind: "architecture",
        topic: Some(DocTopic::Architecture),
        title: "Architecture",
        write: architecture::write,
    },
    Section {
        kind: "configuration",
        topic: Some(DocTopic::Configuration),
        title: "Configuration",
        write: configuration::write,
    },
    Section {
        kind: "interface",
        topic: None,
        title: "Inputs and outputs",
        write: interface::write,
    },
    Section {
        kind: "operations",
        topic: Some(DocTopic::Operations),
        title: "Operations",
        write: operations::write,
    },
    Section {
        kind: "decisions",
        topic: None,
        title: "Decisions and specs",
        write: decisions::write,
    },
    Section {
        kind: "related",
        topic: None,
        title: "Related",
        write: related::write,
    },
    Section {
        kind: "findings",
        topic: None,
        title: "Findings",
        write: findings::write,
    },
];

/// Addresses that have a button in the head of the page.
pub const MOST_URLS: usize = 3;

/// The component whose page is written.
pub struct About<'a> {
    pub here: Here<'a>,
    pub index: ComponentIx,
    pub component: &'a Component,
    pub docs: ComponentDocs<'a>,
}

/// The content of a section.
pub struct SectionBody {
    pub view: View,
    pub markdown: Text,
    /// Headings inside, by id and title, for the table of contents.
    pub headings: Vec<(String, String)>,
    pub count: Option<usize>,
}

/// A section as a page shows it.
pub struct WrittenSection {
    pub kind: &'static str,
    pub id: String,
    pub title: String,
    pub body: SectionBody,
}

/// The sections of a component's page, with the author's own among them.
pub fn sections(about: &About<'_>) -> Vec<WrittenSection> {
    let mut written = Vec::new();
    for section in SECTIONS {
        if section.topic == Some(DocTopic::Purpose) {
            written.extend(docs::own(about, None));
        }
        if let Some(body) = (section.write)(about) {
            written.push(WrittenSection {
                kind: section.kind,
                id: section.kind.replace('_', "-"),
                title: section.title.to_owned(),
                body,
            });
        }
        if section.topic.is_some() {
            written.extend(docs::own(about, section.topic));
        }
    }
    written
}
