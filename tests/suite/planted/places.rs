//! Where secrets are planted: each place is a file, or a few, with many entries of which each holds one secret.

mod by_look;
mod by_place;

use crate::cli::SYNC;

use super::secrets::{FORMATS, NAMES, SHAPES, token};

pub struct Planted {
    /// Which kind of secret it is, and where it stands.
    pub what: String,
    /// Twelve bytes that are found nowhere but in the secret, in lower case.
    pub needle: [u8; 12],
}

/// A repo full of secrets.
pub struct Garden {
    pub files: Vec<(String, String)>,
    pub secrets: Vec<Planted>,
    /// Texts beside the secrets that are shown.
    pub open: Vec<String>,
    /// What the commit says.
    pub subject: String,
    seed: u64,
}

impl Garden {
    pub fn planted() -> Garden {
        let mut garden = Garden {
            files: Vec::new(),
            secrets: Vec::new(),
            open: Vec::new(),
            subject: String::new(),
            seed: 0,
        };
        garden.write("clusters/dev/flux-system/gotk-sync.yaml", SYNC.into());
        garden.plant_by_look();
        garden.plant_by_name();
        garden.plant_shapes();
        garden.plant_beside_punctuation();
        garden.plant_in_files_of_generators();
        garden.plant_around();
        garden.plant_by_place();
        garden
    }

    fn write(&mut self, path: &str, text: String) {
        self.files.push((path.to_owned(), text));
    }

    /// A token of each format, one entry each: what `entry` makes of a number and the token.
    fn tokens(&mut self, place: &str, entry: &dyn Fn(usize, &str) -> String) -> String {
        self.seed += 1;
        let mut text = String::new();
        for (index, (prefix, ..)) in FORMATS.iter().enumerate() {
            let (token, needle) = token(index, self.seed);
            self.plant(format!("{prefix} in {place}"), needle);
            text.push_str(&entry(index, &token));
        }
        text
    }

    /// A value for each name.
    fn named(&mut self, place: &str, entry: &dyn Fn(usize, &str, &str) -> String) -> String {
        let mut text = String::new();
        for (index, name) in NAMES.iter().enumerate() {
            let value = self.password(&format!("{name} in {place}"));
            text.push_str(&entry(index, name, &value));
        }
        text
    }

    /// A text of each shape.
    fn shapes(&mut self, place: &str, entry: &dyn Fn(usize, &str) -> String) -> String {
        let mut text = String::new();
        for (index, shape) in SHAPES.iter().enumerate() {
            let value = self.password(&format!("{shape:?} in {place}"));
            text.push_str(&entry(index, &shape.replace('¤', &value)));
        }
        text
    }

    fn password(&mut self, what: &str) -> String {
        let value = format!("hunterQ{:04}z", self.secrets.len());
        self.plant(what.to_owned(), value.to_lowercase());
        value
    }

    fn plant(&mut self, what: String, needle: String) {
        let needle = needle.as_bytes().try_into().unwrap();
        self.secrets.push(Planted { what, needle });
    }

    /// A Flux Kustomization that applies a directory.
    fn unit(&mut self, name: &str, more: &str) {
        self.write(
            &format!("clusters/dev/{name}.yaml"),
            format!(
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  interval: 1h\n  path: ./apps/{name}\n  prune: true\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{more}"
            ),
        );
    }

    /// A unit with one file.
    fn app(&mut self, name: &str, text: String) {
        self.unit(name, "");
        self.write(&format!("apps/{name}/{name}.yaml"), text);
        self.open.push(name.to_owned());
    }

    fn plant_by_name(&mut self) {
        let entries = self.named("values of a release", &|_, n, v| format!("    {n}: {v}\n"));
        self.app("named", release("named", &entries));
        let entries = self.named("data of a ConfigMap", &|_, n, v| format!("  {n}: {v}\n"));
        self.app("named-map", config_map("named-map", &entries));
        let entries = self.named("env", &|_, n, v| {
            format!("        - {{name: {n}, value: {v}}}\n")
        });
        self.app(
            "named-env",
            deployment("named-env", &format!("        env:\n{entries}")),
        );
        let entries = self.named("args", &|_, n, v| {
            format!("        - --{n}={v}\n        - --{n}\n        - {v}\n")
        });
        self.app(
            "named-args",
            deployment("named-args", &format!("        args:\n{entries}")),
        );
        let entries = self.named("parameters of an Application", &|_, n, v| {
            format!("      - {{name: auth.{n}, value: {v}}}\n")
        });
        self.app(
            "named-parameters",
            application("named-parameters", &format!("      parameters:\n{entries}")),
        );
        let entries = self.named("values of an Application", &|_, n, v| {
            format!("        {n}: {v}\n")
        });
        self.app(
            "named-embedded",
            application("named-embedded", &format!("      values: |\n{entries}")),
        );
        // What a generator calls innocently is put where it is secret.
        let entries = self.named("an ApplicationSet", &|i, _, v| {
            format!("        a{i}: {v}\n")
        });
        let used: String = NAMES
            .iter()
            .enumerate()
            .map(|(i, n)| format!("          - {{name: 'auth.{n}', value: '{{{{.a{i}}}}}'}}\n"))
            .collect();
        self.app("named-sets", application_set("named-sets", &entries, &used));
        // And the other way about.
        let entries = self.named("parameters of an ApplicationSet", &|_, n, v| {
            format!("        {n}: {v}\n")
        });
        let used: String = NAMES
            .iter()
            .enumerate()
            .map(|(i, n)| format!("          - {{name: b{i}, value: '{{{{index . \"{n}\"}}}}'}}\n"))
            .collect();
        self.app(
            "named-given",
            application_set("named-given", &entries, &used),
        );
        let entries = self.named("an env file", &|_, n, v| format!("{n}={v}\n"));
        self.unit("named-literals", "");
        self.write("apps/named-literals/given.env", entries);
        let entries = self.named("literals", &|_, n, v| format!("  - X_{n}={v}\n"));
        self.write("apps/named-literals/kustomization.yaml", format!("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nconfigMapGenerator:\n- name: named-literals\n  envs: [given.env]\n  literals:\n{entries}"));
        let entries = self.named("variables", &|i, _, v| format!("      n{i}: {v}\n"));
        self.unit(
            "named-variables",
            &format!("  postBuild:\n    substitute:\n{entries}"),
        );
        let used: String = NAMES
            .iter()
            .enumerate()
            .map(|(i, n)| format!("  {n}: ${{n{i}}}\n"))
            .collect();
        self.write(
            "apps/named-variables/map.yaml",
            config_map("named-variables", &used),
        );
        let entries = self.named("Terraform", &|_, n, v| format!("    \"{n}\" = \"{v}\"\n"));
        self.write("infra/named.tf", format!("resource \"helm_release\" \"named_tf\" {{\n  name = \"named-tf\"\n  chart = \"tf\"\n  version = \"1.0.0\"\n  repository = \"https://charts.example.com\"\n  values = [yamlencode({{\n{entries}  }})]\n}}\n"));
        let entries = self.named("Pulumi", &|_, n, v| format!("    \"{n}\": \"{v}\",\n"));
        self.write("lab/named.ts", format!("import * as k8s from \"@pulumi/kubernetes\";\nnew k8s.helm.v3.Release(\"named-ts\", {{ chart: \"ts\", version: \"1.0.0\", values: {{\n{entries}}} }});\n"));
    }

    fn plant_shapes(&mut self) {
        let entries = self.shapes("values of a release", &|i, t| {
            format!("    a{i}: {}\n", yaml(t))
        });
        self.app("shapes", release("shapes", &entries));
        let entries = self.shapes("data of a ConfigMap", &|i, t| {
            format!("  a{i}: {}\n", yaml(t))
        });
        self.app("shapes-map", config_map("shapes-map", &entries));
        let entries = self.shapes("env", &|i, t| {
            format!("        - {{name: A{i}, value: {}}}\n", yaml(t))
        });
        self.app(
            "shapes-env",
            deployment("shapes-env", &format!("        env:\n{entries}")),
        );
        let entries = self.shapes("args", &|_, t| format!("        - {}\n", yaml(t)));
        self.app(
            "shapes-args",
            deployment(
                "shapes-args",
                &format!("        command: [sh, -c]\n        args:\n{entries}"),
            ),
        );
        let entries = self.shapes("parameters of an Application", &|i, t| {
            format!("      - {{name: a{i}, value: {}}}\n", yaml(t))
        });
        self.app(
            "shapes-parameters",
            application(
                "shapes-parameters",
                &format!("      parameters:\n{entries}"),
            ),
        );
        let entries = self.shapes("an ApplicationSet", &|i, t| {
            format!("        a{i}: {}\n", yaml(t))
        });
        let used: String = (0..SHAPES.len())
            .map(|i| format!("          - {{name: b{i}, value: '{{{{.a{i}}}}}'}}\n"))
            .collect();
        self.app(
            "shapes-sets",
            application_set("shapes-sets", &entries, &used),
        );
        let words = ["curl", "-u", "app:¤", "https://api.example.com"];
        self.words("curl", &words);
        self.words("mysql", &["mysql", "-uroot", "-p¤"]);
        self.words("redis", &["redis-server", "--requirepass", "¤"]);
        self.words(
            "flags",
            &["--password", "¤", "--db-token", "¤", "--x=--password=¤"],
        );
    }

    fn words(&mut self, name: &str, words: &[&str]) {
        let value = self.password(&format!("{words:?}"));
        let items: String = words
            .iter()
            .map(|word| format!("        - {}\n", yaml(&word.replace('¤', &value))))
            .collect();
        self.app(
            name,
            deployment(name, &format!("        command:\n{items}")),
        );
        let value = self.password(&format!("{words:?} in values"));
        let items: String = words
            .iter()
            .map(|word| format!("    - {}\n", yaml(&word.replace('¤', &value))))
            .collect();
        self.app(
            &format!("{name}-values"),
            release(&format!("{name}-values"), &format!("    args:\n{items}")),
        );
    }

    fn plant_beside_punctuation(&mut self) {
        let around = [
            "?t=¤&b", "x:¤:y", "(¤)", "[¤]", "{¤}", "<¤>", "¤,¤", "¤;", "a/¤/b", "a|¤|b", "#¤",
            "$¤", "%3D¤%26", "*¤*", "_¤_", "~¤!", "@¤@", "^¤\\", "\\n¤\\n", "a.¤.b", "“¤”", "`¤`",
            "'¤'", "«¤»", "=¤=", "+¤+", "¤…",
        ];
        let mut entries = String::new();
        for (index, around) in around.iter().enumerate() {
            self.seed += 1;
            for format in ["ghp_", "glpat-", "hf_", "SG.", "AKIA"] {
                let at = FORMATS
                    .iter()
                    .position(|(prefix, ..)| *prefix == format)
                    .unwrap();
                let (token, needle) = token(at, self.seed);
                self.plant(format!("{format} as {around}"), needle);
                let text = around.replace('¤', &token);
                entries.push_str(&format!(
                    "    p{index}{}: {}\n",
                    &format[..2].to_lowercase(),
                    yaml(&text)
                ));
            }
        }
        self.app("punctuation", release("punctuation", &entries));
    }

    fn plant_in_files_of_generators(&mut self) {
        self.unit("generated", "");
        let files = [
            "notes.md",
            "main.tf",
            "index.ts",
            "app.yaml",
            "app.json",
            "app.properties",
            "run.sh",
            "0002-decide.md",
            "RUNBOOK.md",
            "app.tfvars",
            "chart/Chart.yaml",
        ];
        let listed: String = files.iter().map(|file| format!("  - {file}\n")).collect();
        self.write("apps/generated/kustomization.yaml", format!("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nsecretGenerator:\n- name: generated\n  files:\n{listed}"));
        for file in files {
            let values: Vec<String> = (0..6)
                .map(|_| self.password(&format!("{file} of a secret generator")))
                .collect();
            let [a, b, c, d, e, f] = &values[..] else {
                unreachable!()
            };
            let text = match file.rsplit_once('.').unwrap().1 {
                "md" => format!(
                    "# {a}\n\n{b} is plain\n\n## Runbook: {c}\n\n```sh\nrun {d}\n```\n\nStatus: {e}\n\n[{f}](missing.md)\n"
                ),
                "tf" => format!(
                    "resource \"helm_release\" \"{a}\" {{\n  name = \"{b}\"\n  chart = \"{c}\"\n  version = \"{d}\"\n  namespace = \"{e}\"\n  values = [\"x: {f}\"]\n}}\n"
                ),
                "ts" => format!(
                    "import * as k8s from \"@pulumi/kubernetes\";\nnew k8s.core.v1.ConfigMap(\"{a}\", {{ metadata: {{ name: \"{b}\" }}, data: {{ c: \"{c}{d}{e}{f}\" }} }});\n"
                ),
                "yaml" => format!(
                    "a: {a}\nb: [{b}, {{c: {c}}}]\nname: {d}\nversion: {e}\ne: {f}\ne: {f}\n"
                ),
                "json" => format!("{{\"a\": \"{a}\", \"b\": [\"{b}{c}{d}{e}{f}\"]}}\n"),
                _ => format!("a={a}\nb = {b}\nrun {c} {d}\n{e}\n{f}\n"),
            };
            self.write(&format!("apps/generated/{file}"), text);
        }
    }

    fn plant_around(&mut self) {
        let a = self.password("a remote base");
        let b = self.password("the login of a remote base");
        self.unit("remote", "");
        self.write("apps/remote/kustomization.yaml", format!("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- https://git.example.com/a/b//deploy?ref=v1&token={a}\n- https://robot:{b}@git.example.com/a/c//deploy?ref=v1\n- map.yaml\n"));
        self.write("apps/remote/map.yaml", config_map("remote", "  a: b\n"));
        let a = self.password("a HelmRepository");
        let b = self.password("a GitRepository");
        let c = self.password("the query of a HelmRepository");
        self.app("places", format!("apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {{name: a, namespace: places}}\nspec: {{url: 'https://robot:{a}@charts.example.com', interval: 1h}}\n---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {{name: c, namespace: places}}\nspec: {{url: 'https://charts.example.com?token={c}', interval: 1h}}\n---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: b, namespace: places}}\nspec: {{url: 'https://{b}abcdefghijk:x-oauth-basic@git.example.com/a.git', interval: 1h}}\n"));
        let a = self.password("an address in a runbook");
        let b = self.password("a login in a runbook");
        self.write("docs/runbooks/shapes.md", format!("# Shapes is slow\n\n```sh\ncurl 'https://api.example.com/v1?token={a}'\ncurl https://app:{b}@api.example.com/v1\n```\n"));
    }
}

fn yaml(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn release(name: &str, values: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}, namespace: {name}}}\nspec:\n  chart: {{spec: {{chart: web, version: 1.0.0, sourceRef: {{kind: HelmRepository, name: web}}}}}}\n  values:\n    open: open-{name}\n{values}"
    )
}

fn config_map(name: &str, data: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: {name}}}\ndata:\n  open: open-{name}\n{data}"
    )
}

fn deployment(name: &str, container: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: {name}}}\nspec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      containers:\n      - name: {name}\n        image: {name}:1\n{container}"
    )
}

fn application(name: &str, helm: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  project: default\n  destination: {{namespace: {name}, server: https://kubernetes.default.svc}}\n  source:\n    repoURL: https://charts.example.com\n    chart: web\n    targetRevision: 1.0.0\n    helm:\n{helm}"
    )
}

fn application_set(name: &str, element: &str, parameters: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  goTemplate: true\n  generators:\n  - list:\n      elements:\n      - name: {name}\n{element}  template:\n    metadata: {{name: '{{{{.name}}}}'}}\n    spec:\n      project: default\n      destination: {{namespace: {name}, server: https://kubernetes.default.svc}}\n      source:\n        repoURL: https://charts.example.com\n        chart: web\n        targetRevision: 1.0.0\n        helm:\n          parameters:\n{parameters}"
    )
}
