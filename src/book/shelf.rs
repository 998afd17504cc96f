//! Which runbooks each component has, and where its alerts send people.

use rayon::prelude::*;

use crate::model::{Catalog, Component};
use crate::prose::{Answer, Prose};
use crate::repo::Repo;
use crate::runbook::{Listed, Own, Shelf};

pub fn shelf(repo: &Repo, catalog: &Catalog, prose: &Prose) -> Shelf {
    let components = catalog.components.par_iter().enumerate();
    Shelf::new(
        components
            .map(|(at, component)| own(repo, prose, at, component))
            .collect(),
    )
}

fn own(repo: &Repo, prose: &Prose, at: usize, component: &Component) -> Own {
    let mut runbooks = Vec::new();
    for part in prose.story(at).of("operations") {
        let below = part.section.iter().flat_map(|section| &section.subsections);
        runbooks.extend(below.map(|sub| Listed {
            title: sub.title.clone(),
            written: Some((part.place.file, sub.line)),
        }));
    }
    runbooks.extend(prose.runbooks(at).map(|document| Listed {
        title: document.title(repo),
        written: Some((document.file, 1)),
    }));
    let answers = component.alerts.iter().map(|alert| {
        prose.answer(alert).map(|answer| match answer {
            Answer::Document(at, _) => repo.path(prose.documents[at].file).to_string(),
            Answer::Elsewhere(address) => address.to_owned(),
        })
    });
    Own {
        runbooks,
        answers: answers.collect(),
    }
}
