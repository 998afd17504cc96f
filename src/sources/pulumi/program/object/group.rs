//! Implicit groups: resources in the same file as a release, and resources named after a workload. Touches nothing.

use super::*;

impl ObjectWriter<'_, '_, '_> {
    /// Groups workloads outside components with the objects that are named after them.
    pub(super) fn find_groups(&mut self) {
        let is_loose = |at: &usize| self.containers[*at].is_none();
        let loose: Vec<usize> = (0..self.resources.len()).filter(is_loose).collect();
        let workloads: Vec<usize> = loose
            .iter()
            .copied()
            .filter(|at| is_workload(&self.resources[*at].class))
            .collect();
        let is_all = workloads.len() == 1 && self.units.is_empty() && self.groups.is_empty();
        if workloads.is_empty() || is_all {
            return;
        }
        let name = |at: usize| {
            let made = &self.resources[at];
            let stated = |key| self.evaluation.text_at(&made.arguments, &["metadata", key]);
            // If the real name is unknown, fall back to the resource name in the program.
            let name = stated("name").unwrap_or_else(|| made.name.clone());
            (stated("namespace").unwrap_or_default(), name)
        };
        let names: Vec<(usize, (SmolStr, SmolStr))> =
            workloads.iter().map(|at| (*at, name(*at))).collect();
        for at in &loose {
            let made = &self.resources[*at];
            let is_of_cluster = match &made.class {
                ResourceClass::Object { kind, .. } => {
                    kind.starts_with("Cluster")
                        || matches!(kind.as_str(), "Namespace" | "CustomResourceDefinition")
                }
                ResourceClass::CustomResource => {
                    let kind = self.evaluation.text_at(&made.arguments, &["kind"]);
                    kind.is_none_or(|kind| kind.starts_with("Cluster"))
                }
                _ => true,
            };
            if is_of_cluster {
                continue;
            }
            let (namespace, own) = name(*at);
            let fits = |(_, (other, workload)): &&(usize, (SmolStr, SmolStr))| {
                let is_same = own == *workload
                    || own
                        .strip_prefix(workload.as_str())
                        .is_some_and(|rest| rest.starts_with('-'));
                *other == namespace && is_same && !workload.is_empty()
            };
            // The longest matching workload name is the most specific.
            let best = names
                .iter()
                .filter(fits)
                .max_by_key(|(_, (_, name))| name.len());
            if let Some((workload, _)) = best {
                self.groups.entry(*workload).or_default().push(*at);
            }
        }
        for (workload, (_, name)) in &names {
            if let ResourceClass::Object { kind, .. } = &self.resources[*workload].class {
                let id = UnitId {
                    kind: kind.clone(),
                    namespace: self.project.name.clone(),
                    name: name.clone(),
                };
                self.name_group(*workload, id);
            }
        }
    }

    /// Two groups of one name and kind are none.
    fn name_group(&mut self, lead: usize, id: UnitId) {
        let is_taken = self.group_ids.values().any(|other| *other == id);
        let Some(members) = self.groups.get(&lead).filter(|_| !is_taken) else {
            self.groups.remove(&lead);
            return;
        };
        for at in members {
            self.containers[*at] = Some(lead);
        }
        self.group_ids.insert(lead, id);
    }

    /// A file with one release, or with one component that is about a release, is about that. The one that the program starts
    /// with is about the program, unless there is nothing else that the program could be about.
    pub(super) fn find_files(&mut self, entry: FileId) {
        let is_about_one = self.is_about_one_release();
        let mut files: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
        for at in 0..self.resources.len() {
            let made = &self.resources[at];
            let file = if self.shared.contains(&made.place.file) {
                made.requested_by
            } else {
                made.place.file
            };
            if self.containers[at].is_none() && (file != entry || is_about_one) {
                files.entry(file).or_default().push(at);
            }
        }
        for members in files.into_values() {
            let releases = members
                .iter()
                .filter(|at| self.resources[**at].class.is_release());
            let releases: Vec<usize> = releases.copied().collect();
            let is_component = |at: &usize| self.resources[*at].class == ResourceClass::Component;
            let components: Vec<usize> = members.iter().copied().filter(is_component).collect();
            if let ([], [component]) = (releases.as_slice(), components.as_slice())
                && self.has_one_release(*component)
            {
                for at in members.iter().filter(|at| *at != component) {
                    self.containers[*at] = Some(*component);
                }
                continue;
            }
            if releases.len() == 1 && members.len() > 1 && components.is_empty() {
                let lead = releases[0];
                let id = UnitId {
                    kind: FILE.into(),
                    namespace: self.project.name.clone(),
                    name: self.units[&lead].name.clone(),
                };
                self.groups.insert(lead, members);
                self.name_group(lead, id);
            }
        }
    }

    /// Whether all of a program is one release and objects that are none of their own.
    fn is_about_one_release(&self) -> bool {
        let is_unit =
            |made: &&Resource| made.class == ResourceClass::Component || made.class.is_release();
        let mut units = self.resources.iter().filter(is_unit);
        let is_release = |made: &Resource| made.class.is_release();
        let has_one = units.next().is_some_and(is_release) && units.next().is_none();
        // Clouds, and files that may hold anything, are more than that.
        let is_more = |made: &Resource| {
            is_workload(&made.class)
                || matches!(
                    made.class,
                    ResourceClass::Other { .. }
                        | ResourceClass::ConfigFile(_)
                        | ResourceClass::ConfigGroup(_)
                        | ResourceClass::Directory(_)
                )
        };
        let spaces = self.resources.iter().filter(
            |made| matches!(&made.class, ResourceClass::Object { kind, .. } if kind == "Namespace"),
        );
        if spaces.count() > 1 {
            return false;
        }
        has_one && !self.resources.iter().any(is_more)
    }

    fn has_one_release(&self, component: usize) -> bool {
        let inside = (0..self.resources.len()).filter(|at| self.containers[*at] == Some(component));
        let releases = inside.filter(|at| self.resources[*at].class.is_release());
        releases.count() == 1
    }
}

/// Whether a class is a workload.
fn is_workload(class: &ResourceClass) -> bool {
    let ResourceClass::Object { kind, .. } = class else {
        return false;
    };
    matches!(
        kind.as_str(),
        "Deployment" | "StatefulSet" | "DaemonSet" | "CronJob"
    )
}

/// Files whose functions others call to make something: where that is made says nothing of what it is for.
pub fn shared_files(made: &[Resource]) -> BTreeSet<FileId> {
    let mut asked: BTreeMap<FileId, BTreeSet<FileId>> = BTreeMap::new();
    for one in made {
        asked
            .entry(one.place.file)
            .or_default()
            .insert(one.requested_by);
    }
    let shared = asked.into_iter().filter(|(_, by)| by.len() > 1);
    shared.map(|(file, _)| file).collect()
}
