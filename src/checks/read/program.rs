//! Rules about programs that create objects (Pulumi).

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Warning "program-syntax": "A program file cannot be parsed.",
        does: "Checks for files of Pulumi programs that are not valid TypeScript or JavaScript, or that are nested too \
               deeply to parse safely. Each file is reported once, at the first error.",
        bad: "Everything the file creates is missing from the catalogue, and Pulumi rejects the program as well.",
        example: "ts" "const chart = new k8s.helm.v3.Chart(\"external-secrets\", {",
        fix: "Fix the error. `npx tsc --noEmit` lists all of them.",
    },
    rule! {
        Info "program-unfollowed": "Part of a program cannot be evaluated without running it.",
        does: "Reports places where a program depends on something known only at run time: a condition on a cloud \
               API's response, a loop over external data, a library call that creates resources, a file outside the \
               repository, a function that transforms a chart's output. Each place is reported once.",
        bad: "The program is fine, but the catalogue may be incomplete. Where the message says so, both branches or \
              one iteration are shown. The rest is missing, and checks that need it report nothing.",
        example: "ts" "const zones = await aws.getAvailabilityZones();\nzones.names.map((zone) => new aws.ec2.Subnet(`private-${zone}`, {}));",
        fix: "No action needed. Lists and conditions are evaluated if they are defined in the program or in \
              `Pulumi.<stack>.yaml`.",
    },
    rule! {
        Info "program-unread": "A program is in a language that is not supported.",
        does: "Reports Pulumi projects whose runtime is not `nodejs`. A build of `catalog` without the parser reports \
               all of them.",
        bad: "The program is fine, but the catalogue shows only the project, its stacks and their configuration. The \
              resources the program creates are missing.",
        example: "yaml" "name: platform\nruntime: go",
        fix: "No action needed. If the message says that this build of `catalog` cannot read programs, use a build \
              with the feature `pulumi`.",
    },
];
