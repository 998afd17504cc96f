//! A second repository with planted statements: a database-like StatefulSet, a release that Flux installs, and a service
//! with a CronJob and a volume.

use std::path::Path;

use crate::provenance::put;

const BILLING: &str = "apiVersion: v1
kind: Namespace
metadata:
  name: billing
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: billing-api
  namespace: billing
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: billing-api
  template:
    metadata:
      labels:
        app.kubernetes.io/name: billing-api
    spec:
      serviceAccountName: billing
      initContainers:
        - name: migrate
          image: ghcr.io/acme/billing-migrate:7.2.0
      containers:
        - name: api
          image: ghcr.io/acme/billing-api:7.2.1
          ports:
            - name: http
              containerPort: 8081
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 512Mi
          envFrom:
            - secretRef:
                name: billing-env
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: invoice-run
  namespace: billing
spec:
  schedule: \"0 4 * * *\"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: run
              image: ghcr.io/acme/billing-api:7.2.1
---
apiVersion: v1
kind: Service
metadata:
  name: billing-api
  namespace: billing
spec:
  selector:
    app.kubernetes.io/name: billing-api
  ports:
    - name: http
      port: 8080
      targetPort: http
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: billing-config
  namespace: billing
data:
  CURRENCY: EUR
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: billing
  namespace: billing
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: billing
  namespace: billing
spec:
  ingressClassName: nginx
  rules:
    - host: billing.acme.test
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: billing-api
                port:
                  name: http
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: receipts
  namespace: billing
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 20Gi
";

const BROKER: &str = "apiVersion: v1
kind: Namespace
metadata:
  name: broker
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: nats
  namespace: broker
spec:
  replicas: 3
  serviceName: nats
  selector:
    matchLabels:
      app: nats
  template:
    metadata:
      labels:
        app: nats
    spec:
      containers:
        - name: nats
          image: docker.io/library/nats:2.10.18
          ports:
            - name: client
              containerPort: 4222
---
apiVersion: v1
kind: Service
metadata:
  name: nats
  namespace: broker
spec:
  clusterIP: None
  selector:
    app: nats
  ports:
    - name: client
      port: 4222
";

const MAIL: &str = "apiVersion: v1
kind: Namespace
metadata:
  name: mail
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata:
  name: mail
  namespace: mail
spec:
  interval: 1h
  url: https://charts.mail.test
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: mailer
  namespace: mail
spec:
  interval: 30m
  chart:
    spec:
      chart: mailer
      version: 3.4.2
      sourceRef:
        kind: HelmRepository
        name: mail
  values:
    replicaCount: 2
    image:
      tag: 9.1.0
";

/// Commands that cannot work here, do not last, or show a secret.
pub const WRONG_COMMANDS: &[&str] = &[
    "kubectl -n billing rollout restart deploy/billing",
    "kubectl -n billing logs deployment/billing-api -c migrations",
    "kubectl describe cronjob invoices -n billing",
    "kubectl -n billing create job --from=cronjob/invoice now",
    "kubectl get pvc reciepts -n billing",
    "kubectl -n billing get pods --selector app=billing-api",
    "kubectl -n broker rollout status deployment/nats",
    "kubectl -n broker exec -it nats-0 -c broker -- sh",
    "kubectl --namespace brokr get sts",
    "kubectl patch deployment billing-api -n billing --type merge -p '{\"spec\":{\"replicas\":6}}'",
    "kubectl -n billing set resources deployment billing-api -c api --limits=memory=1Gi",
    "helm upgrade mailer mail/mailer -n mail --version 3.5.0",
    "helm rollback mailer 3 -n mail",
    "flux suspend hr mailr -n mail",
    "flux reconcile hr mailer",
    "kubectl -n billing get secret billing-env -o yaml",
    "kubectl -n billing exec deploy/billing-api -- printenv",
    "kubectl -n billing get secret billing-env -o go-template='{{range .data}}{{. | base64decode}}{{end}}'",
];

/// Commands that work, however they look.
pub const RIGHT_COMMANDS: &[&str] = &[
    "kubectl -n billing rollout restart deploy/billing-api",
    "kubectl -n billing logs deployment/billing-api -c migrate --previous",
    "kubectl -n billing create job --from=cronjob/invoice-run invoice-run-manual-1",
    "kubectl -n billing logs job/invoice-run-manual-1",
    "kubectl -n billing port-forward svc/billing-api 9000:8080",
    "kubectl get pods -n billing -l 'app.kubernetes.io/name in (billing-api,other)'",
    "kubectl get pods -n broker -l app=nats -o jsonpath='{.items[*].metadata.name}'",
    "kubectl -n broker delete pod nats-0",
    "kubectl -n mail get deploy mailer-web",
    "kubectl -n mail logs -l app.kubernetes.io/instance=mailer -c worker",
    "kubectl debug -it -n billing deploy/billing-api --image=busybox --target=api",
    "kubectl -n billing get secret billing-env -o json | jq '.data | keys'",
    "flux -n mail suspend helmrelease mailer",
    "flux reconcile helmrelease -n mail mailer --force",
    "flux events --for Kustomization/billing",
    "helm -n mail history mailer",
    "kubectl cnpg status orders -n billing",
    "kubectl -n billing wait --for=condition=Available deploy/billing-api --timeout=2m",
];

/// Sentences, rows and items that contradict the manifests.
pub const WRONG_PROSE: &[&str] = &[
    "The API listens on port 3000.",
    "- **Namespace:** payments",
    "| Replicas | 2 |",
    "The current version is 7.1.0.",
    "It is deployed from `ghcr.io/acme/billing-api:6.9.0`.",
    "You reach it at https://invoices.acme.test/login.",
    "- Memory limit: 1Gi",
    "| CPU request | 250m |",
    "| Storage | 50Gi |",
    "It runs as a StatefulSet in the `finance` namespace.",
    "The service is exposed on port 9443.",
    "It needs Mail to start.",
];

/// What may look like a contradiction.
pub const RIGHT_PROSE: &[&str] = &[
    "The API listens on port 8081.",
    "- **Namespace:** billing (created by Flux)",
    "| Replicas | 3 |",
    "The service port is 8080; the container listens on 8081.",
    "Version 7.1.0 introduced refunds.",
    "Before 2024 it was available at https://old.acme.test.",
    "NATS listens on 4222.",
    "- Memory limit: 0.5 GiB",
    "| CPU request | 0.1 |",
    "| Storage | 20 GiB |",
    "Give the pod at least 5 minutes.",
    "It talks to the card provider at https://api.cards.test on port 443.",
    "The `payments` namespace belongs to another team.",
];

/// Steps that the files break.
pub const WRONG_STEPS: &[&str] = &[
    "`apps/billing/app.yaml` sets `replicas: 5`",
    "`infra/main.tf` declares `aws_s3_bucket.receipts`",
    "`infra/outputs.tf` exports `bucket_name`",
    "`apps/mail/release.yaml` exists with chart `mailer` and version `3.5.0`",
    "`apps/broker/` contains `broker.yaml` and `service.yaml`",
    "The HelmRepository points to `https://charts.mailer.test`",
    "The Deployment uses `ghcr.io/acme/billing-api:7.3.0` with `envFrom.secretRef` for `billing-env`",
    "The CronJob has `schedule: \"0 5 * * *\"`",
    "`clusters/prod/apps.yaml` has `dependsOn: [{name: database}]`",
    "`infra/variables.tf` contains `var.zone`",
];

/// Steps that hold, or that nobody can decide by the files.
pub const RIGHT_STEPS: &[&str] = &[
    "`apps/billing/app.yaml` sets `replicas: 3`",
    "`infra/main.tf` declares `aws_s3_bucket.invoices`",
    "`infra/outputs.tf` outputs `bucket_arn`",
    "`apps/mail/release.yaml` exists with chart `mailer` and version `3.4.2`",
    "`apps/broker/` contains only `broker.yaml`",
    "Invoices are sent within a minute of the run",
    "`infra/legacy.tf` was removed",
    "The Deployment has three replicas and no CPU limit",
    "`make test` is green",
];

/// Writes the manifests.
pub fn manifests(root: &Path, unit: &dyn Fn(&str) -> String) {
    let waits = unit("billing").replace("spec: {", "spec: {dependsOn: [{name: broker}], ");
    let all = [waits, unit("broker"), unit("mail")].join("---\n");
    put(root, "clusters/prod/apps.yaml", &all);
    put(root, "apps/billing/app.yaml", BILLING);
    put(root, "apps/broker/broker.yaml", BROKER);
    put(root, "apps/mail/release.yaml", MAIL);
    put(
        root,
        "infra/main.tf",
        "resource \"aws_s3_bucket\" \"invoices\" {\n  bucket = \"acme-invoices\"\n}\n",
    );
    put(
        root,
        "infra/outputs.tf",
        "output \"bucket_arn\" {\n  value = aws_s3_bucket.invoices.arn\n}\n",
    );
    put(
        root,
        "infra/variables.tf",
        "variable \"region\" {\n  default = \"eu-west-1\"\n}\n",
    );
}
