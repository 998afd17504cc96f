//! Packages that are not in the repo: the resource classes of Pulumi and its providers. Reads files of the repo that a
//! program reads.
mod file;
mod function;

use smol_str::SmolStr;

use super::evaluation::StackReference;
use super::evaluator::Evaluator;
use super::load::ROOT;
use super::method::distinct;
use super::value::*;
use base::Place;
use yaml::{Node, ScalarKind};

/// The class of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceClass {
    /// A Kubernetes object of the type that the class names.
    Object {
        api_version: SmolStr,
        kind: SmolStr,
    },
    /// A Kubernetes object whose type is among its arguments.
    CustomResource,
    Chart(ChartApi),
    Release,
    /// Manifests in files.
    ConfigFile(YamlApi),
    ConfigGroup(YamlApi),
    /// A directory that kustomize builds.
    Directory(YamlApi),
    /// A component resource: a class of the program, or of a package, that groups others.
    Component,
    /// The connection to a cluster or a cloud.
    Provider,
    /// Something that exists already and is read with `get`.
    Existing {
        kind: SmolStr,
    },
    /// The outputs of another stack.
    StackReference,
    /// Any other class of any provider, such as `aws.s3.Bucket`.
    Other {
        kind: SmolStr,
    },
}

/// The version of a class that applies manifests. Pulumi waits for the workloads of the second only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlApi {
    V1,
    V2,
}

/// The version of the class `Chart`. Pulumi waits for the workloads of the second only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartApi {
    V3,
    V4,
}

impl ResourceClass {
    pub(crate) fn is_object(&self) -> bool {
        matches!(
            self,
            ResourceClass::Object { .. } | ResourceClass::CustomResource
        )
    }

    /// Whether it installs a Helm chart.
    pub fn is_release(&self) -> bool {
        matches!(self, ResourceClass::Chart(_) | ResourceClass::Release)
    }

    /// Whether its arguments are secret.
    pub(crate) fn is_secret(&self) -> bool {
        matches!(self, ResourceClass::Object { kind, .. } if kind == "Secret")
    }

    /// Whether it has a `ready` property, which resolves once everything it creates is ready.
    pub(crate) fn has_ready(&self) -> bool {
        matches!(
            self,
            ResourceClass::Chart(ChartApi::V3)
                | ResourceClass::ConfigFile(YamlApi::V1)
                | ResourceClass::ConfigGroup(YamlApi::V1)
                | ResourceClass::Directory(YamlApi::V1)
        )
    }

    /// Whether `transformations` are among its arguments, and not only its options.
    pub(crate) fn takes_transformations(&self) -> bool {
        self.has_ready()
    }

    /// Whether Pulumi waits until it works, so that people use it to wait for something.
    pub fn is_awaited(&self) -> bool {
        let kind = match self {
            ResourceClass::Object { kind, .. }
            | ResourceClass::Existing { kind }
            | ResourceClass::Other { kind } => kind,
            _ => return false,
        };
        matches!(
            kind.as_str(),
            "Deployment"
                | "StatefulSet"
                | "DaemonSet"
                | "Pod"
                | "Job"
                | "Service"
                | "PodList"
                | "ServiceList"
        ) || kind.ends_with(".Command")
            || kind.ends_with("Sleep")
            || kind.starts_with("dynamic")
    }
}

/// The class at a path of a package; `None` if it is not a resource.
pub fn class_of(package: &Package) -> Option<ResourceClass> {
    let path: Vec<&str> = package.path.iter().map(SmolStr::as_str).collect();
    match package.module.as_str() {
        "global" => None,
        "@pulumi/pulumi" => match path.as_slice() {
            ["ComponentResource"] => Some(ResourceClass::Component),
            ["StackReference"] => Some(ResourceClass::StackReference),
            ["dynamic", "Resource"] => Some(ResourceClass::Other {
                kind: "dynamic.Resource".into(),
            }),
            _ => None,
        },
        "@pulumi/kubernetes" => kubernetes(&path),
        module => {
            let name = path.last()?;
            if !name.starts_with(|c: char| c.is_ascii_uppercase()) || !module.contains("pulumi") {
                return None;
            }
            if *name == "Provider" {
                return Some(ResourceClass::Provider);
            }
            let provider = base::text::last_part(module);
            let provider = provider.strip_prefix("pulumi-").unwrap_or(provider);
            Some(ResourceClass::Other {
                kind: smol_str::format_smolstr!("{provider}.{}", path.join(".")),
            })
        }
    }
}

fn kubernetes(path: &[&str]) -> Option<ResourceClass> {
    let other = || {
        let kind = path.last()?;
        let is_class = kind.starts_with(|c: char| c.is_ascii_uppercase());
        is_class.then(|| ResourceClass::Other {
            kind: smol_str::format_smolstr!("kubernetes.{}", path.join(".")),
        })
    };
    let api = if path.contains(&"v2") {
        YamlApi::V2
    } else {
        YamlApi::V1
    };
    Some(match path {
        ["Provider"] => ResourceClass::Provider,
        ["helm", "v2" | "v3", "Chart"] => ResourceClass::Chart(ChartApi::V3),
        ["helm", _, "Chart"] => ResourceClass::Chart(ChartApi::V4),
        ["helm", _, "Release"] => ResourceClass::Release,
        ["yaml", .., "ConfigFile"] => ResourceClass::ConfigFile(api),
        ["yaml", .., "ConfigGroup"] => ResourceClass::ConfigGroup(api),
        ["kustomize", .., "Directory"] => ResourceClass::Directory(api),
        ["apiextensions", "CustomResource"] => ResourceClass::CustomResource,
        [group, version, kind] if kind.starts_with(|c: char| c.is_ascii_uppercase()) => {
            // Neither a patch nor a list is an object of its own.
            if kind.ends_with("Patch") || kind.ends_with("List") {
                return other();
            }
            let api_version = match group_name(group)? {
                "" => SmolStr::from(*version),
                group => smol_str::format_smolstr!("{group}/{version}"),
            };
            ResourceClass::Object {
                api_version,
                kind: (*kind).into(),
            }
        }
        _ => return other(),
    })
}

/// The API group of a module in the package.
fn group_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "core" => "",
        "apps" => "apps",
        "batch" => "batch",
        "autoscaling" => "autoscaling",
        "policy" => "policy",
        "extensions" => "extensions",
        "networking" => "networking.k8s.io",
        "rbac" => "rbac.authorization.k8s.io",
        "storage" => "storage.k8s.io",
        "storagemigration" => "storagemigration.k8s.io",
        "admissionregistration" => "admissionregistration.k8s.io",
        "apiextensions" => "apiextensions.k8s.io",
        "apiregistration" => "apiregistration.k8s.io",
        "auditregistration" => "auditregistration.k8s.io",
        "certificates" => "certificates.k8s.io",
        "coordination" => "coordination.k8s.io",
        "discovery" => "discovery.k8s.io",
        "events" => "events.k8s.io",
        "node" => "node.k8s.io",
        "scheduling" => "scheduling.k8s.io",
        "settings" => "settings.k8s.io",
        "flowcontrol" => "flowcontrol.apiserver.k8s.io",
        "resource" => "resource.k8s.io",
        _ => return None,
    })
}

/// The class of a token such as `kubernetes:apps/v1:Deployment`, which generated code uses.
fn class_of_token(token: &str) -> ResourceClass {
    let parts: Vec<&str> = token.split(':').collect();
    match parts.as_slice() {
        ["kubernetes", api_version, kind] => ResourceClass::Object {
            api_version: api_version.trim_start_matches("core/").into(),
            kind: (*kind).into(),
        },
        [provider, module, kind] => {
            let module = module.split('/').next().unwrap_or(module);
            ResourceClass::Other {
                kind: match module {
                    "index" | "" => smol_str::format_smolstr!("{provider}.{kind}"),
                    module => smol_str::format_smolstr!("{provider}.{module}.{kind}"),
                },
            }
        }
        _ => ResourceClass::Other { kind: token.into() },
    }
}

impl Evaluator<'_, '_> {
    /// Evaluates `new`.
    pub fn make(
        &mut self,
        class: ProgramValue,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        match class.kind {
            ValueKind::Class(at) => self.instantiate(at, arguments, place),
            ValueKind::Package(at) => {
                let package = self.heap.packages[at].clone();
                self.make_of(&package, arguments, place)
            }
            ValueKind::Bound(_) => {
                let settled = self.resolve_late(class);
                match settled.kind {
                    ValueKind::Bound(_) => ProgramValue::unknown(place),
                    _ => self.make(settled, arguments, place),
                }
            }
            _ => {
                if arguments
                    .first()
                    .is_some_and(|first| first.text().is_some())
                {
                    self.report(
                        place,
                        "the class of this object cannot be determined; its resources are missing from the \
                         catalogue",
                    );
                }
                let from = arguments.iter().fold(NOTHING, |from, argument| {
                    let inside = self.sources_within(argument);
                    self.heap.join(from, inside)
                });
                self.heap.with(ProgramValue::unknown(place), from)
            }
        }
    }

    fn make_of(
        &mut self,
        package: &Package,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> ProgramValue {
        let path: Vec<&str> = package.path.iter().map(SmolStr::as_str).collect();
        match (package.module.as_str(), path.as_slice()) {
            ("@pulumi/pulumi", ["Config"]) => {
                let name = match arguments.first() {
                    Some(name) if !name.is_nothing() => name.text().cloned(),
                    _ => Some(self.project.name.clone()),
                };
                return match name {
                    Some(name) => ProgramValue::new(ValueKind::Config(name), place),
                    None => ProgramValue::unknown(place),
                };
            }
            ("@pulumi/pulumi", ["asset", _]) => {
                return arguments
                    .into_iter()
                    .next()
                    .unwrap_or_else(|| ProgramValue::undefined(place));
            }
            ("global", ["Set"]) => {
                let items = arguments.first().map(|first| self.iterated(first));
                return match items {
                    Some(Some(items)) => self.heap.array(distinct(items), place),
                    Some(None) => ProgramValue::unknown(place),
                    None => self.heap.array(Vec::new(), place),
                };
            }
            ("global", ["Array"]) => {
                let items = arguments.first().and_then(|first| self.items(first));
                return match items {
                    Some(items) => self.heap.array(items, place),
                    None if arguments.is_empty() => self.heap.array(Vec::new(), place),
                    None => ProgramValue::unknown(place),
                };
            }
            _ => {}
        }
        let Some(class) = class_of(package) else {
            let function = ProgramValue::unknown(place);
            return match package.module.as_str() {
                "global" => function,
                _ => self.call_unknown(&function, arguments, place),
            };
        };
        let made = match class {
            // Its type comes before its name.
            ResourceClass::Component => self.make_parent(package, arguments, place),
            class => self.make_class(class, arguments, place),
        };
        match made {
            Some(at) => ProgramValue::new(ValueKind::Resource(at), place),
            None => ProgramValue::unknown(place),
        }
    }

    fn make_class(
        &mut self,
        class: ResourceClass,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> Option<usize> {
        let mut arguments = arguments.into_iter();
        let name = arguments.next();
        if let (ResourceClass::StackReference, Some(name)) = (&class, &name) {
            self.refer_to_stack(name);
        }
        let given = arguments
            .next()
            .unwrap_or_else(|| ProgramValue::undefined(place));
        self.register(class, name, given, arguments.next(), place)
    }

    /// Records a stack reference. The project is the middle of `organization/project/stack`.
    fn refer_to_stack(&mut self, name: &ProgramValue) {
        let Some(name_text) = self.partial_text(name) else {
            return;
        };
        let parts: Vec<&str> = name_text.split('/').collect();
        if let [.., project, _] = parts.as_slice()
            && !project.contains('…')
        {
            self.stack_references.push(StackReference {
                project: (*project).into(),
                place: name.place,
            });
        }
    }

    /// Creates the resource of a program's class that extends one of a package.
    pub fn make_parent(
        &mut self,
        package: &Package,
        arguments: Vec<ProgramValue>,
        place: Place,
    ) -> Option<usize> {
        let path: Vec<&str> = package.path.iter().map(SmolStr::as_str).collect();
        let is_own = package.module == "@pulumi/pulumi";
        match path.as_slice() {
            ["ComponentResource"] if is_own => {
                let mut arguments = arguments.into_iter().skip(1);
                let name = arguments.next();
                let given = arguments
                    .next()
                    .unwrap_or_else(|| ProgramValue::undefined(place));
                self.register(
                    ResourceClass::Component,
                    name,
                    given,
                    arguments.next(),
                    place,
                )
            }
            ["CustomResource"] if is_own => {
                let token = arguments.first().and_then(|token| token.text().cloned());
                let class = class_of_token(&token.unwrap_or_default());
                self.make_class(class, arguments.into_iter().skip(1).collect(), place)
            }
            ["dynamic", "Resource"] if is_own => {
                let class = class_of(package)?;
                self.make_class(class, arguments.into_iter().skip(1).collect(), place)
            }
            _ => self.make_class(class_of(package)?, arguments, place),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum ListingShape {
    Values,
    Pairs,
}
