import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

export interface VeleroArgs {
  bucket: pulumi.Input<string>;
  keepFor: string;
  schedule: string;
}

export function installVelero({ bucket, keepFor, schedule }: VeleroArgs) {
  const namespace = new k8s.core.v1.Namespace("velero", { metadata: { name: "velero" } });

  // A Release waits until what it installs runs, so the kinds below exist by then.
  const velero = new k8s.helm.v3.Release("velero", {
    name: "velero",
    chart: "velero",
    version: "8.1.0",
    namespace: namespace.metadata.name,
    repositoryOpts: { repo: "https://vmware-tanzu.github.io/helm-charts" },
    values: { backupsEnabled: false, snapshotsEnabled: false, deployNodeAgent: true },
  });

  const location = new k8s.apiextensions.CustomResource(
    "location",
    {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name: "default", namespace: namespace.metadata.name },
      spec: { provider: "aws", default: true, objectStorage: { bucket } },
    },
    { dependsOn: [velero] },
  );

  new k8s.apiextensions.CustomResource(
    "nightly",
    {
      apiVersion: "velero.io/v1",
      kind: "Schedule",
      metadata: { name: "nightly", namespace: namespace.metadata.name },
      spec: { schedule, template: { ttl: keepFor, storageLocation: "default" } },
    },
    { dependsOn: [velero, location] },
  );
}
