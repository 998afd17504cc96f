//! Relations: why one thing needs another, in types. The words are made where people read them.

use std::cmp::Ordering;

/// Why one component, unit or object needs another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    FluxDependsOn,
    ResourceSetSteps,
    ArgoCdSyncWave,
    ArgoCdRollingSync,
    PulumiDependsOn,
    PulumiOutput,
    PulumiStackReference,
    TerraformDependsOn,
    TerraformReference,
    HelmfileNeeds,
    /// An order that no line declares: it follows from what other units wait for.
    Implied,
    SecretStore,
    ChartSource,
    FileSource,
    /// It takes all that a ConfigMap holds.
    ConfigMap,
    /// It takes a single entry of a ConfigMap.
    ConfigMapKey,
    Secret,
    CustomResource,
    Service,
    /// Its users sign in through the other one.
    Login,
    Backend,
    Gateway,
    Class,
    /// The other one runs the controller of its custom resources, whose CRDs come from elsewhere.
    Controller,
    Issuer,
    Claim,
    StorageClass,
    /// Its storage class leaves the work to the other one's driver.
    Driver,
    /// The other one makes devices of the nodes available to its pods.
    Device,
    /// It is part of what another custom resource stands for, such as a topic of a message broker.
    Resource,
    /// What the other one runs signs it in with this Secret.
    Credentials,
    /// Requests reach it through the other one, which lets them in or not.
    Proxy,
    /// Values of its chart are there.
    Values,
    Outside,
}

impl Relation {
    /// The relation in words, as tables and exports show it.
    pub fn reason(self) -> &'static str {
        match self {
            Relation::FluxDependsOn => "Flux dependsOn",
            Relation::ResourceSetSteps => "ResourceSet steps",
            Relation::ArgoCdSyncWave => "Argo CD sync wave",
            Relation::ArgoCdRollingSync => "Argo CD rolling sync",
            Relation::PulumiDependsOn => "Pulumi dependsOn",
            Relation::PulumiOutput => "Pulumi output",
            Relation::PulumiStackReference => "Pulumi stack reference",
            Relation::TerraformDependsOn => "Terraform depends_on",
            Relation::TerraformReference => "Terraform reference",
            Relation::HelmfileNeeds => "helmfile needs",
            Relation::Implied => "follows from others",
            Relation::SecretStore => "uses its secret store",
            Relation::ChartSource => "uses its chart source",
            Relation::FileSource => "uses its source",
            Relation::ConfigMap | Relation::ConfigMapKey => "uses its ConfigMap",
            Relation::Secret => "uses its Secret",
            Relation::CustomResource => "needs its CRD",
            Relation::Service => "calls its service",
            Relation::Login => "signs users in through it",
            Relation::Backend => "routes to its service",
            Relation::Gateway => "exposed through its Gateway",
            Relation::Class => "served by its controller",
            Relation::Controller => "reconciled by its controller",
            Relation::Issuer => "gets certificates from its issuer",
            Relation::Claim => "mounts its volume claim",
            Relation::StorageClass => "uses its storage class",
            Relation::Driver => "uses its storage driver",
            Relation::Device => "uses its devices",
            Relation::Resource => "uses its custom resource",
            Relation::Credentials => "uses its credentials",
            Relation::Proxy => "reached through its proxy",
            Relation::Values => "takes values from its ConfigMap",
            Relation::Outside => "uses cloud resources it provisions",
        }
    }

    /// When the dependent needs the other one.
    pub fn kind(self) -> EdgeKind {
        match self {
            Relation::Service
            | Relation::Login
            | Relation::Backend
            | Relation::Claim
            | Relation::StorageClass
            | Relation::Driver
            | Relation::Device
            | Relation::Resource
            | Relation::Credentials
            | Relation::PulumiOutput
            | Relation::PulumiStackReference
            | Relation::TerraformReference
            | Relation::Outside => EdgeKind::Runs,
            Relation::Gateway | Relation::Class | Relation::Proxy => EdgeKind::Exposes,
            Relation::FluxDependsOn
            | Relation::ResourceSetSteps
            | Relation::ArgoCdSyncWave
            | Relation::ArgoCdRollingSync
            | Relation::PulumiDependsOn
            | Relation::TerraformDependsOn
            | Relation::HelmfileNeeds
            | Relation::Implied
            // What is stated there stays when the other one is down.
            | Relation::ConfigMap
            | Relation::ConfigMapKey
            | Relation::Secret
            | Relation::Values
            | Relation::SecretStore
            | Relation::ChartSource
            | Relation::FileSource
            | Relation::CustomResource
            | Relation::Controller
            | Relation::Issuer => EdgeKind::Deploys,
        }
    }

    /// Whether all that comes in one turn is waited for, whoever it is.
    pub fn is_wave(self) -> bool {
        matches!(self, Relation::ArgoCdSyncWave | Relation::ArgoCdRollingSync)
    }

    /// Whether it only says which of two starts first, not that they talk to each other.
    pub fn is_order_only(self) -> bool {
        matches!(self, Relation::FluxDependsOn | Relation::PulumiDependsOn)
    }
}

/// When a component needs another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// While it runs.
    Runs,
    /// To be reached by requests.
    Exposes,
    /// To be installed or reconciled.
    Deploys,
}

impl EdgeKind {
    pub fn name(self) -> &'static str {
        match self {
            EdgeKind::Runs => "runs",
            EdgeKind::Exposes => "exposes",
            EdgeKind::Deploys => "deploys",
        }
    }
}

/// Lists of relations are in the order of the words that people read.
impl Ord for Relation {
    fn cmp(&self, other: &Relation) -> Ordering {
        self.reason().cmp(other.reason())
    }
}

impl PartialOrd for Relation {
    fn partial_cmp(&self, other: &Relation) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_sorted_as_they_read() {
        let mut relations = [
            Relation::SecretStore,
            Relation::CustomResource,
            Relation::ConfigMap,
            Relation::FluxDependsOn,
            Relation::ArgoCdSyncWave,
        ];
        relations.sort();
        assert_eq!(
            relations.map(Relation::reason),
            [
                "Argo CD sync wave",
                "Flux dependsOn",
                "needs its CRD",
                "uses its ConfigMap",
                "uses its secret store",
            ]
        );
    }

    #[test]
    fn a_dependency_that_says_when_something_starts_is_no_conversation() {
        assert!(Relation::FluxDependsOn.is_order_only());
        assert!(!Relation::Service.is_order_only());
        assert!(!Relation::PulumiOutput.is_order_only());
    }
}
