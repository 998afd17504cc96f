//! Calls of modules: their instances, what each makes, and why some are not followed.

use super::*;

impl<'m> Making<'_, 'm> {
    pub(super) fn instances_of(
        &mut self,
        scope: ScopeId,
        block: &'m Block,
        label: &str,
    ) -> Vec<Instance> {
        match self.run.instances(scope, block) {
            Instances::One => vec![Instance::default()],
            // The only one of a block that may be switched off is known by its label.
            Instances::Many(mut all) if block.body.get("count").is_some() && all.len() == 1 => {
                all.iter_mut().for_each(|it| it.key = SmolStr::default());
                all
            }
            Instances::Many(all) => all,
            Instances::Unknown => {
                if let Some(each) = block.body.get("for_each").or(block.body.get("count")) {
                    let is_unit = block.kind == "module";
                    let label = if is_unit {
                        format!("module.{label}")
                    } else {
                        format!("{}.{label}", release::TYPE)
                    };
                    self.say(
                        each.place,
                        format!(
                            "the number of instances of `{label}` is not known here; it is shown once"
                        ),
                    );
                }
                vec![Instance::default()]
            }
        }
    }

    /// Whether the instances of a call are one unit: nothing in them is installed or runs under a name of its own.
    fn is_one(&self, scope: ScopeId, block: &Block) -> bool {
        let is_apart = |kind: &str| kind == release::TYPE || kubernetes::may_run(kind);
        block.body.get("for_each").is_some() && !self.run.leads_to(scope, block, &is_apart)
    }

    /// The instances of a call that are units.
    pub(super) fn units_of(
        &mut self,
        scope: ScopeId,
        block: &'m Block,
        label: &str,
    ) -> Vec<Instance> {
        if self.is_one(scope, block) {
            return match self.run.instances(scope, block) {
                Instances::Many(all) if all.is_empty() => all,
                _ => vec![Instance::default()],
            };
        }
        self.instances_of(scope, block, label)
    }

    pub(super) fn call(
        &mut self,
        scope: ScopeId,
        block: &'m Block,
        instance: &Instance,
        id: &UnitId,
        spec: Spec,
        content: &mut ModuleObjects,
    ) -> Node {
        if self.is_one(scope, block)
            && let Instances::Many(all) = self.run.instances(scope, block)
        {
            return self.call_all(scope, block, all, id, spec);
        }
        self.call_one(scope, block, instance, id, spec, content)
    }

    /// One unit for all instances of a call.
    fn call_all(
        &mut self,
        scope: ScopeId,
        block: &'m Block,
        instances: Vec<Instance>,
        id: &UnitId,
        mut spec: Spec,
    ) -> Node {
        let label = block.labels.first().cloned().unwrap_or_default();
        let (place, path) = (block.place, id.qualified());
        spec.mark("whole", place);
        spec.some("source", block.body.text("source").cloned(), place);
        let keys: Vec<&str> = instances.iter().map(|it| it.key.as_str()).collect();
        spec.text("keys", listed::named(&keys), place);
        let mut whole = ModuleObjects::default();
        let mut last = None;
        let mut given = Vec::new();
        for instance in &instances {
            let values = self.run.arguments(scope, &instance.bindings, block);
            let Some(child) = self.run.child(scope, &label, instance) else {
                continue;
            };
            let inner = self.run.module(child);
            given.push(sealed(inner, values));
            // Units inside have the key in their names, because every instance has them.
            let inside = format!("{path}-{}", instance.key);
            let made = self.content(child, &inside, ModuleLevel::Module);
            whole.is_partial |= made.is_partial;
            whole.objects.extend(made.objects);
            if last.is_none() {
                whole.listed.extend(made.listed);
            }
            last = Some(child);
        }
        let mut settings = Vec::new();
        listed::arguments(None, &instances, given, &mut settings);
        let (module, interface) = match last {
            Some(child) => (self.run.module(child), about::interface(self.run, child)),
            None => (self.run.module(scope), Interface::default()),
        };
        self.finish(
            module,
            spec,
            interface,
            settings,
            whole,
            (MODULE, &path, place),
        )
    }

    fn call_one(
        &mut self,
        scope: ScopeId,
        block: &'m Block,
        instance: &Instance,
        id: &UnitId,
        mut spec: Spec,
        content: &mut ModuleObjects,
    ) -> Node {
        let label = block.labels.first().cloned().unwrap_or_default();
        let place = block.place;
        let path = id.qualified();
        spec.mark("whole", place);
        spec.some("source", block.body.text("source").cloned(), place);
        spec.some("version", block.body.text("version").cloned(), place);
        let given = self.run.arguments(scope, &instance.bindings, block);
        if let Some(child) = self.run.child(scope, &label, &key_of(block, instance)) {
            let inner = self.run.module(child);
            let made = self.content(child, &path, ModuleLevel::Module);
            let interface = about::interface(self.run, child);
            let given = sealed(inner, given);
            return self.finish(inner, spec, interface, given, made, (MODULE, &path, place));
        }
        self.unfollowed(scope, block, &label);
        // A module from elsewhere may install anything, but only into clusters that its root module reaches.
        let is_partial = kubernetes::reaches_clusters(self.run.module(self.run.root()));
        content.is_partial |= is_partial;
        spec.node("settings", about::settings(given, place));
        spec.mark("partial", place);
        tree::object(MODULE, &path, spec, place)
    }

    /// Why a module is not here.
    pub(super) fn unfollowed(&mut self, scope: ScopeId, block: &Block, label: &str) {
        let repo = self.context.facts.repo;
        let source = block.body.get("source");
        let place = source.map_or(block.place, |source| source.place);
        let text = block.body.text("source").cloned().unwrap_or_default();
        let finding = match self.run.origin(scope, block) {
            ModuleSource::Elsewhere => return,
            ModuleSource::Outside => sources::outside(&text, place),
            // The module may exist in a path that git ignores.
            ModuleSource::Nowhere(target) if repo.has_unread(&target) => return,
            ModuleSource::Nowhere(target) => sources::missing(&text, &target, place),
            ModuleSource::Here(target) if self.run.is_above(scope, &target) => Finding::error(
                "terraform-module-cycle",
                place,
                format!("`module.{label}` calls a module that leads back to this one, so Terraform refuses \
                         to load it"),
            )
            .help("move what both need into a third module"),
            ModuleSource::Here(_) => Finding::info(
                "terraform-unfollowed",
                place,
                format!("`module.{label}` is skipped: modules are nested too deeply"),
            ),
            ModuleSource::Unsaid => Finding::info(
                "terraform-unfollowed",
                place,
                format!("`module.{label}` is skipped: its source is not a literal string"),
            ),
        };
        if self.said.insert(place) {
            self.findings.push(finding);
        }
    }
}

/// Arguments of a call, those that the module says are secret without their values.
pub(super) fn sealed(inner: &Module, given: Vec<(SmolStr, HclValue)>) -> Vec<(SmolStr, HclValue)> {
    let given = given.into_iter().map(|(name, value)| {
        let variable = inner.variables.get(&name);
        let is_secret = variable.is_some_and(Block::is_secret);
        (name, value.with_secrecy(is_secret))
    });
    given.collect()
}
