//! The HelmReleases of a generated platform, with gaps such as `<name>` that the generator fills.

pub const RELEASE_BASE: &str = r"
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: <namespace>
resources:
  - helmrelease.yaml
";

pub const RELEASE_FROM_OCI: &str = r#"
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata:
  name: <name>
spec:
  interval: 15m
  layerSelector:
    mediaType: application/vnd.cncf.helm.chart.content.v1.tar+gzip
    operation: copy
  ref:
    tag: <version>
  url: oci://${REGISTRY}/charts/<chart>
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: <name>
  labels:
    platform.example.com/team: <layer>
spec:
  interval: 30m
  chartRef:
    kind: OCIRepository
    name: <name>
  install:
    remediation:
      retries: 3
  upgrade:
    cleanupOnFail: true
    remediation:
      strategy: rollback
      retries: 3
  values:
    fullnameOverride: <name>
    replicaCount: 1
    image:
      repository: ${REGISTRY}/<layer>/<name>
      tag: <version>
    env:
      LOG_LEVEL: ${LOG_LEVEL:=info}
      REGION: ${REGION}
      CLUSTER: ${CLUSTER_NAME}
      UPSTREAM_URL: "<upstream>"
<extra>    # Probes are the same for every service of this layer.
    probes:
      liveness:
        path: /healthz
        port: http
        initialDelaySeconds: 30
      readiness:
        path: /readyz
        port: http
        periodSeconds: 5
    service:
      type: ClusterIP
      ports:
        - name: http
          port: <port>
    ingress:
      enabled: true
      className: internal
      hosts:
        - host: <name>.${DOMAIN}
          paths: ["/"]
    resources:
      requests:
        cpu: 50m
        memory: 128Mi
      limits:
        memory: 256Mi
    serviceMonitor:
      enabled: true
      interval: 30s
"#;

pub const RELEASE_FROM_REPOSITORY: &str = r#"
---
# yaml-language-server: $schema=https://schemas.example.com/helm.toolkit.fluxcd.io/helmrelease_v2.json
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: <name>
spec:
  interval: 1h
  chart:
    spec:
      chart: <chart>
      version: <version>
      sourceRef:
        kind: HelmRepository
        name: platform-charts
        namespace: flux-system
  install:
    createNamespace: false
    remediation:
      retries: 3
  values:
    fullnameOverride: <name>
    controllers:
      main:
        replicas: 2
        strategy: RollingUpdate
        annotations:
          reloader.stakater.com/auto: "true"
        containers:
          app:
            image: ${REGISTRY}/<layer>/<name>:<version>
            envFrom:
              - secretRef:
                  name: <name>-credentials
            securityContext:
              allowPrivilegeEscalation: false
              readOnlyRootFilesystem: true
              capabilities:
                drop: ["ALL"]
            resources:
              requests:
                cpu: 100m
              limits:
                memory: 512Mi
    env:
      LOG_LEVEL: ${LOG_LEVEL}
      DATABASE_HOST: <name>-db.${DOMAIN}
      UPSTREAM_URL: "<upstream>"
<extra>    service:
      app:
        ports:
          http:
            port: <port>
    route:
      app:
        hostnames:
          - "${APP}.${DOMAIN}"
    podDisruptionBudget:
      minAvailable: 1
"#;

pub const PERSISTENCE: &str = r"    persistence:
      enabled: true
      storageClass: ${STORAGE_CLASS}
      size: 10Gi
      accessModes:
        - ReadWriteOnce
";

pub const RELEASE_DEV: &str = r"
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../../base
patches:
  - target:
      kind: HelmRelease
      name: <name>
    patch: |
      - op: replace
        path: /spec/values/replicaCount
        value: <candidate>
      - op: add
        path: /spec/values/env/DEBUG
        value: enabled
";

pub const RELEASE_PROD: &str = r"
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../../base
patches:
  - path: helmrelease-patch.yaml
";

pub const RELEASE_PATCH: &str = r"
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: <name>
  namespace: <namespace>
spec:
  values:
    replicaCount: 3
    resources:
      requests:
        cpu: 500m
        memory: 512Mi
      limits:
        memory: 1Gi
";
