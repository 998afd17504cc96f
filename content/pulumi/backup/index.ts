import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { installVelero } from "./velero";

const config = new pulumi.Config();

const bucket = new aws.s3.BucketV2("backup", { bucket: config.require("bucket") });

installVelero({
  bucket: bucket.bucket,
  keepFor: config.require("keepFor"),
  schedule: config.get("schedule") || "0 3 * * *",
});

export const bucketName = bucket.bucket;
