// Reports of `catalog check --format junit`, held to the schema that CI servers read them by, with libxml2.
// CATALOG_PROGRAM is the program. No browser is needed here.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { validateXML } from "xmllint-wasm";

const top = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
if (!process.env.CATALOG_PROGRAM) throw new Error("CATALOG_PROGRAM is not set: name the program that cargo built");
const program = resolve(top, process.env.CATALOG_PROGRAM);
const schema = readFileSync(join(top, "tests/schema/junit-10.xsd"), "utf8");

/** A repository in which everything is right. */
const plain = {
  "clusters/dev/apps.yaml":
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: apps\n  namespace: flux-system\nspec:\n  interval: 1h\n  prune: true\n  path: ./web\n  sourceRef:\n    kind: GitRepository\n    name: flux-system\n---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: flux-system\n  namespace: flux-system\nspec:\n  interval: 1h\n  url: https://example.org/a/b\n",
  "web/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  namespace: default\n",
};

/** A repository with an error, a remark, something accepted, and names that XML cannot write as they are. */
const troubled = {
  ...plain,
  "apps/kustomization.yaml": "resources:\n  - a.yaml\n  - missing.yaml\n",
  "apps/a.yaml": "a: 1\na: 2\n",
  "apps/broken <&\"'> ü.yaml": "a: 'open\n",
  "apps/control.yaml": "a: \"\u0001\u001b[31m\" ]]> \ufffe\n",
  "apps/template.yaml": "{{ if .Values.x }}\na: 1\n{{ end }}\n",
  "docs/page.md": "# Page\n\n[gone](gone.md)\n",
  "catalog.toml": '[[check.allow]]\nrule = "yaml-duplicate-key"\nbecause = "it is <known> & \\"kept\\""\n',
};

test("reports follow the schema of JUnit", async () => {
  for (const files of [troubled, plain]) {
    for (const severity of ["error", "warning", "info", "never"]) {
      const report = check(files, severity);
      const result = await validate(report);
      assert.ok(result.valid, `${result.rawOutput}\n${report}`);
    }
  }
  const report = check(troubled, "warning");
  for (const element of ["<failure ", "<skipped ", "<system-out>"]) assert.ok(report.includes(element), report);
});

test("the worked example's report follows the schema of JUnit", async () => {
  const result = await validate(run(join(top, "content"), "info"));
  assert.ok(result.valid, result.rawOutput);
});

test("a report that does not follow the schema is refused", async () => {
  const report = check(troubled, "warning");
  const broken = [
    report.replace(/ name="catalog check"/, ""),
    report.replace("<failure ", '<failure colour="red" '),
    report.replace(/<failure [^>]*>/, "<fault>").replace("</failure>", "</fault>"),
    report.replace("</testsuites>", ""),
  ];
  for (const document of broken) {
    assert.notEqual(document, report);
    assert.equal((await validate(document)).valid, false, document);
  }
});

function validate(contents) {
  return validateXML({ xml: [{ fileName: "report.xml", contents }], schema: [schema] });
}

function check(files, severity) {
  const directory = mkdtempSync(join(tmpdir(), "catalog-junit-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return run(directory, severity);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What the program prints, whether or not it found something. */
function run(directory, severity) {
  const args = ["check", "--quiet", "--format", "junit", "--fail-on", severity, directory];
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  } catch (error) {
    if (error.status !== 1) throw error;
    return error.stdout;
  }
}
