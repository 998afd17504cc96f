// The focus graph of a repository with more components than one picture can show, opened from the file system.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PHONE, WIDE, launch } from "./site.mjs";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const program = resolve(project, process.env.CATALOG ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug/catalog"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const COMPONENTS = 120;
let place, browser;

/** Every component needs c0, and the one before it: the first follows from the second. c60 to c119 need c1, too. */
before(async () => {
  place = mkdtempSync(join(tmpdir(), "catalog-graph-"));
  mkdirSync(join(place, "repo/clusters/prod"), { recursive: true });
  const source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {interval: 1m, url: https://git.example.com/a/b.git}\n";
  const units = Array.from({ length: COMPONENTS }, (_, n) => {
    const needs = n === 0 ? [] : n < 60 ? [0, n - 1] : [1];
    mkdirSync(join(place, `repo/apps/layer-${n % 20}/c${n}`), { recursive: true });
    const config = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${n}, namespace: c${n}}\n`;
    writeFileSync(join(place, `repo/apps/layer-${n % 20}/c${n}/config.yaml`), config);
    const depends = needs.length ? `  dependsOn: [${[...new Set(needs)].map((need) => `{name: c${need}}`).join(", ")}]\n` : "";
    return `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: c${n}, namespace: flux-system}\nspec:\n  interval: 1m\n  prune: true\n  path: ./apps/layer-${n % 20}/c${n}\n  sourceRef: {kind: GitRepository, name: flux-system}\n${depends}`;
  });
  writeFileSync(join(place, "repo/clusters/prod/all.yaml"), [source, ...units].join("---\n"));
  writeFileSync(join(place, "repo/catalog.toml"), '[[cluster]]\nname = "prod"\nroot = "clusters/prod"\n');
  execFileSync(program, ["build", join(place, "repo"), "--out", join(place, "site"), "--quiet"], { stdio: "pipe" });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(place, { recursive: true, force: true });
});

async function open(hash = "", options = {}) {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(place, "site/architecture.html")).href + hash);
  return page;
}
const column = (page, number) => page.locator(`.focus [data-c="${number}"]`);
const titles = (page, number) => column(page, number).locator("span").allTextContents();

test("a component has two hops on each side, without edges that others imply", async () => {
  const page = await open("#focus=c3");
  assert.equal(await page.locator(".focus-centre strong").textContent(), "C3");
  assert.deepEqual(await titles(page, 1), ["C2"], "that it needs c0 follows");
  assert.deepEqual(await titles(page, 0), ["C1"]);
  assert.deepEqual(await titles(page, 3), ["C4"]);
  assert.deepEqual(await titles(page, 4), ["C5"]);
  assert.ok(await page.locator("#graph").isHidden(), "the picture for those without a script");
  await page.context().close();
});

test("a hub is collapsed, and all of it is one click away", async () => {
  const page = await open("#focus=c1");
  assert.match(await page.locator(".focus-tools output").textContent(), /C1: 1 dependency, 61 dependents/);
  assert.equal(await column(page, 3).count(), 18);
  await page.getByRole("button", { name: "Show 43 more" }).click();
  assert.equal(await column(page, 3).count(), 61);
  await page.context().close();
});

test("a click, the keyboard and the field re-centre it, and the history leads back", async () => {
  const page = await open("#focus=c3");
  // The address changes first, and the picture follows.
  const centredOn = (title) => page.locator(".focus-centre strong", { hasText: new RegExp(`^${title}$`) }).waitFor();
  await page.locator(".focus a", { hasText: "C4" }).click();
  await centredOn("C4");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".focus-centre")));
  await page.locator(".focus a", { hasText: "C5" }).focus();
  await page.keyboard.press("Enter");
  await centredOn("C5");
  await page.fill(".focus-tools input", "c40");
  await page.keyboard.press("Enter");
  await centredOn("C40");
  await page.goBack();
  await centredOn("C5");
  await page.locator(".focus-centre a").click();
  assert.equal(await page.textContent("h1"), "C5");
  await page.context().close();
});

test("a path is traced on hover and on focus", async () => {
  const page = await open("#focus=c3");
  const traced = () => page.locator(".focus svg path.on").count();
  assert.equal(await traced(), 0);
  await page.locator(".focus a", { hasText: "C5" }).hover();
  assert.equal(await traced(), 2, "from the centre through c4");
  await page.mouse.move(5, 5);
  assert.equal(await traced(), 0);
  await page.locator(".focus a", { hasText: "C1" }).focus();
  assert.equal(await traced(), 2);
  await page.context().close();
});

test("without a script there is a picture whose components lead to their own neighbours", async () => {
  const page = await open("", { javaScriptEnabled: false });
  const links = await page.locator("#graph svg a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.ok(links.length > 1 && links.every((href) => /^components\/c\d+\.html#dependencies$/.test(href)), links.join());
  await page.context().close();
});

test("axe finds nothing serious, the page fits a phone and stays small", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [WIDE, PHONE]) {
      const page = await open("#focus=c1", { colorScheme, viewport });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run({ include: ["main"] }));
      assert.deepEqual(violations.filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => `${one.id}: ${one.nodes[0].html}`), []);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(beyond <= 0, `${beyond} pixels`);
      await page.context().close();
    }
  }
  assert.ok(statSync(join(place, "site/architecture.html")).size < 200_000);
});

test("the layers of twenty are drawn with few arrows", async () => {
  const page = await open();
  const picture = page.locator("#layers-diagram svg");
  assert.equal(await picture.locator(".d-node").count(), 20);
  assert.ok((await picture.locator(".d-edge").count()) <= 26);
  await page.context().close();
});
