//! Turns a run into objects: units for modules and releases, Kubernetes objects, and all other resources under their
//! own types. Builds the whole run at once, so that nothing is computed twice.

mod call;
mod listed;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::{SmolStr, format_smolstr};

use super::tree::{self, Spec};
use super::wait::{depends_on, forget_absent};
use super::{about, kubernetes, release};
use crate::facts::{Interface, UnitId};
use crate::input::repo::RepoPath;
use crate::sources;
use crate::sources::ReadContext;
use base::hash::HashSet;
use base::{FileId, Finding, Place};
use terraform::{
    Bindings, Block, BlockAddress, HERE, HclValue, Instance, Instances, Module, ModuleRun,
    ModuleSource, ResourceOrder, ScopeId, Wait,
};
use yaml::Node;

/// A run that makes more objects is cut.
const MAX_OBJECTS: usize = 8_000;
/// And of no more values than this in all of them.
const MAX_VALUES: usize = 400_000;

pub const ROOT: &str = "RootModule";
pub const MODULE: &str = "Module";

/// The object of a whole run.
pub struct Made {
    pub unit: Node,
    pub findings: Vec<Finding>,
    pub files: BTreeSet<FileId>,
    pub starts: BTreeSet<RepoPath>,
    /// Whether it has releases or Kubernetes objects.
    pub installs: bool,
}

pub fn make<'m>(run: &mut ModuleRun<'m>, context: &'m ReadContext<'m>, name: &str) -> Made {
    let mut making = Making {
        run,
        context,
        left: MAX_OBJECTS,
        values: 0,
        findings: Vec::new(),
        said: HashSet::default(),
        files: BTreeSet::new(),
        starts: BTreeSet::new(),
    };
    let unit = making.root(name);
    if making.run.is_exhausted() {
        let place = making.run.module(making.run.root()).place();
        making.say(
            place,
            format!(
                "`{name}` takes too long to evaluate; part of it is missing from the catalogue"
            ),
        );
    }
    let root = making.run.root();
    let own = making.run.module(root).resources.keys();
    let installs =
        !making.installing(root).is_empty() || own.into_iter().any(|(kind, _)| installs(kind));
    let mut files = making.files;
    files.extend(making.run.named_files());
    Made {
        unit,
        findings: making.findings,
        files,
        starts: making.starts,
        installs,
    }
}

pub struct Making<'r, 'm> {
    pub run: &'r mut ModuleRun<'m>,
    pub context: &'m ReadContext<'m>,
    left: usize,
    values: usize,
    findings: Vec<Finding>,
    said: HashSet<Place>,
    files: BTreeSet<FileId>,
    starts: BTreeSet<RepoPath>,
}

/// A block on its way to become objects.
pub struct PendingBlock<'b, 'm> {
    pub scope: ScopeId,
    pub block: &'m Block,
    pub bindings: &'b Bindings,
    pub place: Place,
}

/// Objects of a module.
#[derive(Default)]
struct ModuleObjects {
    objects: Vec<Node>,
    /// Arguments of calls that are no units.
    listed: Vec<(SmolStr, HclValue)>,
    is_partial: bool,
}

impl<'m> Making<'_, 'm> {
    fn root(&mut self, name: &str) -> Node {
        let scope = self.run.root();
        let module = self.run.module(scope);
        let content = self.content(scope, name, ModuleLevel::Root);
        let place = module.place();
        let id = UnitId {
            kind: ROOT.into(),
            namespace: SmolStr::default(),
            name: name.into(),
        };
        let mut spec = Spec::default();
        spec.unit(&id, place);
        let interface = about::interface(self.run, scope);
        let own = |object: &Node| !is_unit(object);
        let is_known = content.objects.iter().any(own) || interface != Interface::default();
        spec.mark_if("whole", is_known.then_some(()), place);
        spec.mark("run", place);
        about::about(module, &mut spec, place);
        let given: Vec<(SmolStr, HclValue)> = module
            .variables
            .keys()
            .map(|name| (name.clone(), self.run.variable(scope, name)))
            .collect();
        self.finish(module, spec, interface, given, content, (ROOT, name, place))
    }

    /// Builds the object of a module from the parts that all modules share.
    fn finish(
        &mut self,
        module: &Module,
        mut spec: Spec,
        interface: Interface,
        mut given: Vec<(SmolStr, HclValue)>,
        content: ModuleObjects,
        (kind, name, place): (&str, &str, Place),
    ) -> Node {
        self.files.extend(&module.files);
        given.extend(content.listed);
        let home = module
            .directory
            .as_ref()
            .map(|path| path.as_str().to_owned());
        spec.some("home", home.filter(|path| !path.is_empty()), place);
        spec.mark("followed", place);
        spec.mark_if("partial", content.is_partial.then_some(()), place);
        spec.node("interface", tree::of_interface(&interface, place));
        spec.node("settings", about::settings(given, place));
        spec.nodes("objects", content.objects, place);
        tree::object(kind, name, spec, place)
    }

    fn content(&mut self, scope: ScopeId, path: &str, level: ModuleLevel) -> ModuleObjects {
        let module = self.run.module(scope);
        let mut content = ModuleObjects {
            objects: Vec::new(),
            listed: Vec::new(),
            is_partial: module.is_partial,
        };
        let installing = self.installing(scope);
        let stands_for_unit = |address: &BlockAddress| match address {
            BlockAddress::Call(name) => installing.contains(name),
            BlockAddress::Resource(kind, _) => kind == release::TYPE,
        };
        let waits = terraform::waits(module, &stands_for_unit);
        let owner = path
            .rsplit('/')
            .next()
            .filter(|_| level == ModuleLevel::Module);
        let named = self.units(scope, path, owner, &installing);
        let ids = |wait: &Wait, key: &str| {
            let units = named.get(&wait.on).into_iter().flatten();
            // An instance without a key stands for all of them.
            let is_any = !wait.is_same_key || key.is_empty();
            let is_meant = |it: &Instance| is_any || it.key.is_empty() || it.key == key;
            let meant = units.filter(|(instance, _)| is_meant(instance));
            meant.map(|(_, id)| id.clone()).collect::<Vec<UnitId>>()
        };
        for (address, units) in &named {
            let waits = waits.get(address).map(Vec::as_slice).unwrap_or_default();
            for (instance, id) in units {
                if self.left == 0 {
                    self.cut(module, &mut content);
                    forget_absent(&mut content.objects);
                    return content;
                }
                self.left -= 1;
                let mut spec = Spec::default();
                let waits = depends_on(waits, &instance.key, &ids);
                let node = match address {
                    BlockAddress::Call(name) => {
                        let block = &module.calls[name];
                        spec.unit(id, block.place);
                        spec.nodes("dependsOn", waits, block.place);
                        self.call(scope, block, instance, id, spec, &mut content)
                    }
                    BlockAddress::Resource(kind, name) => {
                        let block = &module.resources[&(kind.clone(), name.clone())];
                        spec.unit(id, block.place);
                        spec.nodes("dependsOn", waits, block.place);
                        spec.mark_if(
                            "whole",
                            (level == ModuleLevel::Root).then_some(()),
                            block.place,
                        );
                        let made = PendingBlock {
                            scope,
                            block,
                            bindings: &instance.bindings,
                            place: block.place,
                        };
                        release::make(self, &made, id, spec)
                    }
                };
                self.count(std::slice::from_ref(&node));
                content.objects.push(node);
            }
        }
        self.resources(scope, &stands_for_unit, &ids, &mut content);
        self.list(scope, &installing, "", &mut content);
        content
    }

    /// Every unit of a module with its identity.
    fn units(
        &mut self,
        scope: ScopeId,
        path: &str,
        owner: Option<&str>,
        installing: &HashSet<SmolStr>,
    ) -> BTreeMap<BlockAddress, Vec<(Instance, UnitId)>> {
        let module = self.run.module(scope);
        let calls = module.calls.iter();
        let calls = calls.filter(|(name, _)| installing.contains(*name));
        let calls = calls.map(|(name, block)| (BlockAddress::Call(name.clone()), name, block));
        let releases = module.resources.iter();
        let releases = releases.filter(|((kind, _), _)| kind == release::TYPE);
        let releases = releases.map(|((kind, name), block)| {
            let address = BlockAddress::Resource(kind.clone(), name.clone());
            (address, name, block)
        });
        let all: Vec<(BlockAddress, &SmolStr, &'m Block)> = calls.chain(releases).collect();
        let mut named = BTreeMap::new();
        let mut taken: HashSet<UnitId> = HashSet::default();
        for (address, label, block) in all {
            let instances = match &address {
                BlockAddress::Call(_) => self.units_of(scope, block, label),
                BlockAddress::Resource(..) => self.instances_of(scope, block, label),
            };
            let units = instances.into_iter().map(|instance| {
                let (kind, stated) = match &address {
                    BlockAddress::Call(_) => (MODULE, None),
                    BlockAddress::Resource(..) => {
                        let name =
                            self.run
                                .attribute(scope, &instance.bindings, &block.body, "name");
                        let name = name.filter(|name| !name.is_secret);
                        (release::TYPE, name.and_then(|name| name.as_text()))
                    }
                };
                // By custom, the one thing that a module is about has a label that says nothing.
                let is_blank = matches!(label.as_str(), "this" | "main" | "default");
                let is_release = matches!(address, BlockAddress::Resource(..));
                let owner = owner.filter(|_| is_blank && is_release);
                let label = owner.map_or_else(|| label.clone(), SmolStr::from);
                let labelled = if instance.key.is_empty() {
                    label
                } else {
                    format_smolstr!("{label}-{}", instance.key)
                };
                let id = |name: SmolStr| UnitId {
                    kind: kind.into(),
                    namespace: path.into(),
                    name,
                };
                // Two releases may have one name, in different namespaces.
                let stated = stated.filter(|name| !name.is_empty()).map(id);
                let unit = stated.filter(|id| !taken.contains(id));
                let unit = unit.unwrap_or_else(|| id(labelled));
                taken.insert(unit.clone());
                (instance, unit)
            });
            let units: Vec<(Instance, UnitId)> = units.collect();
            named.insert(address, units);
        }
        named
    }

    fn resources(
        &mut self,
        scope: ScopeId,
        stands_for_unit: &dyn Fn(&BlockAddress) -> bool,
        ids: &dyn Fn(&Wait, &str) -> Vec<UnitId>,
        content: &mut ModuleObjects,
    ) {
        let module = self.run.module(scope);
        let mut order = ResourceOrder::new(module);
        for ((kind, label), block) in &module.resources {
            if kind == release::TYPE {
                continue;
            }
            let instances = match self.run.instances(scope, block) {
                Instances::Many(all) => all,
                _ => vec![Instance::default()],
            };
            let is_one = block.body.get("count").is_some() && instances.len() == 1;
            let waits = if kubernetes::is_object(kind) {
                order.waits_of((kind, label), block, stands_for_unit)
            } else {
                Vec::new()
            };
            for instance in instances {
                let waits = depends_on(&waits, &instance.key, ids);
                if self.left == 0 {
                    return self.cut(module, content);
                }
                self.left -= 1;
                let made = PendingBlock {
                    scope,
                    block,
                    bindings: &instance.bindings,
                    place: block.place,
                };
                if kind == "flux_bootstrap_git" {
                    let path = self
                        .run
                        .attribute(scope, &instance.bindings, &block.body, "path");
                    let path = path.filter(|path| !path.is_secret);
                    self.starts_at(path.and_then(|path| path.as_text()).as_deref());
                }
                let name = if instance.key.is_empty() || is_one {
                    label.clone()
                } else {
                    format_smolstr!("{label}[{}]", instance.key)
                };
                let objects = match kubernetes::make(self, &made, kind, &waits) {
                    Some(objects) => objects,
                    None => {
                        content.is_partial |= kubernetes::is_object(kind);
                        vec![self.resource(&made, kind, &name)]
                    }
                };
                self.count(&objects);
                content.objects.extend(objects);
            }
        }
    }

    /// A resource of any type, by what identifies it.
    fn resource(&mut self, made: &PendingBlock<'_, 'm>, kind: &str, name: &str) -> Node {
        let mut spec = Spec::default();
        for key in super::DETAILS {
            let value = self
                .run
                .attribute(made.scope, made.bindings, &made.block.body, key);
            let Some(value) = value.filter(|value| !value.is_secret) else {
                continue;
            };
            let shown = value.shown().node;
            if let Some(node) = shown.filter(|node| node.as_scalar().is_some()) {
                spec.node(key, node);
            }
        }
        tree::object(kind, name, spec, made.place)
    }

    /// Counts what objects are made of: many may hold the same large value.
    fn count(&mut self, objects: &[Node]) {
        self.values += objects.iter().map(Node::size).sum::<usize>();
        if self.values > MAX_VALUES {
            self.left = 0;
        }
    }

    fn cut(&mut self, module: &Module, content: &mut ModuleObjects) {
        content.is_partial = true;
        self.say(
            module.place(),
            format!("a run creates more than {MAX_OBJECTS} objects, or more than {MAX_VALUES} values in \
                     them; the rest is skipped"),
        );
    }

    fn say(&mut self, place: Place, message: String) {
        if self.said.insert(place) {
            self.findings
                .push(Finding::info("terraform-unfollowed", place, message));
        }
    }

    /// A directory that a reconciler starts from, as the source knows it that it fetches.
    pub fn starts_at(&mut self, path: Option<&str>) {
        let path = path.map(|path| path.trim_start_matches("./").trim_matches('/'));
        let known = path.filter(|path| !path.is_empty() && !path.contains(HERE));
        self.starts.extend(known.and_then(RepoPath::new));
    }

    pub fn read(&mut self, file: FileId) {
        self.files.insert(file);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModuleLevel {
    Root,
    Module,
}

/// The instance as expressions know it, which may be shown without its key.
fn key_of(block: &Block, instance: &Instance) -> Instance {
    let mut instance = instance.clone();
    if instance.key.is_empty() && block.body.get("count").is_some() {
        instance.key = "0".into();
    }
    instance
}

/// Whether a resource of a kind goes to a Kubernetes cluster.
fn installs(kind: &str) -> bool {
    kind == release::TYPE || kubernetes::is_object(kind)
}

fn is_unit(object: &Node) -> bool {
    object.at(&["spec", "unit"]).is_some()
}

/// Directory of a module, for callers that look for its files.
pub fn home(spec: &Node) -> Option<RepoPath> {
    spec.text_at(&["home"]).and_then(RepoPath::new)
}
