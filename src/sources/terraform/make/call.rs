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

    pub(super) fn call(
        &mut self,
        scope: ScopeId,
        block: &'m Block,
        instance: &Instance,
        id: &UnitId,
        mut spec: Spec,
        content: &mut Content,
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
            let made = self.content(child, &path, Level::Module);
            let interface = about::interface(self.run, child);
            let secret = |name: &SmolStr| {
                let variable = inner.variables.get(name);
                variable.is_some_and(Block::is_secret)
            };
            let given = given
                .into_iter()
                .map(|(name, value)| {
                    let is_secret = secret(&name);
                    (name, value.with_secrecy(is_secret))
                })
                .collect();
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
            Origin::Elsewhere => return,
            Origin::Outside => sources::outside(&text, place),
            // The module may exist in a path that git ignores.
            Origin::Nowhere(target) if repo.has_unread(&target) => return,
            Origin::Nowhere(target) => sources::missing(&text, &target, place),
            Origin::Here(target) if self.run.is_above(scope, &target) => Finding::error(
                "terraform-module-cycle",
                place,
                format!("`module.{label}` calls a module that leads back to this one, so Terraform refuses \
                         to load it"),
            )
            .help("move what both need into a third module"),
            Origin::Here(_) => Finding::info(
                "terraform-unfollowed",
                place,
                format!("`module.{label}` is skipped: modules are nested too deeply"),
            ),
            Origin::Unsaid => Finding::info(
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
