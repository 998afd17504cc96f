//! What is said about programs that make objects.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Warning "program-syntax": "A file of a program cannot be parsed.",
        does: "Names files of Pulumi programs that are not TypeScript or JavaScript, or that nest so deeply that parsing \
               them would be dangerous. Each is named once, at the place of the first mistake.",
        bad: "Whatever the file makes is missing from the catalogue, and Pulumi refuses the program as well.",
        example: "ts" "const chart = new k8s.helm.v3.Chart(\"external-secrets\", {",
        fix: "Mend the mistake; `npx tsc --noEmit` names all of them.",
    },
    rule! {
        Info "program-unfollowed": "A part of a program cannot be followed without running it.",
        does: "Names the places at which a program depends on something that only a run knows: a condition on the answer of \
               a cloud, a loop over a list that comes from elsewhere, a call into a library that makes resources, a file \
               that is not in the repository, functions that change what a chart makes. Each place is named once.",
        bad: "It is not bad: where the message says so, both branches are shown, or one turn of the loop; the rest is \
              missing from the catalogue, and checks that would need it stay silent.",
        example: "ts" "const zones = await aws.getAvailabilityZones();\nzones.names.map((zone) => new aws.ec2.Subnet(`private-${zone}`, {}));",
        fix: "Nothing to do. A list or a switch that stands in the program or in `Pulumi.<stack>.yaml` can be followed.",
    },
    rule! {
        Info "program-unread": "A program is in a language that is not read.",
        does: "Names Pulumi projects whose runtime is not `nodejs`, and all of them where this build has no parser.",
        bad: "It is not bad: the project is in the catalogue with its stacks and their configuration, and nothing of what the \
              program makes is.",
        example: "yaml" "name: platform\nruntime: go",
        fix: "Nothing to do. Where the message says that this build leaves programs out, use one with the feature `pulumi`.",
    },
];
