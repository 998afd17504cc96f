//! Notes which component of a cluster has what.

use super::*;

impl<'a> ClusterMap<'a> {
    pub(super) fn fill(&mut self) {
        let parts: Vec<_> = self.parts().collect();
        for (component, part) in parts {
            self.of_unit_add(part.unit, component);
            if let Some(release) = part.release {
                self.note(release, component);
                self.running.insert(component);
            }
            let mut declared = None;
            for (at, object) in objects_in(part, self.clusters) {
                let statement = &object.statement;
                let id = &statement.id;
                let (kind, namespace, name) = (&id.kind, &id.namespace, &id.name);
                let key = (at, kind.as_str(), namespace.as_str(), name.as_str());
                match alias(statement) {
                    Some(target) => {
                        self.aliases.insert(key, target);
                    }
                    None => {
                        self.objects.entry(key).or_insert(component);
                    }
                }
                if let Some(service) = statement.supplies.reads_from {
                    self.stores.insert(key, service);
                }
                self.note_running(at, statement, component);
                for target in &statement.provides {
                    // Objects that a unit's declaration provides exist in the cluster to which the unit applies.
                    let at = if statement.unit.is_some() {
                        part.target
                    } else {
                        at
                    };
                    self.add_object(at, target, component);
                }
                if part
                    .release
                    .is_some_and(|release| self.is_declared(release, statement))
                {
                    declared = Some(statement);
                }
            }
            if let Some(release) = part.release {
                self.add_release(release, declared, component);
            }
            self.add_elsewhere(part, component);
        }
        for unit in self.cluster.units.indices() {
            if let Some(release) = self.cluster.wrapped_release(unit) {
                self.of_unit[unit] = self.of_unit[release].clone();
            }
        }
    }

    /// Notes the types of what a unit takes from the repository of a known application: its manifests define what its
    /// chart does.
    fn add_elsewhere(&mut self, part: &'a Placement, component: ComponentIx) {
        let Some(applied) = part
            .unit
            .and_then(|unit| self.cluster.applied_by(Some(unit)))
        else {
            return;
        };
        for base in &applied.bases_elsewhere {
            let Some(name) = repository_name(base) else {
                continue;
            };
            for chart in charts::find(self.config, name, Some(base)) {
                for entry in &chart.groups {
                    let (group, kind) = charts::group_and_kind(entry);
                    let key = (part.target, group, kind.unwrap_or_default());
                    self.apis.add(key, Brings::Perhaps, component);
                }
            }
        }
    }

    /// Notes what an object runs, or makes its operator run.
    fn note_running(&mut self, at: Destination, statement: &'a Statement, component: ComponentIx) {
        if let Some(workload) = &statement.runs.workload {
            self.running.insert(component);
            let mut images = workload.images.iter();
            if images.any(|image| charts::is_proxy(self.config, image_name(&image.value))) {
                self.proxies.insert(component);
            }
        }
        let is = |target: &&Target, wanted: &str| matches!(target, Target::Object { kind, .. } if kind == wanted);
        if statement.provides.iter().any(|one| is(&one, "Service")) {
            self.running.insert(component);
            let secrets = statement.provides.iter().filter(|one| is(one, "Secret"));
            self.credentials.extend(secrets.filter_map(|one| match one {
                Target::Object {
                    namespace, name, ..
                } => Some((at, namespace.as_str(), name.as_str())),
                _ => None,
            }));
        }
    }

    /// Notes who answers at each address: the one that has the route, unless that runs nothing itself.
    pub(super) fn fill_addresses(&mut self) {
        let parts: Vec<_> = self.parts().collect();
        for (component, part) in parts {
            for (at, object) in objects_in(part, self.clusters) {
                for url in &object.statement.reached.urls {
                    let mut backends = url.backends.iter();
                    let behind = backends.find_map(|one| {
                        let target = Target::object(&one.kind, &one.namespace, &one.name);
                        self.find((component, at), &target)
                    });
                    let behind = behind.filter(|_| !self.running.contains(&component));
                    let host = base::uri::host(&url.url);
                    self.addresses
                        .entry((part.target, host))
                        .or_insert(behind.unwrap_or(component));
                }
            }
        }
    }

    /// Notes the objects of no component. What their operators create, those have.
    pub(super) fn fill_ownerless(&mut self) {
        let cluster = self.cluster;
        for (unit, object) in cluster.objects() {
            let id = &object.statement.id;
            let at = cluster.target_of(unit);
            let key = (
                at,
                id.kind.as_str(),
                id.namespace.as_str(),
                id.name.as_str(),
            );
            if object.statement.unit.is_none() && !self.objects.contains_key(&key) {
                self.ownerless.insert(key, &object.statement);
                let api = (at, id.group.as_str(), id.kind.as_str());
                let made = object.statement.provides.iter();
                let made = made.filter(|one| matches!(one, Target::Object { .. }));
                if let Some(operator) = self.apis.only(api) {
                    made.for_each(|target| self.add_object(at, target, operator));
                }
            }
        }
    }

    /// Whether all that the charts of a unit yield is known.
    pub(super) fn yields_all(&self, unit: UnitIx) -> bool {
        let unit = &self.cluster.units[unit];
        let is_expanded = || {
            let mut applied = unit.applied.iter();
            let mut charts = unit.unit.releases().filter_map(|(it, _)| it.chart.as_ref());
            unit.unit.template.is_some()
                && charts.all(|chart| chart.parts.is_empty())
                && applied.any(|it| !it.is_partial && !it.objects.is_empty())
        };
        unit.charts.as_ref().is_some_and(ChartObjects::is_whole) || is_expanded()
    }

    pub(super) fn is_declared(&self, unit: UnitIx, statement: &Statement) -> bool {
        let place = self.cluster.units[unit].unit.place;
        statement.unit.is_some() && statement.place == place
    }
}

/// The name of the repository that a file is fetched from: the second part of its path.
fn repository_name(base: &str) -> Option<&str> {
    let path = base.split_once("://").map_or(base, |(_, path)| path);
    let path = path.split('?').next()?;
    let name = path.split('/').nth(2)?;
    Some(name.trim_end_matches(".git"))
}

/// The last part of an image's name: `oauth2-proxy` of `quay.io/oauth2-proxy/oauth2-proxy:v7.6.0`.
fn image_name(image: &str) -> &str {
    let path = image.split('@').next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default()
}

/// The service that a Service names in place of pods of its own.
fn alias(statement: &Statement) -> Option<&Target> {
    if !statement.id.is("", "Service") {
        return None;
    }
    let mut references = statement.references.iter();
    let named = references.find(|one| one.relation == Relation::Service)?;
    Some(&named.target)
}
