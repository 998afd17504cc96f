//! Tests for the commands that are reported, and for those that are not.

use super::*;
use crate::catalog::Catalog;

fn messages(text: &str) -> Vec<String> {
    let catalog = Catalog::default();
    let inventory = Inventory::from_catalog(&catalog);
    let faults = of_text(text, &inventory, &mut { Reconciling::Active }).into_iter();
    faults
        .map(|(line, _, fault)| {
            let help = fault.help.unwrap_or_default();
            format!("{line} {}: {} / {help}", fault.rule, fault.message)
        })
        .collect()
}

fn one(text: &str) -> String {
    let all = messages(text);
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all.into_iter().next().unwrap_or_default()
}

#[test]
fn verbs_of_another_tool_are_named_with_the_command_that_is_right() {
    let said = one("kubectl -n flux-system suspend helmrelease secrets-manager");
    assert!(said.contains("command-unknown-verb"), "{said}");
    assert!(
        said.ends_with("use `flux -n flux-system suspend helmrelease secrets-manager`"),
        "{said}"
    );
    assert!(one("kubectl resume hr/a -n b").ends_with("use `flux resume helmrelease a -n b`"));
    assert!(
        one("kubectl reconcile gitrepository x").ends_with("use `flux reconcile source git x`")
    );
    assert!(
        one("kubectl suspend cronjob x -n y")
            .contains("kubectl -n y patch cronjob x -p '{\"spec\":{\"suspend\":true}}'")
    );
    assert!(
        one("sudo kubectl restart deploy/a").ends_with("use `kubectl rollout restart deploy/a`")
    );
    assert!(one("flux describe helmrelease a").ends_with("use `kubectl describe helmrelease a`"));
    assert!(
        one("helm suspend podinfo -n a").ends_with("use `flux suspend helmrelease podinfo -n a`")
    );
    assert!(one("argocd sync guestbook").ends_with("use `argocd app sync guestbook`"));
}

#[test]
fn slips_are_found_at_any_level() {
    assert!(one("kubectl desribe pod x").ends_with("use `kubectl describe pod x`"));
    assert!(
        one("kubectl rollout retsart deploy x").ends_with("use `kubectl rollout restart deploy x`")
    );
    assert!(one("kubectl get kustomizatons -A").ends_with("use `kubectl get kustomizations -A`"));
    assert!(one("flux get kustomisations").ends_with("use `flux get kustomizations`"));
    assert!(
        one("flux reconcile gitrepository flux-system")
            .ends_with("use `flux reconcile source git flux-system`")
    );
    assert!(one("helm get value x").ends_with("use `helm get values x`"));
    assert!(one("argocd app snyc x").ends_with("use `argocd app sync x`"));
}

#[test]
fn what_may_be_right_is_left_alone() {
    let right = "
kubectl -n a get pods,svc -o wide
kubectl cnpg status postgres -n postgres
kubectl krew install cnpg
kubectl neat get pod x
kubectl get widgets.example.com x
kubectl get gizmo x
kubectl suspend
kubectl $VERB helmrelease a
kubectl <verb> helmrelease a
kubectl auth can-i get pods --as=system:serviceaccount:a:b
kubectl -n x logs -l app=y --tail=30 -f
kubectl exec -it deploy/x -- kubectl suspend helmrelease a
kubectl config use-context prod
kubectl create secret generic a --from-literal=b=c
kubectl top pods -n a --containers
kubectl rollout status deploy x --timeout=120s
kubectl set env deploy/x A=b
flux get all -A --status-selector ready=false
flux reconcile ks apps --with-source
flux logs --level=error --kind=HelmRelease --name=x
flux events --for Kustomization/apps
flux get sources git
flux tree ks apps
flux version
flux is a tool
helm -n a history b
helm ls -A
helm diff upgrade a b
argocd app get x --refresh
argocd admin initial-password -n argocd
for pod in $(kubectl get pods -o name); do kubectl logs $pod; done
kubectl wait --for=condition=Ready node --all
";
    assert_eq!(messages(right), [] as [&str; 0]);
}

#[test]
fn commands_that_print_a_secret_are_found() {
    for text in [
        "kubectl -n a get secret b -o jsonpath='{.data.password}' | base64 -d",
        "kubectl get secret b -o yaml",
        "kubectl get secret/b -ojson | jq -r '.data.x'",
        "kubectl get secrets b --output=go-template='{{index .data \"x\"}}' 2>/dev/null",
    ] {
        assert!(one(text).contains("command-prints-secret"), "{text}");
    }
}

#[test]
fn commands_that_keep_a_secret_to_themselves_are_left_alone() {
    let quiet = "
kubectl get secret b
kubectl get secret b -o name
kubectl get secret b -o jsonpath='{.metadata.annotations}'
kubectl describe secret b
PASSWORD=$(kubectl get secret b -o jsonpath='{.data.x}' | base64 -d)
kubectl get secret b -o yaml > backup.yaml
kubectl get secret b -o yaml | kubeseal -o yaml
kubectl get secret b -o yaml | kubectl apply -n c -f -
kubectl get secret b -o json | jq '.data | keys'
kubectl get secret b -o jsonpath='{.data.tls\\.crt}' | base64 -d | openssl x509 -noout -enddate
kubectl get secret b -o jsonpath='{.data.x}' | base64 -d | wc -c
kubectl get externalsecret b -o yaml
";
    assert_eq!(messages(quiet), [] as [&str; 0]);
}
