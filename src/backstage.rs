//! `catalog-info.yaml`: the catalogue as entities of Backstage. Says only what the repository says; what Backstage asks
//! for and nobody knows is `unknown`. A function of the book: nothing is read and nothing is kept.

mod name;
mod yaml;

use std::collections::BTreeMap;

use crate::book::Book;
use crate::model::{Component, Status};
use crate::prose::plain;
use name::{Names, slug, tag};
use yaml::Node;

/// All entities, one document each: groups, systems, components, resources.
pub fn entities(book: &Book<'_>) -> String {
    let plan = Plan::new(book);
    let mut text = String::from("# Made by `catalog export --format backstage`.\n");
    let groups = (0..plan.owners.len()).map(|at| plan.group(at));
    let systems = (0..book.layers.len()).filter_map(|at| plan.system(at));
    let components = (0..book.catalog.components.len()).map(|at| plan.component(at));
    for entity in groups.chain(systems).chain(components) {
        yaml::document(&entity, &mut text);
    }
    for at in 0..book.catalog.components.len() {
        for resource in plan.resources(at) {
            yaml::document(&resource, &mut text);
        }
    }
    text
}

/// What each thing is called, so that entities can refer to each other.
struct Plan<'a> {
    book: &'a Book<'a>,
    /// Owners that have something, in the order of the configuration.
    owners: Vec<&'a str>,
    groups: BTreeMap<&'a str, String>,
    /// By position, for layers that somebody named.
    systems: Vec<Option<String>>,
    components: Vec<String>,
    /// By component: kind, name and type of what is certainly a database, a bucket, a queue.
    resources: Vec<Vec<(String, &'static str, String)>>,
    has_production: bool,
}

/// Objects that stand for something which Backstage calls a resource.
const RESOURCES: &[(&str, &str, &str)] = &[
    ("postgresql.cnpg.io", "Cluster", "database"),
    ("acid.zalan.do", "postgresql", "database"),
    (
        "postgres-operator.crunchydata.com",
        "PostgresCluster",
        "database",
    ),
    ("k8s.mariadb.com", "MariaDB", "database"),
    ("mysql.oracle.com", "InnoDBCluster", "database"),
    ("psmdb.percona.com", "PerconaServerMongoDB", "database"),
    (
        "mongodbcommunity.mongodb.com",
        "MongoDBCommunity",
        "database",
    ),
    (
        "clickhouse.altinity.com",
        "ClickHouseInstallation",
        "database",
    ),
    ("elasticsearch.k8s.elastic.co", "Elasticsearch", "database"),
    ("rds.aws.upbound.io", "Instance", "database"),
    ("sql.gcp.upbound.io", "DatabaseInstance", "database"),
    ("objectbucket.io", "ObjectBucketClaim", "bucket"),
    ("s3.aws.upbound.io", "Bucket", "bucket"),
    ("s3.services.k8s.aws", "Bucket", "bucket"),
    ("storage.gcp.upbound.io", "Bucket", "bucket"),
    ("storage.cnrm.cloud.google.com", "StorageBucket", "bucket"),
    ("kafka.strimzi.io", "Kafka", "message-broker"),
    ("kafka.strimzi.io", "KafkaTopic", "topic"),
    ("rabbitmq.com", "RabbitmqCluster", "message-broker"),
];

impl<'a> Plan<'a> {
    fn new(book: &'a Book<'a>) -> Plan<'a> {
        let all = &book.catalog.components;
        let owners = book.config.owners.iter().map(|owner| owner.name.as_str());
        let owners: Vec<&str> = owners
            .filter(|name| all.iter().any(|one| one.owner.as_deref() == Some(name)))
            .collect();
        let mut names = Names::default();
        let groups = owners.iter().map(|owner| (*owner, names.give(owner)));
        let groups = groups.collect();
        let mut names = Names::default();
        let systems = book.layers.iter().map(|layer| {
            let is_named = layer.components.iter().any(|at| all[*at].layer.is_some());
            is_named.then(|| names.give(&layer.title))
        });
        let systems = systems.collect();
        let mut names = Names::default();
        let components = all.iter().map(|one| names.give(&one.id.0)).collect();
        let mut names = Names::default();
        let resources = all.iter().map(|one| resources(one, &mut names)).collect();
        let environments = book.catalog.environments.iter();
        Plan {
            book,
            owners,
            groups,
            systems,
            components,
            resources,
            has_production: environments.map(|one| &*one.name).any(is_production),
        }
    }

    fn group(&self, at: usize) -> Node {
        let name = self.owners[at];
        let mut owners = self.book.config.owners.iter();
        let contact = owners
            .find(|owner| owner.name == name)
            .and_then(|owner| owner.contact.as_deref());
        let (mail, link) = match contact {
            Some(contact) if is_web(contact) => (None, Some(contact)),
            Some(contact) if contact.contains('@') => (Some(contact), None),
            _ => (None, None),
        };
        let links =
            link.map(|url| Node::map([("url", Node::text(url)), ("title", Node::text("Contact"))]));
        entity(
            "Group",
            Node::map([
                ("name", Node::text(&self.groups[name])),
                ("title", Node::text(name)),
                ("links", Node::List(links.into_iter().collect())),
            ]),
            Node::map([
                ("type", Node::text("team")),
                (
                    "profile",
                    Node::map([
                        ("displayName", Node::text(name)),
                        ("email", Node::text(mail.unwrap_or_default())),
                    ]),
                ),
                ("children", Node::EmptyList),
            ]),
        )
    }

    fn system(&self, at: usize) -> Option<Node> {
        let layer = &self.book.layers[at];
        let name = self.systems[at].as_ref()?;
        // A layer belongs to somebody where all of it does.
        let mut owners = layer
            .components
            .iter()
            .map(|at| self.owner(&self.book.catalog.components[*at]));
        let first = owners.next().unwrap_or_else(unknown);
        let owner = match owners.all(|owner| owner == first) {
            true => first,
            false => unknown(),
        };
        let metadata = Node::map([
            ("name", Node::text(name)),
            ("title", Node::text(&layer.title)),
        ]);
        let spec = Node::map([("owner", Node::text(&owner))]);
        Some(entity("System", metadata, spec))
    }

    fn component(&self, at: usize) -> Node {
        let component = &self.book.catalog.components[at];
        let needs = self.book.graph.needs(at).iter();
        let needs = needs.map(|at| Node::text(&format!("component:{}", self.components[*at])));
        let own = self.resources[at].iter();
        let own = own.map(|(name, ..)| Node::text(&format!("resource:{name}")));
        let mut needs: Vec<Node> = needs.chain(own).collect();
        needs.sort();
        needs.dedup();
        entity(
            "Component",
            Node::map([
                ("name", Node::text(&self.components[at])),
                ("title", Node::text(&component.title)),
                ("description", Node::text(&self.description(at))),
                ("annotations", Node::Map(self.annotations(component))),
                ("tags", Node::List(tags(component))),
                ("links", Node::List(self.links(at))),
            ]),
            Node::map([
                ("type", Node::text(kind(component))),
                ("lifecycle", Node::text(self.lifecycle(component))),
                ("owner", Node::text(&self.owner(component))),
                ("system", Node::text(self.system_of(at))),
                ("dependsOn", Node::List(needs)),
            ]),
        )
    }

    fn resources(&self, at: usize) -> impl Iterator<Item = Node> {
        let component = &self.book.catalog.components[at];
        self.resources[at].iter().map(move |(name, kind, title)| {
            entity(
                "Resource",
                Node::map([("name", Node::text(name)), ("title", Node::text(title))]),
                Node::map([
                    ("type", Node::text(kind)),
                    ("owner", Node::text(&self.owner(component))),
                    ("system", Node::text(self.system_of(at))),
                ]),
            )
        })
    }

    fn owner(&self, component: &Component) -> String {
        let owner = component.owner.as_deref();
        let known = owner.and_then(|owner| self.groups.get(owner));
        known.map_or_else(unknown, |name| format!("group:{name}"))
    }

    fn system_of(&self, component: usize) -> &str {
        let layer = self.book.related[component].layer;
        self.systems[layer].as_deref().unwrap_or_default()
    }

    fn description(&self, at: usize) -> String {
        let story = self.book.prose.story(at);
        let summary = story.summary.as_ref();
        summary.map_or_else(String::new, |html| plain(html.as_str()))
    }

    /// Only what is certain: where the manifests are, and in which repository.
    fn annotations(&self, component: &Component) -> Vec<(&'static str, Node)> {
        let book = self.book;
        let (Some(forge), Some(git)) = (&book.forge, book.repo.git()) else {
            return Vec::new();
        };
        let mut annotations = Vec::new();
        if let Some(source) = &component.source {
            let directory = match &git.branch {
                Some(branch) => forge.directory_on(branch, source.as_str()),
                None => forge.directory(source.as_str()),
            };
            let directory = directory.trim_end_matches('/');
            let location = Node::text(&format!("url:{directory}/"));
            annotations.push(("backstage.io/source-location", location));
        }
        let hosts = [
            ("https://github.com/", "github.com/project-slug"),
            ("https://gitlab.com/", "gitlab.com/project-slug"),
        ];
        for (host, annotation) in hosts {
            if forge.address().starts_with(host) {
                annotations.push((annotation, Node::text(forge.name())));
            }
        }
        annotations
    }

    fn links(&self, at: usize) -> Vec<Node> {
        let component = &self.book.catalog.components[at];
        let urls = component.urls.iter().filter(|url| is_web(url));
        let link = |url: &str, title: &str| {
            Node::map([("url", Node::text(url)), ("title", Node::text(title))])
        };
        let mut links: Vec<Node> = urls
            .map(|url| {
                let title = url.split("://").nth(1).unwrap_or(url);
                link(url, title.trim_end_matches('/'))
            })
            .collect();
        if let Some(site) = self.book.config.url.as_deref().filter(|url| is_web(url)) {
            let page = &self.book.routes.components[at];
            links.push(link(&format!("{site}{page}"), "Service catalogue"));
        }
        links
    }

    /// Something is in production where an environment is called so. Without one, nobody can tell.
    fn lifecycle(&self, component: &Component) -> &'static str {
        let mut running = component
            .environments
            .iter()
            .filter(|environment| environment.status == Status::Enabled);
        match component.status {
            Status::Enabled if running.any(|environment| is_production(&environment.name)) => {
                "production"
            }
            Status::Enabled if self.has_production => "experimental",
            Status::Enabled => "unknown",
            other => other.name(),
        }
    }
}

fn entity(kind: &'static str, metadata: Node, spec: Node) -> Node {
    Node::map([
        ("apiVersion", Node::text("backstage.io/v1alpha1")),
        ("kind", Node::text(kind)),
        ("metadata", metadata),
        ("spec", spec),
    ])
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// What it is, as far as its manifests say: a chart may hold anything.
fn kind(component: &Component) -> &'static str {
    let lasts = |kind: &str| matches!(kind, "Deployment" | "StatefulSet" | "DaemonSet");
    let mut workloads = component.workloads.iter();
    match () {
        () if workloads.any(|workload| lasts(&workload.kind)) => "service",
        () if !component.workloads.is_empty() => "job",
        () if component.chart.is_some() => "helm-chart",
        () => "configuration",
    }
}

fn tags(component: &Component) -> Vec<Node> {
    let environments = component.environments.iter().map(|one| tag(&one.name));
    let status = (component.status != Status::Enabled).then(|| tag(component.status.name()));
    let mut tags: Vec<String> = environments.chain(status).flatten().collect();
    tags.sort();
    tags.dedup();
    tags.iter().map(|tag| Node::text(tag)).collect()
}

fn resources(component: &Component, names: &mut Names) -> Vec<(String, &'static str, String)> {
    let mut found: Vec<(&'static str, &str, &str)> = component
        .resources
        .iter()
        .filter_map(|resource| {
            let id = &resource.id;
            let mut known = RESOURCES.iter();
            let known = known.find(|(group, kind, _)| id.group == *group && id.kind == *kind)?;
            Some((known.2, id.kind.as_str(), id.name.as_str()))
        })
        .collect();
    // The same object of several clusters is one.
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .map(|(what, kind, name)| {
            let own = slug(&component.id.0);
            let id = match slug(name) == own {
                true => format!("{own}-{what}"),
                false => format!("{own}-{name}"),
            };
            (names.give(&id), what, format!("{kind} {name}"))
        })
        .collect()
}

/// By the words of its name.
fn is_production(environment: &str) -> bool {
    let mut words = environment.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        ["prod", "production", "prd", "live"]
            .iter()
            .any(|one| word.eq_ignore_ascii_case(one))
    })
}

/// An address that every reader takes for one.
fn is_web(url: &str) -> bool {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
    !host.is_empty() && host.chars().all(is_host) && !rest.contains(|c: char| c.is_whitespace())
}
