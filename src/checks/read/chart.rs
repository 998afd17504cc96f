//! Rules about Helm charts and their values.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "chart-render-failed": "Helm cannot render a chart with the values of its release.",
        does: "Checks whether the templates of a chart can be rendered with the values that its release is given. Charts are read from the repository, or from where `catalog fetch` stored them.",
        bad: "The release cannot be installed or upgraded: the controller reports the same error, and the last version keeps running. If values come from a Secret or another place that is not in the repository, the finding is only an info.",
        example: "yaml" "kind: HelmRelease\nspec:\n  values:\n    service:\n      port: http        # the template calls `int64 .Values.service.port | add`",
        fix: "Correct the value, or the template if the chart is yours. The message names the template and the line.",
    },
    rule! {
        Error "values-schema": "Values do not have the form that the schema of the chart demands.",
        does: "Checks the values of a release against `values.schema.json` of its chart and of its subcharts.",
        bad: "Helm refuses to install or upgrade the release.",
        example: "yaml" "kind: HelmRelease\nspec:\n  values:\n    replicaCount: \"2\"   # the schema demands an integer",
        fix: "Correct the values that the message names.",
    },
    rule! {
        Warning "values-unknown": "A release sets a value that its chart does not have.",
        does: "Compares the values of a release with what its chart knows: default values, the schema, and every value that a template of the chart or of a subchart reads. Where a chart passes whole maps through, all their keys count as known.",
        bad: "The value has no effect. Often a key is misspelt, or a new version of the chart has renamed it, so that the setting was lost without a sign.",
        example: "yaml" "kind: HelmRelease\nspec:\n  values:\n    persistance:        # the chart reads `persistence`\n      enabled: true",
        fix: "Correct the name, or remove the value.",
    },
    rule! {
        Info "chart-crds-not-upgraded": "Upgrades of a release leave the CRDs of its chart at an old version.",
        does: "Checks HelmReleases whose charts have CRDs in the directory `crds`, and that do not set `upgrade.crds`.",
        bad: "Flux and Helm install these CRDs once. When the chart is upgraded, they stay as they are, and the new version of the operator may need fields that they do not have.",
        example: "yaml" "kind: HelmRelease\nspec:\n  chart: {spec: {chart: traefik}}   # `crds/` in the chart",
        fix: "Set `upgrade.crds: CreateReplace`, unless another release or a Kustomization upgrades the CRDs.",
    },
];
