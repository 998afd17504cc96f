import * as aws from "@pulumi/aws";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const keepFor = config.require("keepFor");
const schedule = config.get("schedule") || "0 3 * * *";

const bucket = new aws.s3.BucketV2("backup", { bucket: config.require("bucket") });

const namespace = new k8s.core.v1.Namespace("velero", { metadata: { name: "velero" } });

// A Release waits until what it installs runs, so the definitions below are there, and so is what serves them.
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
    spec: { provider: "aws", default: true, objectStorage: { bucket: bucket.bucket } },
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

export const bucketName = bucket.bucket;
