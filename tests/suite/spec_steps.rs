//! Steps of specs: every form of a sentence with a break planted into what it says, and sentences that are left alone.

use std::fs;

use crate::cli::export;
use crate::diff::git;
use crate::provenance::{CONFIG, add_spec, commit, put, spec, steps};

/// A sentence, the file that it is about, what it says there, and what it does not say.
const FORMS: &[(&str, &str, &str, &str)] = &[
    (
        "`apps/a.yaml` contains `mode: fast`",
        "apps/a.yaml",
        "kind: A\nspec: {mode: fast}\n",
        "kind: A\nspec: {mode: slow}\n",
    ),
    (
        "`apps/kustomization.yaml` includes `web-sync.yaml` in its resources list",
        "apps/kustomization.yaml",
        "resources:\n  - web-sync.yaml\n",
        "resources:\n  # - web-sync.yaml\n  - b.yaml\n",
    ),
    (
        "The HelmRepository points to `https://charts.example.org`",
        "apps/repository.yaml",
        "kind: HelmRepository\nspec: {url: \"https://charts.example.org\"}\n",
        "kind: HelmRepository\nspec: {url: \"https://charts.example.com\"}\n",
    ),
    (
        "`tf/main.tf` contains `random_password.root` and a second address (`pip-two`)",
        "tf/main.tf",
        "resource \"random_password\" \"root\" {\n}\nname = \"pip-two\"\n",
        "name = \"pip-two\"\nx = random_password.root.result\n",
    ),
    (
        "`tf/outputs.tf` exports `vnet_id`",
        "tf/outputs.tf",
        "output \"vnet_id\" {\n  value = x.vnet_id\n}\n",
        "output \"vnet\" {\n  value = x.vnet_id\n}\n",
    ),
    (
        "Deletion protection is disabled on the server",
        "tf/server.tf",
        "deletion_protection_enabled = false\n",
        "deletion_protection_enabled = true\n",
    ),
    (
        "The cache module creates a replica `replica-a` with size `M20`",
        "tf/modules/cache/main.tf",
        "name = \"replica-a\"\nsize = \"M20\"\n",
        "name = \"replica-a\"\nsize = \"M40\"\n",
    ),
    (
        "The Service maps port 80 -> 3000",
        "apps/service.yaml",
        "kind: Service\nspec:\n  ports:\n    - {port: 80, targetPort: 3000}\n",
        "kind: Service\nspec:\n  ports:\n    - {port: 80, targetPort: 8080}\n",
    ),
    (
        "The Deployment includes `TELEMETRY=0`, liveness/readiness probes on `/up:3000`, and resource limits",
        "apps/deployment.yaml",
        "kind: Deployment\nspec:\n  env: [{name: TELEMETRY, value: \"0\"}]\n  livenessProbe: {httpGet: {path: /up, port: 3000}}\n  readinessProbe: {httpGet: {path: /up, port: 3000}}\n  resources: {limits: {cpu: 1}}\n",
        "kind: Deployment\nspec:\n  env: [{name: TELEMETRY, value: \"0\"}]\n  livenessProbe: {httpGet: {path: /up, port: 3000}}\n  readinessProbe: {httpGet: {path: /up, port: 3000}}\n  resources: {requests: {cpu: 1}}\n",
    ),
    (
        "The IngressRoute matches `Host(\\`shop.example.org\\`)` with `websecure` entryPoint and `tls: {}`",
        "apps/route.yaml",
        "kind: IngressRoute\nspec:\n  entryPoints: [websecure]\n  match: Host(`shop.example.org`)\n  tls: {}\n",
        "kind: IngressRoute\nspec:\n  entryPoints: [websecure]\n  match: Host(`shop.example.com`)\n  tls: {}\n",
    ),
    (
        "`apps/board.yaml` exists as a ConfigMap with label `board: \"1\"` and contains valid dashboard JSON with `\"uid\": \"shop\"`",
        "apps/board.yaml",
        "kind: ConfigMap\nmetadata: {labels: {board: \"1\"}}\ndata:\n  shop.json: |\n    {\n      \"uid\": \"shop\"\n    }\n",
        "kind: ConfigMap\nmetadata: {labels: {board: \"1\"}}\ndata:\n  shop.json: |\n    {\n      \"uid\": \"shop\",\n    }\n",
    ),
    (
        "Tracer is configured with `retention: 31d` and schedules on big nodes (`nodeSelector`)",
        "apps/tracer.yaml",
        "values:\n  tracer:\n    retention: 31d\n    nodeSelector: {a: b}\n  other:\n    nodeSelector: {a: b}\n",
        "values:\n  tracer:\n    retention: 31d\n  other:\n    nodeSelector: {a: b}\n",
    ),
    (
        "disk-exporter tolerates the storage taint (runs everywhere)",
        "apps/exporter.yaml",
        "values:\n  prometheus-disk-exporter:\n    tolerations: [{key: storage, operator: Exists}]\n",
        "values:\n  prometheus-disk-exporter:\n    tolerations: [{key: memory, operator: Exists}]\n",
    ),
    (
        "state-metrics has no special scheduling",
        "apps/state.yaml",
        "values:\n  state-metrics:\n    enabled: true\n",
        "values:\n  state-metrics:\n    nodeSelector: {a: b}\n",
    ),
    (
        "Ruler, Querier and Compactor are all disabled in the chart values",
        "apps/logs.yaml",
        "values:\n  ruler: {enabled: false}\n  querier: {enabled: false}\n  compactor: {enabled: false}\n",
        "values:\n  ruler: {enabled: false}\n  querier: {enabled: true}\n  compactor: {enabled: false}\n",
    ),
    (
        "Targets that do not exist here are disabled (`kubeEtcd`, `kubeProxy`)",
        "apps/targets.yaml",
        "values:\n  kubeEtcd: {enabled: false}\n  kubeProxy: {enabled: false}\n",
        "values:\n  kubeEtcd: {enabled: false}\n  kubeProxy: {enabled: true}\n",
    ),
    (
        "Tempo remains `isDefault: true`, Mimir is `isDefault: false`",
        "apps/sources.yaml",
        "sources:\n  - {name: Tempo, isDefault: true}\n  - {name: Mimir, isDefault: false}\n",
        "sources:\n  - {name: Tempo, isDefault: false}\n  - {name: Mimir, isDefault: false}\n",
    ),
    (
        "`boards.enabled: true` and `external.source: Mimir`",
        "apps/boards.yaml",
        "values:\n  boards: {enabled: true}\n  external: {source: Mimir}\n",
        "values:\n  boards: {enabled: true}\n  external: {source: Tempo}\n",
    ),
    (
        "Two databases are created: `orders_db` and `stock_db`",
        "apps/databases.yaml",
        "databases: [orders_db, stock_db]\n",
        "databases: [orders_db]\n",
    ),
    (
        "All panel JSON has `\"editable\": false`",
        "apps/panel.yaml",
        "data:\n  p.json: |\n    {\n      \"editable\": false\n    }\n",
        "data:\n  p.json: |\n    {\n      \"editable\": true\n    }\n",
    ),
    (
        "Loki HelmRelease uses `deploymentMode: Single` with a valid semver range",
        "apps/loki.yaml",
        "kind: HelmRelease\nmetadata: {name: loki}\nspec:\n  chart: {spec: {version: \">=6.0.0 <7.0.0\"}}\n  values: {deploymentMode: Single}\n",
        "kind: HelmRelease\nmetadata: {name: loki}\nspec:\n  chart: {spec: {version: latest}}\n  values: {deploymentMode: Single}\n",
    ),
    (
        "`apps/web-sync.yaml` exists and follows the same pattern as `api-sync.yaml` (path `./apps/web`)",
        "apps/web-sync.yaml",
        "kind: Sync\nspec: {path: ./apps/web, prune: true}\n",
        "kind: Sync\nspec: {path: ./apps/web}\n",
    ),
    (
        "`tf/all.tf` instantiates the node module twice (`one` and `two`)",
        "tf/all.tf",
        "module \"one\" {\n  source = \"./modules/node\"\n}\nmodule \"two\" {\n  source = \"./modules/node\"\n}\n",
        "module \"one\" {\n  source = \"./modules/node\"\n}\n# two\n",
    ),
    (
        "`tf/both.tf` instantiates the pool module twice (`first` and `second`)",
        "tf/both.tf",
        "module \"first\" {\n  source = \"./modules/pool\"\n}\nmodule \"second\" {\n  source = \"./modules/pool\"\n}\n",
        "module \"first\" {\n  source = \"./modules/pool\"\n}\nmodule \"other\" {\n  source = \"./modules/pool\"\n  after = module.second.id\n}\n",
    ),
    (
        "`net/outputs.tf` includes `private_ip`",
        "net/outputs.tf",
        "output \"private_ip\" {\n  value = nic.main.private_ip\n}\n",
        "output \"ip\" {\n  value = nic.main.private_ip\n}\n",
    ),
    (
        "The ExternalSecret references `ClusterSecretStore` named `vault` and constructs `DB_*`",
        "apps/secret.yaml",
        "kind: ExternalSecret\nspec:\n  storeRef: {kind: ClusterSecretStore, name: vault}\n  data: {DB_HOST: a}\n",
        "kind: ExternalSecret\nspec:\n  storeRef: {kind: ClusterSecretStore, name: other}\n  data: {DB_HOST: a}\n",
    ),
    (
        "`docs/guide.md` exists",
        "docs/guide.md",
        "---\ntitle: \"Guide: The shop\"\n---\n\n## Context\n\n## Options\n\n## References\n\n- [a](a.md)\n",
        "",
    ),
    (
        "The frontmatter title field matches the pattern `\"Guide: ...\"`",
        "docs/guide.md",
        "---\ntitle: \"Guide: The shop\"\n---\n\n## Context\n\n## Options\n\n## References\n\n- [a](a.md)\n",
        "---\ntitle: \"The shop\"\n---\n\n## Context\n\n## Options\n\n## References\n\n- [a](a.md)\n",
    ),
    (
        "The file follows the template structure (all sections present: Context, Options, References)",
        "docs/guide.md",
        "---\ntitle: \"Guide: The shop\"\n---\n\n## Context\n\n## Options\n\n## References\n\n- [a](a.md)\n",
        "---\ntitle: \"Guide: The shop\"\n---\n\n## Context\n\n## References\n\n- [a](a.md)\n",
    ),
    (
        "No broken relative links in the References section \u{2014} verify the files",
        "docs/guide.md",
        "---\ntitle: \"Guide: The shop\"\n---\n\n## Context\n\n## Options\n\n## References\n\n- [a](a.md)\n",
        "---\ntitle: \"Guide: The shop\"\n---\n\n## Context\n\n## Options\n\n## References\n\n- [a](b.md)\n",
    ),
];

/// A repository with one step for each form, all true.
fn forms() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let mut rows = String::new();
    let mut text = String::new();
    for (at, (sentence, path, good, _)) in FORMS.iter().enumerate() {
        put(root, path, good);
        rows += &format!("| `{path}` | Created |\n");
        text += &format!("{}. {sentence}\n", at + 1);
    }
    put(root, "docs/a.md", "# A\n");
    put(
        root,
        "apps/api-sync.yaml",
        "kind: Sync\nspec: {path: ./apps/api, prune: true}\n",
    );
    add_spec(root, "0001", &text, "2026-03-01", &rows);
    directory
}

#[test]
fn every_form_of_a_step_holds_or_is_broken() {
    let directory = forms();
    let root = directory.path();
    let states = steps(&export(root), "0001");
    let undecided: Vec<&str> = states
        .iter()
        .zip(FORMS)
        .filter(|(state, _)| *state != "holds")
        .map(|(_, (sentence, ..))| *sentence)
        .collect();
    assert_eq!(undecided, [""; 0]);
    let mut missed = Vec::new();
    for (at, (sentence, path, good, bad)) in FORMS.iter().enumerate() {
        if bad.is_empty() {
            fs::remove_file(root.join(path)).unwrap();
        } else {
            put(root, path, bad);
        }
        let states = steps(&export(root), "0001");
        if states[at] != "broken" {
            missed.push(format!("{sentence}: {}", states[at]));
        }
        put(root, path, good);
    }
    assert_eq!(missed, [""; 0], "a planted break was not found");
}

#[test]
fn what_was_committed_decides_what_a_step_says_of_the_work() {
    let sentences = "1. All files (spec, manifests, record) are committed together\n\
                     2. No Terraform files were modified\n\
                     3. No other YAML files were modified\n\
                     4. `apps/other.yaml` is unchanged from its current content\n\
                     5. No new Flux sync resources were created\n";
    let rows =
        "| `apps/a.yaml` | Created |\n| `.sdd/specification/spec-0001-shop.md` | Created |\n";
    let build = |is_broken: bool| {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        git(root, &["init", "-q", "-b", "main"]);
        put(root, "apps/other.yaml", CONFIG);
        put(root, "main.tf", "a = 1\n");
        if is_broken {
            put(root, "apps/a.yaml", CONFIG);
        }
        commit(root, "Before");
        put(root, "apps/a.yaml", &CONFIG.replace("shop", "a"));
        if is_broken {
            put(root, "main.tf", "a = 2\n");
            put(root, "apps/other.yaml", &CONFIG.replace('1', "2"));
            put(
                root,
                "clusters/x.yaml",
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: x, namespace: flux-system}\nspec: {path: ./x, prune: true}\n",
            );
            put(
                root,
                ".sdd/specification/spec-0001-shop.md",
                &spec("0001", sentences),
            );
            git(root, &["add", ".sdd"]);
            git(root, &["commit", "-qm", "Write the spec"]);
        }
        add_spec(root, "0001", sentences, "2026-03-01", rows);
        commit(root, "Carry it out");
        steps(&export(root), "0001")
    };
    assert_eq!(build(false), ["holds"; 5]);
    assert_eq!(build(true), ["broken"; 5]);
}

/// Steps that are true in a way that is seldom written, or that only people can judge: none of them is broken.
#[test]
fn unusual_steps_are_never_called_broken() {
    let sentences = [
        "`tf/server.tf` has `deletion_protection_enabled = false` (aligned differently)",
        "`apps/a.yaml` contains `spec.mode`",
        "`apps/a.yaml` contains `mode: fast` or `mode: slow`",
        "`apps/a.yaml` contains `never` if the feature is on",
        "The HelmRelease uses a sensible version",
        "`apps/a.yaml` does not contain `mode: slow`",
        "Both services answer on `/healthz`",
        "The Deployment never restarts",
        "All manifests are valid",
        "No secrets were committed",
        "All files are committed together with the tests of the other team",
        "Telemetry is disabled",
        "The frobnicator module creates `x`",
        "Grafana shows the new dashboards",
        "Unknownthing is configured with `a: b`",
        "`missing-in-repo.example.org` resolves",
        "`apps/` contains the manifests",
        "Two people are informed: `ann` and `bob`",
        "`kubectl get pods` shows `Running`",
        "The Service maps the ports of the old one",
    ];
    let directory = forms();
    let root = directory.path();
    let text: String = sentences
        .iter()
        .enumerate()
        .map(|(at, sentence)| format!("{}. {sentence}\n", at + 1))
        .collect();
    add_spec(
        root,
        "0001",
        &text,
        "2026-03-01",
        "| `apps/a.yaml` | Created |\n| `tf/server.tf` | Created |\n",
    );
    let states = steps(&export(root), "0001");
    let broken: Vec<&str> = sentences
        .iter()
        .zip(&states)
        .filter(|(_, state)| *state == "broken")
        .map(|(sentence, _)| *sentence)
        .collect();
    assert_eq!(broken, [""; 0]);
}
