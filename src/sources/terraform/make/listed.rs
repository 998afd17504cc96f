//! Calls of modules that put nothing into a cluster. They are no units: the module that calls them lists them with
//! their resources and arguments.

use super::*;

/// Most keys that an entry names.
const MOST_KEYS: usize = 40;

impl<'m> Making<'_, 'm> {
    /// The calls of a module that lead to releases or Kubernetes objects.
    pub(super) fn installing(&self, scope: ScopeId) -> HashSet<SmolStr> {
        let calls = self.run.module(scope).calls.iter();
        let calls = calls.filter(|(_, block)| self.run.leads_to(scope, block, &installs));
        calls.map(|(name, _)| name.clone()).collect()
    }

    /// Lists the other calls of a module, and those of the modules that they call.
    pub(super) fn list(
        &mut self,
        scope: ScopeId,
        installing: &HashSet<SmolStr>,
        prefix: &str,
        content: &mut ModuleObjects,
    ) {
        let module = self.run.module(scope);
        for (label, block) in &module.calls {
            if installing.contains(label) {
                continue;
            }
            if self.left == 0 {
                return self.cut(module, content);
            }
            self.left -= 1;
            let instances = self.instances_of(scope, block, label);
            self.listed(scope, block, instances, prefix, content);
        }
    }

    /// One entry for all instances of a call.
    fn listed(
        &mut self,
        scope: ScopeId,
        block: &'m Block,
        instances: Vec<Instance>,
        prefix: &str,
        content: &mut ModuleObjects,
    ) {
        let label = block.labels.first().cloned().unwrap_or_default();
        let name = format_smolstr!("{prefix}module.{label}");
        let place = block.place;
        let mut spec = Spec::default();
        spec.some("source", block.body.text("source").cloned(), place);
        spec.some("version", block.body.text("version").cloned(), place);
        let is_many = block.body.get("for_each").is_some() || instances.len() > 1;
        let keys: Vec<&str> = instances.iter().map(|it| it.key.as_str()).collect();
        spec.some("keys", is_many.then(|| named(&keys)), place);
        let node = tree::object(MODULE, &name, spec, place);
        self.count(std::slice::from_ref(&node));
        content.objects.push(node);
        let mut given: Vec<Vec<(SmolStr, HclValue)>> = Vec::new();
        let mut is_followed = false;
        for (nth, instance) in instances.iter().enumerate() {
            let values = self.run.arguments(scope, &instance.bindings, block);
            let Some(child) = self.run.child(scope, &label, &key_of(block, instance)) else {
                given.push(values);
                continue;
            };
            is_followed = true;
            let inner = self.run.module(child);
            self.files.extend(&inner.files);
            content.is_partial |= inner.is_partial;
            given.push(call::sealed(inner, values));
            self.listed_resources(child, &name, nth, content);
            if nth == 0 {
                let prefix = format!("{name}.");
                self.list(child, &HashSet::default(), &prefix, content);
            }
        }
        if !is_followed && !instances.is_empty() {
            self.unfollowed(scope, block, &label);
            // A module from elsewhere may install anything, but only into clusters that its root module reaches.
            content.is_partial |= kubernetes::reaches_clusters(self.run.module(self.run.root()));
        }
        arguments(Some(&name), &instances, given, &mut content.listed);
    }

    /// The resources of a listed module. Instances after the first only add what clusters may refer to.
    fn listed_resources(
        &mut self,
        scope: ScopeId,
        prefix: &str,
        nth: usize,
        content: &mut ModuleObjects,
    ) {
        let module = self.run.module(scope);
        for ((kind, label), block) in &module.resources {
            if self.left == 0 {
                return self.cut(module, content);
            }
            if nth > 0 && !is_outside(kind) {
                continue;
            }
            let instances = match self.run.instances(scope, block) {
                // What clusters refer to is found by the name of each instance.
                Instances::Many(all) if is_outside(kind) => all,
                Instances::Many(all) if all.is_empty() => continue,
                _ => vec![Instance::default()],
            };
            for instance in instances {
                self.left = self.left.saturating_sub(1);
                let made = PendingBlock {
                    scope,
                    block,
                    bindings: &instance.bindings,
                    place: block.place,
                };
                let name = format_smolstr!("{prefix}.{label}");
                let node = self.resource(&made, kind, &name);
                self.count(std::slice::from_ref(&node));
                content.objects.push(node);
            }
        }
    }
}

/// The arguments of a call as settings, below the name of the call if that is given. An argument that is the same for
/// all keys is stated once.
pub(super) fn arguments(
    name: Option<&str>,
    instances: &[Instance],
    given: Vec<Vec<(SmolStr, HclValue)>>,
    settings: &mut Vec<(SmolStr, HclValue)>,
) {
    let shown = |value: &HclValue| value.shown().node.map(|node| node.value);
    let (Some(first), rest) = (given.first(), given.get(1..).unwrap_or_default()) else {
        return;
    };
    let is_same = |key: &SmolStr, value: &HclValue| {
        let value = shown(value);
        rest.iter().all(|other| {
            let other = other.iter().find(|(name, _)| name == key);
            other.is_some_and(|(_, other)| shown(other) == value)
        })
    };
    let shared: HashSet<SmolStr> = first
        .iter()
        .filter(|(key, value)| is_same(key, value))
        .map(|(key, _)| key.clone())
        .collect();
    let below = name.map_or_else(String::new, |name| format!("{name}."));
    let name = name.unwrap_or_default();
    for (nth, (instance, values)) in instances.iter().zip(given).enumerate() {
        for (key, value) in values {
            match shared.contains(&key) {
                true if nth == 0 => settings.push((format_smolstr!("{below}{key}"), value)),
                true => {}
                false => {
                    let name = format_smolstr!("{name}[{}].{key}", instance.key);
                    settings.push((name, value));
                }
            }
        }
    }
}

/// Keys in one line.
pub(super) fn named(keys: &[&str]) -> String {
    let known: Vec<&str> = keys.iter().copied().filter(|key| !key.is_empty()).collect();
    let first = known[..known.len().min(MOST_KEYS)].join(", ");
    match (keys.len(), known.len()) {
        (0, _) => "none".to_owned(),
        (_, 0) => "not known here".to_owned(),
        (_, all) if all > MOST_KEYS => format!("{first} and {} more", all - MOST_KEYS),
        _ => first,
    }
}

/// Whether resources of this kind have an address that clusters may use.
fn is_outside(kind: &str) -> bool {
    super::super::OUTSIDE
        .iter()
        .any(|(known, ..)| *known == kind)
}
