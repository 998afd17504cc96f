//! Places of secrets that only their look gives away.

use super::super::secrets::FORMATS;
use super::{Garden, application, application_set, config_map, deployment, release, yaml};

impl Garden {
    pub(super) fn plant_by_look(&mut self) {
        let entries = self.tokens("values of a release", &|i, t| {
            format!("    a{i}: {}\n", yaml(t))
        });
        self.app("values", release("values", &entries));
        let entries = self.tokens("a list in values", &|_, t| format!("    - {}\n", yaml(t)));
        self.app(
            "lists",
            release(
                "lists",
                &format!("    items:\n{}", entries.replace("    - ", "      - ")),
            ),
        );
        let entries = self.tokens("a text in values", &|i, t| {
            format!("      a{i} is {t} here\n")
        });
        self.app(
            "texts",
            release("texts", &format!("    notes: |\n{entries}")),
        );
        let entries = self.tokens("data of a ConfigMap", &|i, t| {
            format!("  a{i}: {}\n", yaml(t))
        });
        self.app("maps", config_map("maps", &entries));
        let entries = self.tokens("a file in a ConfigMap", &|i, t| {
            format!("    a{i}: {}\n", yaml(t))
        });
        self.app(
            "files",
            config_map("files", &format!("  app.yaml: |\n{entries}")),
        );
        let entries = self.tokens("JSON in a ConfigMap", &|i, t| {
            format!("\"a{i}\": \"{t}\", ")
        });
        self.app(
            "documents",
            config_map(
                "documents",
                &format!("  app.json: |\n    {{{entries} \"z\": 1}}\n"),
            ),
        );
        let entries = self.tokens("env", &|i, t| {
            format!("        - {{name: A{i}, value: {}}}\n", yaml(t))
        });
        self.app(
            "env",
            deployment("env", &format!("        env:\n{entries}")),
        );
        let entries = self.tokens("args", &|i, t| {
            format!("        - {}\n", yaml(&format!("--a{i}={t}")))
        });
        self.app(
            "args",
            deployment("args", &format!("        args:\n{entries}")),
        );
        let entries = self.tokens("annotations", &|i, t| {
            format!("    example.com/a{i}: {}\n", yaml(t))
        });
        self.app("notes", format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\n  namespace: notes\n  annotations:\n{entries}data: {{a: b}}\n"));
        let entries = self.tokens("comments", &|i, t| {
            format!("  # {t}\n  a{i}: b\n  a{i}: c # {t}\n")
        });
        self.app("comments", config_map("comments", &entries));
        let entries = self.tokens("keys", &|_, t| format!("    {}: x\n", yaml(t)));
        self.app("keys", release("keys", &entries));

        let entries = self.tokens("variables", &|i, t| format!("      a{i}: {}\n", yaml(t)));
        self.unit(
            "variables",
            &format!("  postBuild:\n    substitute:\n{entries}"),
        );
        let used: String = (0..FORMATS.len())
            .map(|i| format!("  a{i}: ${{a{i}}}\n"))
            .collect();
        self.write("apps/variables/map.yaml", config_map("variables", &used));

        let entries = self.tokens("parameters of an Application", &|i, t| {
            format!("      - {{name: a{i}, value: {}}}\n", yaml(t))
        });
        self.app(
            "parameters",
            application("parameters", &format!("      parameters:\n{entries}")),
        );
        let entries = self.tokens("values of an Application", &|i, t| {
            format!("        a{i}: {}\n", yaml(t))
        });
        self.app(
            "embedded",
            application("embedded", &format!("      values: |\n{entries}")),
        );
        let entries = self.tokens("valuesObject", &|i, t| {
            format!("        a{i}: {}\n", yaml(t))
        });
        self.app(
            "objects",
            application("objects", &format!("      valuesObject:\n{entries}")),
        );
        let entries = self.tokens("an ApplicationSet", &|i, t| {
            format!("        a{i}: {}\n", yaml(t))
        });
        let used: String = (0..FORMATS.len())
            .map(|i| format!("          - {{name: b{i}, value: 'x{{{{.a{i}}}}}y'}}\n"))
            .collect();
        self.app("sets", application_set("sets", &entries, &used));

        let entries = self.tokens("a generator of ConfigMaps", &|i, t| {
            format!("  - {}\n", yaml(&format!("a{i}={t}")))
        });
        self.unit("literals", "");
        self.write("apps/literals/kustomization.yaml", format!("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nconfigMapGenerator:\n- name: literals\n  envs: [given.env]\n  literals:\n{entries}"));
        let entries = self.tokens("an env file", &|i, t| format!("A{i}={t}\n"));
        self.write("apps/literals/given.env", entries);

        let entries = self.tokens("a patch", &|i, t| {
            format!("    - {{op: add, path: /data/a{i}, value: {}}}\n", yaml(t))
        });
        self.unit("patches", "");
        self.write("apps/patches/kustomization.yaml", format!("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [map.yaml]\npatches:\n- target: {{kind: ConfigMap}}\n  patch: |\n{entries}"));
        self.write("apps/patches/map.yaml", config_map("patches", "  a: b\n"));

        let entries = self.tokens("values of a chart", &|i, t| format!("a{i}: {}\n", yaml(t)));
        self.app("chart", "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: chart, namespace: chart}\nspec:\n  chart: {spec: {chart: ./charts/own, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}\n".into());
        self.write(
            "charts/own/Chart.yaml",
            "apiVersion: v2\nname: own\nversion: 1.0.0\n".into(),
        );
        self.write("charts/own/values.yaml", entries);

        let entries = self.tokens("Terraform", &|i, t| format!("  a{i} = {t:?}\n"));
        let used: String = (0..FORMATS.len())
            .map(|i| format!("    a{i} = local.a{i}\n"))
            .collect();
        self.write("infra/main.tf", format!("locals {{\n{entries}}}\nresource \"helm_release\" \"tf\" {{\n  name = \"tf\"\n  chart = \"tf\"\n  version = \"1.0.0\"\n  repository = \"https://charts.example.com\"\n  values = [yamlencode({{\n{used}  }})]\n}}\n"));
        let entries = self.tokens("Pulumi", &|i, t| format!("    a{i}: {t:?},\n"));
        self.write("lab/Pulumi.yaml", "name: lab\nruntime: nodejs\n".into());
        let config = self.tokens("configuration of Pulumi", &|i, t| {
            format!("  lab:a{i}: {}\n", yaml(t))
        });
        self.write("lab/Pulumi.dev.yaml", format!("config:\n{config}"));
        self.write("lab/index.ts", format!("import * as k8s from \"@pulumi/kubernetes\";\nnew k8s.helm.v3.Release(\"ts\", {{ chart: \"ts\", version: \"1.0.0\", values: {{\n{entries}}} }});\n"));

        let entries = self.tokens("a broken file", &|i, t| {
            format!("a{i}: {}\na{i}: [{t}\n", yaml(t))
        });
        self.write("apps/values/broken.yaml", entries);
        let entries = self.tokens("prose", &|i, t| format!("- a{i} is `{t}`, not {t} or <{t}>\n\n```sh\nrun {t}\n```\n\n[a{i}](https://example.com/?x={t})\n\n"));
        self.write("apps/values/README.md", format!("# Values\n\n{entries}"));
        let entries = self.tokens("a runbook", &|_, t| {
            format!("```sh\nkubectl annotate pod x a={t}\n```\n\n")
        });
        self.write(
            "docs/runbooks/values.md",
            format!("# Values is down\n\n## Diagnosis\n\n{entries}"),
        );
        let entries = self.tokens("a decision", &|_, t| format!("We use {t}.\n\n"));
        self.write(
            "docs/adr/0001-use-values.md",
            format!("# 1. Use values\n\nStatus: accepted\n\n## Decision\n\n{entries}"),
        );
        let entries = self.tokens("a spec", &|_, t| {
            format!("- [ ] `apps/values/values.yaml` has {t}\n")
        });
        self.write(
            ".sdd/specification/spec-0001.md",
            format!("# Spec 0001: Values\n\n## Requirements\n\n{entries}"),
        );
        self.subject = self.tokens("a commit", &|_, t| format!("{t} "));
    }
}
