//! The version of what a component runs itself, by its workloads and by the custom resources of operators.

use smol_str::SmolStr;

use crate::facts::{RunVersion, Statement};

/// Whether custom resources that run an application count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    Count,
    /// They stand beside what the component is about.
    Ignored,
}

/// How much an object says about what a component is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// It runs now and then, beside something else.
    Task,
    Operand,
    Workload,
}

struct Run<'s> {
    weight: Weight,
    kind: String,
    object: &'s str,
    version: &'s RunVersion,
}

/// The version of what has one of these names, else of all that runs; none if that is not one.
pub fn version(names: &[&str], statements: &[&Statement], operands: Operands) -> Option<SmolStr> {
    let mut runs: Vec<Run<'_>> = statements.iter().filter_map(|one| run(one)).collect();
    if operands == Operands::Ignored {
        runs.retain(|run| run.weight == Weight::Workload);
    }
    let lasts = |run: &Run<'_>| run.weight != Weight::Task;
    if runs.iter().any(lasts) {
        runs.retain(lasts);
    }
    let runs: Vec<&Run<'_>> = runs.iter().collect();
    let called = |is_it: &dyn Fn(&str, &str) -> bool| -> Vec<&Run<'_>> {
        let fits = |run: &&&Run<'_>| {
            let own = [run.object, &run.version.application, &run.kind];
            names
                .iter()
                .any(|name| own.iter().any(|own| is_it(name, own)))
        };
        runs.iter().filter(fits).copied().collect()
    };
    let some = [
        called(&|name, own| name.eq_ignore_ascii_case(own)),
        called(&|name, own| is_part(name, own) || is_part(own, name)),
    ];
    if let Some(found) = some.iter().find(|some| !some.is_empty()) {
        return only(found);
    }
    if operands == Operands::Ignored {
        return None;
    }
    only(&runs).or_else(|| {
        let workloads = runs.iter().filter(|run| run.weight == Weight::Workload);
        only(&workloads.copied().collect::<Vec<_>>())
    })
}

fn run(statement: &Statement) -> Option<Run<'_>> {
    let version = statement.runs.version.as_deref()?;
    let kind = statement.id.kind.as_str();
    let weight = match kind {
        "Job" | "CronJob" => Weight::Task,
        _ if statement.runs.workload.is_some() => Weight::Workload,
        _ => Weight::Operand,
    };
    Some(Run {
        weight,
        kind: if weight == Weight::Operand {
            kind.to_ascii_lowercase()
        } else {
            String::new()
        },
        object: &statement.id.name,
        version,
    })
}

/// The version of some, if they agree.
fn only(runs: &[&Run<'_>]) -> Option<SmolStr> {
    let first = &runs.first()?.version.version;
    let agrees = runs.iter().all(|run| run.version.version == *first);
    agrees.then(|| first.clone())
}

/// Whether a name has another one as some of its words: `synology-csi-node` has `synology-csi`.
fn is_part(name: &str, part: &str) -> bool {
    // Shorter ones are no names.
    part.len() > 2
        && name.match_indices(part).any(|(at, _)| {
            let before = name[..at].chars().next_back();
            let after = name[at + part.len()..].chars().next();
            let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
            is_end(before) && is_end(after)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources;
    use base::FileId;

    fn of(name: &str, objects: &[&str], operands: Operands) -> Option<String> {
        let statements: Vec<Statement> = objects
            .iter()
            .map(|text| {
                let root = yaml::parse(text, FileId(0)).documents.remove(0).root;
                sources::describe(&crate::facts::Resource::new(root).unwrap())
            })
            .collect();
        let all: Vec<&Statement> = statements.iter().collect();
        version(&[name], &all, operands).map(String::from)
    }

    fn deployment(name: &str, containers: &str) -> String {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: a}}\n\
             spec: {{template: {{spec: {{containers: [{containers}]}}}}}}\n"
        )
    }

    const DATABASE: &str = "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: db, namespace: a}\n\
                            spec: {imageName: 'ghcr.io/cloudnative-pg/postgresql:17.6'}\n";

    #[test]
    fn what_is_called_like_the_component_counts() {
        let shop = deployment(
            "shop",
            "{name: shop, image: 'acme/shop:1.2'}, {name: proxy, image: 'nginx:1'}",
        );
        let cache = deployment("cache", "{name: cache, image: 'redis:8'}");
        let version = |objects: &[&str]| of("shop", objects, Operands::Count);
        assert_eq!(version(&[&shop, &cache, DATABASE]).as_deref(), Some("1.2"));
        assert_eq!(version(&[&cache, DATABASE]).as_deref(), Some("8"));
        assert_eq!(version(&[DATABASE]).as_deref(), Some("17.6"));
        let other = deployment("web", "{name: web, image: 'acme/web:3'}");
        assert_eq!(version(&[&cache, &other]), None);
    }

    #[test]
    fn beside_a_release_only_what_has_its_name_counts() {
        let version = |objects: &[&str]| of("shop", objects, Operands::Ignored);
        let web = deployment("shop-web", "{name: web, image: 'acme/web:3'}");
        assert_eq!(version(&[&web, DATABASE]).as_deref(), Some("3"));
        assert_eq!(version(&[DATABASE]), None);
    }
}
