//! Programs in the document: like clusters, with the environment that each unit is run for.

use schemars::JsonSchema;
use serde::Serialize;

use super::{UnitDoc, Whole};

/// A program that people or CI run: a Terraform root module or a Pulumi project. It is no cluster. A run for an
/// environment with the name of a cluster is listed there.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramDoc<'a> {
    /// Its own, or its path if several would have the same name.
    pub name: String,
    /// Its directory. If several directories hold one program for one environment each, the directory around them.
    pub root: String,
    /// `environment` is that of the run. It is omitted if the program has only one run.
    pub units: Vec<UnitDoc<'a>>,
}

impl<'a> Whole<'a> {
    pub(super) fn programs(&self) -> Vec<ProgramDoc<'a>> {
        let programs = self.catalog.programs(self.repo).into_iter();
        let programs = programs.map(|program| ProgramDoc {
            name: program.name,
            root: match program.root.as_str() {
                "" => ".".to_owned(),
                root => root.to_owned(),
            },
            units: program
                .units
                .into_iter()
                .map(|(unit, environment)| UnitDoc {
                    environment,
                    ..self.unit(unit)
                })
                .collect(),
        });
        programs.collect()
    }
}
