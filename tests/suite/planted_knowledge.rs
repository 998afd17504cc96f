//! Forty wrong statements and commands planted into each of two repositories, and forty right ones that are written
//! unusually. At least nine of ten wrong ones are caught, and at most one right one is reported.

use std::path::Path;

use serde_json::Value;

use crate::cli::export;
use crate::diff::git;
use crate::provenance::{add_spec, commit, put, steps};

mod billing;

const FLUX: &str = "apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1m, url: https://git.example.com/acme/platform.git, ref: {branch: main}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 10m, path: ./clusters/prod, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
";

const WEB: &str = "apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop-web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop-web}}
  template:
    metadata: {labels: {app: shop-web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/shop-web:1.4.0
          envFrom: [{secretRef: {name: shop-web}}]
          ports: [{name: http, containerPort: 8080}]
          resources: {limits: {memory: 256Mi}}
        - name: nginx
          image: registry.example.com/nginx:1.27.1
---
apiVersion: v1
kind: Service
metadata: {name: shop-web, namespace: shop}
spec: {selector: {app: shop-web}, ports: [{name: http, port: 80, targetPort: http}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop-web, namespace: shop}
spec:
  rules:
    - host: shop.example.com
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: shop-web, port: {name: http}}}}]}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: shop-web, namespace: shop}
spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}, target: {name: shop-web}}
";

const QUEUE: &str = "apiVersion: v1
kind: Namespace
metadata: {name: queue}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: valkey, namespace: queue}
spec:
  selector: {matchLabels: {app: valkey}}
  template:
    metadata: {labels: {app: valkey}}
    spec:
      containers: [{name: valkey, image: registry.example.com/valkey:8.1.0}]
";

fn unit(name: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
         spec: {{interval: 10m, path: ./apps/{name}, prune: true, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )
}

/// Commands that cannot work here, do not last, or show a secret.
const WRONG_COMMANDS: &[&str] = &[
    "flux reconcile kustomization shop-wep",
    "flux sync kustomization shop-web",
    "flux restart ks shop-web",
    "kubectl -n shop get externalsecret shop-wep",
    "kubectl -n shop describe ingress shop",
    "kubectl -n shop logs deploy/shop-web -c application",
    "kubectl -n shop exec deploy/shop-web -c ngnix -- nginx -t",
    "kubectl -n shop set image deployment/shop-web app=registry.example.com/shop-web:1.5.0",
    "kubectl -n shop delete statefulset shop-web",
    "kubectl -n queue rollout restart deployment valkey",
    "kubectl -n shopp get pods",
    "kubectl -n shop get pods -l app=shop",
    "kubectl suspend kustomization shop-web",
    "helm restart shop-web -n shop",
    "argocd app snyc shop-web",
    "kubectl -n shop scale deployment shop-web --replicas=4",
    "kubectl -n shop edit deployment/shop-web",
    "kubectl -n shop get secret shop-web -o jsonpath='{.data.password}' | base64 -d",
    "kubectl -n shop exec deploy/shop-web -- env | grep PASSWORD",
    "kubectl -n shop exec deploy/shop-web -c web -- sh -c 'echo $DATABASE_PASSWORD'",
];

/// Commands that work, however they look.
const RIGHT_COMMANDS: &[&str] = &[
    "flux reconcile ks shop-web --with-source",
    "kubectl get externalsecrets -A",
    "kubectl -n shop get externalsecret/shop-web -o yaml",
    "kubectl -n shop logs deploy/shop-web -c nginx --tail=20",
    "kubectl -n shop logs deploy/shop-web --all-containers",
    "kubectl -n shop exec deploy/shop-web -c istio-proxy -- pilot-agent request GET stats",
    "kubectl -n shop get deploy,svc,ingress shop-web",
    "kubectl -n queue rollout restart sts/valkey",
    "kubectl -n shop delete pod -l app=shop-web",
    "kubectl -n shop delete job migrate-2024",
    "kubectl -n queue scale statefulset valkey --replicas=3",
    "kubectl -n shop get secret shop-web -o go-template='{{range $k, $v := .data}}{{$k}}{{\"\\n\"}}{{end}}'",
    "kubectl -n shop exec deploy/shop-web -- env | cut -d= -f1",
    "kubectl -n shop exec deploy/shop-web -- printenv HOSTNAME",
    "kubectl -n kube-system get pods -l k8s-app=kube-dns",
    "kubectl -n shop annotate externalsecret shop-web force-sync=$(date +%s) --overwrite",
    "kubectl neat get deploy shop-web -n shop",
    "helm upgrade --install cilium cilium/cilium -n kube-system",
    "kubectl -n $NAMESPACE get deployment <name>",
    "kubectl -n shop get configmap kube-root-ca.crt",
];

/// Sentences, rows and items that contradict the manifests.
const WRONG_PROSE: &[&str] = &[
    "It runs in namespace `analytics`.",
    "| Image | registry.example.com/shop-web:1.3.0 |",
    "- Replicas: 5",
    "It has a memory limit of 512Mi.",
    "The web interface is available at https://store.example.com.",
    "It listens on port 9090.",
    "| Namespace | `store` |",
    "**Container port:** 3000",
    "Shop Web depends on Valkey.",
    "It uses the image `nginx:1.25.0`.",
];

/// What may look like a contradiction.
const RIGHT_PROSE: &[&str] = &[
    "It used to listen on port 9090.",
    "It is reachable at https://shop.example.com/cart.",
    "If it runs in namespace `test`, nothing is charged.",
    "The old image was `shop-web:1.2.0`.",
    "- Replicas: 2 (production)",
    "Its documentation is at https://docs.shop.dev.",
    "It has a memory limit of 256 MiB.",
    "Valkey listens on port 6379.",
    "| Version | 1.4 |",
    "It scales to three replicas when the shop is busy.",
];

/// Steps that the files break.
const WRONG_STEPS: &[&str] = &[
    "`apps/shop-web/objects.yaml` contains `replicas: 3`",
    "`apps/shop-web/gone.yaml` exists",
    "`apps/old.yaml` has been deleted",
    "`apps/shop-web/` exists with exactly 2 files: `objects.yaml`, `kustomization.yaml`",
    "`apps/shop-web/objects.yaml` does not contain `shop-web:1.4.0`",
    "`clusters/prod/shop-web.yaml` exists with `path: ./apps/web`",
    "The Ingress matches `Host(\\`store.example.com\\`)`",
    "`tf/outputs.tf` exports `vnet_name`",
    "`tf/main.tf` contains `random_password.shop`",
    "`clusters/prod/kustomization.yaml` includes `queue.yaml` in its resources list",
];

/// Steps that hold, or that nobody can decide by the files.
const RIGHT_STEPS: &[&str] = &[
    "`apps/shop-web/objects.yaml` contains `replicas: 2`",
    "`tf/outputs.tf` exports `vnet_id`",
    "The shop answers within 200 ms under load",
    "`apps/shop-web/` exists",
    "`terraform validate` passes",
    "`apps/gone.yaml` does NOT exist (deleted)",
    "Nobody needs `tf/old.tf` any more",
    "`clusters/prod/shop-web.yaml` exists with `path: ./apps/shop-web`",
    "Either `a.yaml` or `b.yaml` is enough",
    "`tf/main.tf` is formatted, unless the editor did so already",
];

/// Manifests, and what is planted around them: wrong first, then right.
struct Planted {
    manifests: fn(&Path),
    component: &'static str,
    title: &'static str,
    commands: [&'static [&'static str]; 2],
    prose: [&'static [&'static str]; 2],
    steps: [&'static [&'static str]; 2],
    /// The files that the record of the steps lists.
    artifacts: &'static str,
}

const PLANTED: &[Planted] = &[
    Planted {
        manifests: shop,
        component: "shop-web",
        title: "Shop Web",
        commands: [WRONG_COMMANDS, RIGHT_COMMANDS],
        prose: [WRONG_PROSE, RIGHT_PROSE],
        steps: [WRONG_STEPS, RIGHT_STEPS],
        artifacts: "| `apps/shop-web/objects.yaml` | Created |\n",
    },
    Planted {
        manifests: |root| billing::manifests(root, &unit),
        component: "billing",
        title: "Billing",
        commands: [billing::WRONG_COMMANDS, billing::RIGHT_COMMANDS],
        prose: [billing::WRONG_PROSE, billing::RIGHT_PROSE],
        steps: [billing::WRONG_STEPS, billing::RIGHT_STEPS],
        artifacts: "| `apps/billing/app.yaml` | Created |\n| `apps/mail/release.yaml` | Created |\n",
    },
];

fn shop(root: &Path) {
    put(root, "clusters/prod/shop-web.yaml", &unit("shop-web"));
    put(root, "clusters/prod/valkey.yaml", &unit("valkey"));
    put(
        root,
        "clusters/prod/kustomization.yaml",
        "resources:\n  - flux-system\n  - shop-web.yaml\n  - valkey.yaml\n  # - queue.yaml\n",
    );
    put(
        root,
        "clusters/prod/flux-system/kustomization.yaml",
        "resources:\n  - gotk-sync.yaml\n",
    );
    put(root, "apps/shop-web/objects.yaml", WEB);
    put(root, "apps/valkey/objects.yaml", QUEUE);
    put(root, "apps/old.yaml", "kind: A\n");
    put(
        root,
        "tf/outputs.tf",
        "output \"vnet_id\" {\n  value = 1\n}\n",
    );
    put(root, "tf/main.tf", "x = random_password.shop.result\n");
}

fn repository(planted: &Planted) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    git(root, &["init", "-q", "-b", "main"]);
    put(root, "clusters/prod/flux-system/gotk-sync.yaml", FLUX);
    (planted.manifests)(root);
    for (name, commands) in ["wrong", "right"].iter().zip(planted.commands) {
        let text = format!("# Commands\n\n```bash\n{}\n```\n", commands.join("\n"));
        put(root, &format!("docs/runbooks/{name}.md"), &text);
    }
    for (name, lines) in ["wrong", "right"].iter().zip(planted.prose) {
        let mut text = format!(
            "---\ncomponent: {}\n---\n\n# {}\n",
            planted.component, planted.title
        );
        for line in lines {
            let head = if line.starts_with('|') {
                "| | |\n|---|---|\n"
            } else {
                ""
            };
            text += &format!("\n{head}{line}\n");
        }
        put(root, &format!("docs/{name}.md"), &text);
    }
    // A later spec with the same files would end the steps of the earlier one.
    let artifacts = [planted.artifacts, ""];
    for ((number, lines), artifacts) in ["0001", "0002"].iter().zip(planted.steps).zip(artifacts) {
        let numbered = lines.iter().enumerate();
        let text: String = numbered
            .map(|(at, line)| format!("{}. {line}\n", at + 1))
            .collect();
        add_spec(root, number, &text, "2026-03-01", artifacts);
    }
    commit(root, "Everything");
    directory
}

/// The lines of a file with a finding.
fn lines(document: &Value, file: &str) -> Vec<u64> {
    let findings = document["findings"].as_array().unwrap().iter();
    let rules = |rule: &str| rule.starts_with("command-") || rule == "prose-drift";
    findings
        .filter(|finding| finding["file"] == file && rules(finding["rule"].as_str().unwrap()))
        .map(|finding| finding["line"].as_u64().unwrap())
        .collect()
}

/// Which of some texts have a finding, by the line that each is on in a file.
fn found<'t>(root: &Path, document: &Value, file: &str, texts: &[&'t str]) -> Vec<&'t str> {
    let content = std::fs::read_to_string(root.join(file)).unwrap();
    let reported = lines(document, file);
    let is_reported = |text: &&&str| {
        let line = content.lines().position(|line| line == **text).unwrap() as u64 + 1;
        reported.contains(&line)
    };
    texts.iter().filter(is_reported).copied().collect()
}

#[test]
fn nine_of_ten_planted_faults_are_caught_and_right_statements_are_left_alone() {
    for planted in PLANTED {
        let directory = repository(planted);
        let root = directory.path();
        let document = export(root);
        let mut missed: Vec<&str> = Vec::new();
        let mut wrongly: Vec<&str> = Vec::new();
        for (file, [wrong, right]) in [("docs/runbooks", planted.commands), ("docs", planted.prose)]
        {
            let caught = found(root, &document, &format!("{file}/wrong.md"), wrong);
            missed.extend(wrong.iter().filter(|text| !caught.contains(text)));
            wrongly.extend(found(root, &document, &format!("{file}/right.md"), right));
        }
        let [wrong, right] = planted.steps;
        let state = |id: &str| steps(&document, id);
        let broken = state("0001");
        assert_eq!(broken.len(), wrong.len());
        missed.extend(
            wrong
                .iter()
                .zip(&broken)
                .filter(|(_, state)| *state != "broken")
                .map(|(step, _)| *step),
        );
        wrongly.extend(
            right
                .iter()
                .zip(&state("0002"))
                .filter(|(_, state)| *state == "broken")
                .map(|(step, _)| *step),
        );
        let count = |at: usize| {
            planted.commands[at].len() + planted.prose[at].len() + planted.steps[at].len()
        };
        assert_eq!((count(0), count(1)), (40, 40));
        assert!(missed.len() <= 4, "not caught: {missed:#?}");
        assert!(wrongly.len() <= 1, "reported: {wrongly:#?}");
    }
}
