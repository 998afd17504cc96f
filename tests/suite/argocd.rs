//! Argo CD at the doors: hostile Applications and sets cost a finding or none, and time that has an end.

use std::fmt::Write;

use serde_json::Value;

use crate::cli::{export, repo};
use crate::entry::{rules, units};
use crate::site::{build, pages, text};

const URL: &str = "https://git.example.com/acme/platform.git";

pub fn application(name: &str, path: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: '{name}', namespace: argocd}}\nspec:\n  source: {{repoURL: '{URL}', path: '{path}'}}\n  destination: {{namespace: default}}\n"
    )
}

fn set(generators: &str, name: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: set, namespace: argocd}}\nspec:\n  goTemplate: true\n  generators:\n{generators}  template:\n    metadata: {{name: '{name}'}}\n    spec:\n      source: {{repoURL: '{URL}', path: apps/web}}\n      destination: {{namespace: default}}\n"
    )
}

pub fn catalogue(files: &[(&str, &str)]) -> Value {
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";
    let mut all = vec![("apps/web/web.yaml", object)];
    all.extend(files);
    export(repo(&all).path())
}

#[test]
fn an_application_that_contains_itself_is_one_unit() {
    let root = application("root", "argocd");
    let web = application("web", "apps/web");
    let document = catalogue(&[("argocd/root.yaml", &root), ("argocd/web.yaml", &web)]);
    assert_eq!(units(&document), ["root", "web"]);
    let two = [
        ("one/app.yaml", application("one", "two")),
        ("two/app.yaml", application("two", "one")),
    ];
    let files: Vec<(&str, &str)> = two
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    assert_eq!(units(&catalogue(&files)), ["one", "two"]);
}

#[test]
fn a_path_that_leaves_the_repository_is_one_finding() {
    let away = application("away", "../../etc");
    let web = application("web", "apps/web");
    let document = catalogue(&[("argocd/away.yaml", &away), ("argocd/web.yaml", &web)]);
    assert_eq!(units(&document), ["away", "web"]);
    assert_eq!(rules(&document), ["path-outside"]);
}

#[test]
fn ten_thousand_elements_are_cut_with_one_finding() {
    let mut elements = String::from("  - list:\n      elements:\n");
    for nth in 0..10_000 {
        writeln!(elements, "      - n: '{nth}'").unwrap();
    }
    let text = set(&elements, "app-{{ .n }}");
    let document = catalogue(&[("argocd/set.yaml", &text)]);
    assert_eq!(units(&document).len(), 2001);
    assert_eq!(rules(&document), ["generator-too-large"]);
}

#[test]
fn a_matrix_that_explodes_is_cut_with_one_finding() {
    let mut list = String::from("list:\n            elements:\n");
    for nth in 0..300 {
        writeln!(list, "            - {{a: '{nth}'}}").unwrap();
    }
    let other = list.replace("{a:", "{b:");
    let text = format!("  - matrix:\n      generators:\n        - {list}        - {other}");
    let text = set(&text, "app-{{ .a }}-{{ .b }}");
    let document = catalogue(&[("argocd/set.yaml", &text)]);
    assert_eq!(units(&document).len(), 2001);
    assert_eq!(rules(&document), ["generator-too-large"]);
}

#[test]
fn a_template_that_does_not_end_is_one_finding() {
    let list = "  - list:\n      elements:\n      - n: one\n";
    let endless = set(
        list,
        "{{ range until 90000 }}{{ range until 90000 }}x{{ end }}{{ end }}",
    );
    let document = catalogue(&[("argocd/set.yaml", &endless)]);
    assert_eq!(units(&document), ["set"]);
    assert_eq!(rules(&document), ["template-unfollowed"]);
    let odd = set(list, "{{ nobody .n }}");
    let document = catalogue(&[("argocd/set.yaml", &odd)]);
    assert_eq!(rules(&document), ["template-unfollowed"]);
}

#[test]
fn a_chart_that_makes_itself_again_under_other_names_ends() {
    let chart = "apiVersion: v2\nname: again\nversion: 1.0.0\n";
    let mut template = String::new();
    for end in ["a", "b"] {
        let name = format!("{{{{ .Release.Name }}}}{end}");
        writeln!(template, "---\n{}", application(&name, "charts/again")).unwrap();
    }
    let root = application("r", "charts/again");
    let document = catalogue(&[
        ("argocd/root.yaml", &root),
        ("charts/again/Chart.yaml", chart),
        ("charts/again/templates/apps.yaml", &template),
    ]);
    assert!(rules(&document).contains(&"unit-chain"));
}

#[test]
fn odd_shapes_are_read_as_far_as_they_go() {
    let odd = [
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: b}\nspec: []\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: c}\nspec: {source: text, sources: {}}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: d}\nspec: {sources: [1, ~, {helm: {values: 1, parameters: {}}}]}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: e}\nspec: {generators: [~, {}, 1, {matrix: []}, {merge: ~}, {list: 1}, {git: {}}], template: ~}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: f}\nspec: ~\n",
    ];
    let text = odd.join("---\n");
    let document = catalogue(&[("argocd/odd.yaml", &text)]);
    assert_eq!(units(&document), ["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn a_secret_among_values_is_not_shown() {
    let text = application("web", "charts/web")
        + "  syncPolicy: {automated: {}}\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: db, namespace: argocd}\nspec:\n  source:\n    repoURL: https://charts.example.com\n    chart: db\n    targetRevision: 1.0.0\n    helm:\n      values: |\n        auth:\n          password: hunter2hunter2\n      parameters:\n      - name: auth.adminPassword\n        value: hunter3hunter3\n";
    let list = "  - list:\n      elementsYaml: '[{n: one, password: hunter4hunter4}]'\n";
    let patch = "  templatePatch: |\n    spec:\n      source:\n        path: ~\n        chart: db\n        helm:\n          valuesObject: {password: hunter5hunter5, token: '{{ .password }}'}\n";
    let set = set(list, "app-{{ .n }}") + patch;
    let files = [
        ("argocd/apps.yaml", text.as_str()),
        ("argocd/set.yaml", &set),
    ];
    let document = catalogue(&files).to_string();
    assert!(document.contains("app-one"));
    assert!(document.contains("auth.password"));
    assert!(!document.contains("hunter"));
}

fn component<'d>(document: &'d Value, id: &str) -> &'d Value {
    let components = document["components"].as_array().unwrap();
    components.iter().find(|one| one["id"] == id).unwrap()
}

#[test]
fn kustomize_options_change_what_is_built() {
    let options = "    kustomize: {namePrefix: my-, namespace: shop, images: ['nginx=registry.example.com/nginx:1.27'], replicas: [{name: web, count: 3}]}\n";
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec:\n  source:\n    repoURL: '{URL}'\n    path: overlay\n{options}  destination: {{namespace: default}}\n"
    );
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers: [{name: web, image: 'nginx:1.25'}]\n";
    let document = catalogue(&[
        ("argocd/web.yaml", &text),
        ("overlay/kustomization.yaml", "resources: [web.yaml]\n"),
        ("overlay/web.yaml", deployment),
    ]);
    let web = component(&document, "web").to_string();
    for part in ["my-web", "registry.example.com/nginx:1.27", "\"shop\""] {
        assert!(web.contains(part), "{part}: {web}");
    }
}

#[test]
fn values_are_settings_and_later_ones_win() {
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop, namespace: argocd}}\nspec:\n  sources:\n  - repoURL: https://charts.example.com\n    chart: shop\n    targetRevision: 1.0.0\n    helm:\n      valueFiles: [$lent/values/base.yaml, $lent/values/prod.yaml]\n      values: |\n        c: inline\n      parameters: [{{name: d.e, value: given}}]\n  - repoURL: '{URL}'\n    ref: lent\n  destination: {{namespace: shop}}\n"
    );
    let document = catalogue(&[
        ("argocd/shop.yaml", &text),
        ("argocd/web.yaml", &application("web", "apps/web")),
        ("values/base.yaml", "a: base\nb: base\n"),
        ("values/prod.yaml", "b: prod\nc: prod\nd: {e: prod}\n"),
    ]);
    let shop = component(&document, "shop");
    let settings = shop["settings"].as_array().unwrap().iter();
    let found: Vec<String> = settings
        .map(|setting| {
            let values = setting["values"].as_object().unwrap();
            let value = values.values().next().unwrap()["value"].as_str().unwrap();
            format!("{}={value}", setting["name"].as_str().unwrap())
        })
        .collect();
    assert_eq!(found, ["a=base", "b=prod", "c=inline", "d.e=given"]);
    assert_eq!(shop["source"], "values");
}

#[test]
fn what_nobody_here_can_fill_in_is_no_missing_directory() {
    let by_cluster = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: by-cluster, namespace: argocd}\nspec:\n  generators:\n  - clusters: {}\n  template:\n    metadata: {name: 'web-{{name}}'}\n    spec:\n      source: {repoURL: 'https://git.example.com/acme/platform.git', path: 'apps/web/{{metadata.labels.env}}'}\n      destination: {server: '{{server}}', namespace: default}\n";
    let placeholder = application("later", "apps/<name>");
    let template = application("made", "{{ base }}/web");
    let web = application("web", "apps/web");
    let document = catalogue(&[
        ("argocd/by-cluster.yaml", by_cluster),
        ("argocd/later.yaml", &placeholder),
        ("argocd/made.yaml", &template),
        ("argocd/web.yaml", &web),
    ]);
    assert_eq!(units(&document), ["later", "made", "web", "by-cluster"]);
    let mut rules = rules(&document);
    rules.sort();
    rules.dedup();
    assert_eq!(
        rules,
        [
            "generator-unknown",
            "source-elsewhere",
            "template-unfollowed"
        ]
    );
}

#[test]
fn values_of_a_chart_of_applications_are_put_over_each_other() {
    let root = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: root, namespace: argocd}}\nspec:\n  source:\n    repoURL: '{URL}'\n    path: charts/all\n    helm: {{valueFiles: [values-prod.yaml]}}\n  destination: {{namespace: argocd}}\n"
    );
    let chart = "apiVersion: v2\nname: all\nversion: 0.1.0\ndependencies: [{name: argocd-apps, version: 2.0.0}]\n";
    let values = format!(
        "argocd-apps:\n  applications:\n    web:\n      project: default\n      source: {{repoURL: '{URL}', path: apps/web}}\n      destination: {{namespace: staging}}\n    old:\n      source: {{repoURL: '{URL}', path: apps/web}}\n"
    );
    let prod = "argocd-apps:\n  applications:\n    web:\n      destination: {namespace: prod}\n    old: null\n";
    let document = catalogue(&[
        ("argocd/root.yaml", &root),
        ("charts/all/Chart.yaml", chart),
        ("charts/all/values.yaml", &values),
        ("charts/all/values-prod.yaml", prod),
    ]);
    assert_eq!(units(&document), ["root", "web"]);
    let web = component(&document, "web");
    assert_eq!(
        (&web["namespace"], &web["source"]),
        (&"prod".into(), &"apps/web".into())
    );
}

#[test]
fn an_application_is_called_by_its_own_name_however_little_that_says() {
    let root = application("addons", "apps/web");
    let document = catalogue(&[("argocd/root.yaml", &root)]);
    assert_eq!(component(&document, "addons")["source"], "apps/web");
}

fn in_project(name: &str, project: &str, destination: &str, url: &str) -> String {
    format!(
        "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  project: {project}\n  destination: {{{destination}}}\n  source: {{repoURL: '{url}', path: apps/web}}\n"
    )
}

fn project(name: &str, sources: &str, destinations: &str) -> String {
    format!(
        "---\napiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  sourceRepos: [{sources}]\n  destinations: [{destinations}]\n"
    )
}

fn forbidden(files: &[(&str, &str)]) -> Vec<String> {
    let document = catalogue(files);
    let findings = document["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|finding| finding["rule"] == "project-forbids");
    of_rule
        .map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_project_that_allows_less_than_its_applications_do_is_found() {
    let here = "server: 'https://kubernetes.default.svc'";
    let shop = project(
        "shop",
        "'https://git.example.com/acme/*'",
        &format!("{{{here}, namespace: shop-*}}, {{{here}, namespace: '!*'}}"),
    );
    let api = in_project("api", "shop", "name: in-cluster, namespace: pay", URL);
    let to = format!("{here}, namespace: shop-web");
    let web = in_project("web", "shop", &to, "https://git.example.org/acme/web");
    let fine = in_project("fine", "shop", &to, "git@git.example.com:acme/platform");
    let found = forbidden(&[("argocd/all.yaml", &(shop + &api + &web + &fine))]);
    assert_eq!(
        found,
        [
            "the AppProject `shop` does not permit the Application `api` to deploy to `in-cluster` in the \
             namespace `pay`, so Argo CD refuses to sync it",
            "the AppProject `shop` does not permit the Application `web` to use the source \
             `https://git.example.org/acme/web`, so Argo CD refuses to sync it",
        ]
    );
}

#[test]
fn what_a_project_may_allow_for_all_that_is_known_is_not_forbidden() {
    let far = "name: far-away, namespace: api";
    let open = project("open", "'*'", "{server: '*', namespace: '*'}");
    // By which address a cluster is registered is known to Argo CD only.
    let named = project(
        "named",
        &format!("'{URL}'"),
        "{server: 'https://10.0.0.1:6443', namespace: a*}",
    );
    let twice = project("twice", "", "") + &project("twice", "'*'", "");
    let template = project(
        "gap",
        "'{{ .Values.repo }}'",
        "{server: '*', namespace: '${NAMESPACE}'}",
    );
    let mut text = open + &named + &twice + &template;
    for name in ["open", "named", "twice", "gap", "elsewhere"] {
        text += &in_project(&format!("{name}-app"), name, far, URL);
    }
    assert_eq!(
        forbidden(&[("argocd/all.yaml", &text)]),
        Vec::<String>::new()
    );
}

#[test]
fn what_environments_call_differently_is_drawn_as_one() {
    let of = |environment: &str| {
        let name = format!("web-{environment}");
        let to = format!("destination: {{name: {environment}, namespace: default}}");
        application(&name, "apps/web").replace("destination: {namespace: default}", &to)
    };
    let workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web, image: 'example.com/web:1'}]}}}\n";
    let beside = workload.replace("web", "worker");
    let repo = repo(&[
        ("apps/web/web.yaml", workload),
        ("apps/web/worker.yaml", &beside),
        ("argocd/staging.yaml", &of("staging")),
        ("argocd/production.yaml", &of("production")),
    ]);
    let files = build(repo.path());
    let mut twins = pages(&files).filter(|(path, _)| path.starts_with("components/"));
    let (path, page) = twins.next().unwrap();
    assert_eq!(path, "components/web.html");
    assert!(page.contains("Application: web-production, web-staging"));
    assert!(!page.contains("creates"), "{page}");
}

/// An Application with a policy, which another one may create.
fn synced(name: &str, source: &str, policy: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: '{name}', namespace: argocd}}\nspec:\n  source: {source}\n  destination: {{namespace: '{name}'}}\n  syncPolicy: {policy}\n"
    )
}

/// The commands of the page of cert-manager, on which everything else depends.
fn orders(files: &[(&str, &str)]) -> Vec<String> {
    let issuer = "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: internal}\nspec: {selfSigned: {}}\n";
    let mut all = vec![("apps/issuers/issuer.yaml", issuer)];
    all.extend(files);
    let site = build(repo(&all).path());
    let page = text(&site, "components/cert-manager.md");
    let lines = page.lines().filter(|line| {
        line.starts_with("argocd app set ")
            || line.starts_with("flux suspend ")
            || line.starts_with("flux resume ")
            || line.starts_with("Dependents are ")
            || line.starts_with("Dependencies are ")
    });
    lines.map(str::to_owned).collect()
}

const CERT_MANAGER: &str =
    "{repoURL: 'https://charts.jetstack.io', chart: cert-manager, targetRevision: 1.16.1}";

#[test]
fn what_would_undo_a_suspension_is_suspended_first_and_resumed_last() {
    let here = |path: &str| format!("{{repoURL: '{URL}', path: {path}}}");
    let automated = "{automated: {prune: true}}";
    let healing = "{automated: {prune: true, selfHeal: true}}";
    let manager = synced("cert-manager", CERT_MANAGER, healing);
    let issuers = synced("issuers", &here("apps/issuers"), automated);
    let with_root = |policy: &str| {
        let root = synced("root", &here("argocd"), policy);
        orders(&[
            ("root.yaml", &root),
            ("argocd/cert-manager.yaml", &manager),
            ("argocd/issuers.yaml", &issuers),
        ])
    };
    assert_eq!(
        with_root(healing),
        [
            "Dependents are suspended first. Controllers that would re-apply them go before them.",
            "argocd app set root --sync-policy none",
            "argocd app set issuers --sync-policy none",
            "argocd app set cert-manager --sync-policy none",
            "Dependencies are resumed first. Parent Applications resume last.",
            "argocd app set cert-manager --sync-policy automated --auto-prune --self-heal",
            "argocd app set issuers --sync-policy automated --auto-prune",
            "argocd app set root --sync-policy automated --auto-prune --self-heal",
        ]
    );
    assert_eq!(
        with_root(automated),
        [
            "Dependents are suspended first.",
            "argocd app set issuers --sync-policy none",
            "argocd app set cert-manager --sync-policy none",
            "Dependencies are resumed first.",
            "argocd app set cert-manager --sync-policy automated --auto-prune --self-heal",
            "argocd app set issuers --sync-policy automated --auto-prune",
        ]
    );
}

#[test]
fn what_flux_applies_again_is_suspended_after_flux() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: argocd, namespace: flux-system}\nspec:\n  path: ./argocd\n  sourceRef: {kind: GitRepository, name: flux-system}\n";
    let here = format!("{{repoURL: '{URL}', path: apps/issuers}}");
    let manager = synced("cert-manager", CERT_MANAGER, "{automated: {}}");
    let issuers = synced("issuers", &here, "{}");
    assert_eq!(
        orders(&[
            ("clusters/dev/argocd.yaml", flux),
            ("argocd/cert-manager.yaml", &manager),
            ("argocd/issuers.yaml", &issuers),
        ]),
        [
            "Dependents are suspended first. Controllers that would re-apply them go before them.",
            "flux suspend kustomization argocd -n flux-system",
            "argocd app set cert-manager --sync-policy none",
            "Dependencies are resumed first. Parent Kustomizations resume last.",
            "argocd app set cert-manager --sync-policy automated",
            "flux resume kustomization argocd -n flux-system",
        ]
    );
}

#[test]
fn what_a_set_would_undo_is_named_instead() {
    let set = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: set, namespace: argocd}}\nspec:\n  goTemplate: true\n  generators:\n  - list: {{elements: [{{name: issuers}}]}}\n  template:\n    metadata: {{name: '{{{{.name}}}}'}}\n    spec:\n      source: {{repoURL: '{URL}', path: 'apps/{{{{.name}}}}'}}\n      destination: {{namespace: default}}\n      syncPolicy: {{automated: {{}}}}\n"
    );
    let manager = synced("cert-manager", CERT_MANAGER, "{automated: {}}");
    assert_eq!(
        orders(&[("argocd/set.yaml", &set), ("argocd/manager.yaml", &manager)]),
        [
            "Dependents are suspended first. Not listed: Issuers. ApplicationSet argocd/set would revert the change immediately.",
            "argocd app set cert-manager --sync-policy none",
            "Dependencies are resumed first.",
            "argocd app set cert-manager --sync-policy automated",
        ]
    );
}
