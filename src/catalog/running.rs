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

struct RunningImage<'s> {
    weight: Weight,
    kind: String,
    object: &'s str,
    version: &'s RunVersion,
}

/// Images that others run their own programs on. Their version says nothing of those.
const BASES: [&str; 17] = [
    "alpine",
    "bash",
    "busybox",
    "centos",
    "curl",
    "debian",
    "eclipse-temurin",
    "fedora",
    "golang",
    "node",
    "openjdk",
    "pause",
    "php",
    "python",
    "ruby",
    "ubi-minimal",
    "ubuntu",
];

/// Images of what applications store their data in, and of what stands before them.
const SIDES: [&str; 19] = [
    "clickhouse-server",
    "dragonfly",
    "elasticsearch",
    "etcd",
    "mariadb",
    "memcached",
    "minio",
    "mongo",
    "mongodb",
    "mysql",
    "nginx",
    "oauth2-proxy",
    "pgvector",
    "postgres",
    "postgres-exporter",
    "postgresql",
    "rabbitmq",
    "redis",
    "valkey",
];

/// The version of what bears one of these names, else of the operands if nothing else runs; none if several versions may
/// be meant.
pub fn version(names: &[&str], statements: &[&Statement], operands: Operands) -> Option<SmolStr> {
    let mut runs: Vec<RunningImage<'_>> = statements.iter().filter_map(|one| run(one)).collect();
    if operands == Operands::Ignored {
        runs.retain(|run| run.weight != Weight::Operand);
    }
    let lasts = |run: &RunningImage<'_>| run.weight != Weight::Task;
    if runs.iter().any(lasts) {
        runs.retain(lasts);
    }
    let some = |is_it: &dyn Fn(&str, &RunningImage<'_>) -> bool| -> Vec<&RunningImage<'_>> {
        let bears = |run: &&RunningImage<'_>| names.iter().any(|name| is_it(name, run));
        runs.iter().filter(bears).collect()
    };
    let exact = some(&|name, run| run.words().iter().any(|own| own.eq_ignore_ascii_case(name)));
    if !exact.is_empty() {
        return only(&exact);
    }
    let is_about = |run: &&RunningImage<'_>| {
        let is_one_of = |all: &[&str]| all.contains(&run.version.application.as_str());
        !is_one_of(&BASES) && !is_one_of(&SIDES)
    };
    let related = [
        some(&|name, run| is_related(name, &run.version.application)),
        some(&|name, run| is_related(name, run.object) || is_related(name, &run.kind)),
        some(&|name, run| shares_a_word(name, &run.version.application)),
        some(&|name, run| shares_a_word(name, run.object)),
    ];
    let related = related
        .into_iter()
        .map(|some| some.into_iter().filter(is_about));
    let mut related = related.map(Iterator::collect::<Vec<_>>);
    if let Some(found) = related.find(|some| !some.is_empty()) {
        return only(&found);
    }
    let is_operand = |run: &RunningImage<'_>| run.weight == Weight::Operand;
    let all: Vec<&RunningImage<'_>> = runs.iter().collect();
    if runs.iter().all(is_operand) {
        only(&all)
    } else {
        None
    }
}

/// Whether applications of this name stand beside others, which store their data in them or are reached through them.
pub fn is_side(name: &str) -> bool {
    SIDES.contains(&name)
}

fn run(statement: &Statement) -> Option<RunningImage<'_>> {
    let version = statement.runs.version.as_deref()?;
    let kind = statement.id.kind.as_str();
    let weight = match kind {
        "Job" | "CronJob" => Weight::Task,
        _ if statement.runs.workload.is_some() => Weight::Workload,
        _ => Weight::Operand,
    };
    Some(RunningImage {
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

impl RunningImage<'_> {
    fn words(&self) -> [&str; 3] {
        [self.object, &self.version.application, &self.kind]
    }
}

/// The version of some, if they agree.
fn only(runs: &[&RunningImage<'_>]) -> Option<SmolStr> {
    let first = &runs.first()?.version.version;
    let agrees = runs.iter().all(|run| run.version.version == *first);
    agrees.then(|| first.clone())
}

/// Whether one name is the other one and more.
pub fn is_related(one: &str, other: &str) -> bool {
    is_part(one, other) || is_part(other, one)
}

/// Words that say nothing about what is named.
const EMPTY: [&str; 22] = [
    "and",
    "api",
    "app",
    "application",
    "apps",
    "cluster",
    "config",
    "controller",
    "dev",
    "infra",
    "job",
    "main",
    "my",
    "operator",
    "prod",
    "server",
    "service",
    "staging",
    "system",
    "test",
    "web",
    "worker",
];

fn shares_a_word(one: &str, other: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_ascii_alphanumeric())
    }
    let is_shared = |word: &str| {
        let is_telling = word.len() > 2 && !EMPTY.contains(&word);
        is_telling && words(other).any(|other| other.eq_ignore_ascii_case(word))
    };
    words(one).any(is_shared)
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
                sources::describe(&crate::facts::Resource::new(root).unwrap(), &[])
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
        assert_eq!(version(&[&cache, DATABASE]), None);
        assert_eq!(version(&[DATABASE]).as_deref(), Some("17.6"));
        let other = deployment("shop-web", "{name: web, image: 'acme/web:3'}");
        let store = deployment("shop-db", "{name: db, image: 'postgres:18'}");
        assert_eq!(version(&[&cache, &other, &store]).as_deref(), Some("3"));
        let script = deployment("shop-sync", "{name: sync, image: 'python:3.14'}");
        assert_eq!(version(&[&script]), None);
    }

    #[test]
    fn beside_a_release_only_what_has_its_name_counts() {
        let version = |objects: &[&str]| of("shop", objects, Operands::Ignored);
        let web = deployment("shop-web", "{name: web, image: 'acme/web:3'}");
        assert_eq!(version(&[&web, DATABASE]).as_deref(), Some("3"));
        assert_eq!(version(&[DATABASE]), None);
    }
}
