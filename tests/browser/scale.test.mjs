// A catalogue of more components than a browser lays out at once, in three environments, and one with more settings than its
// page shows. Opened from the file system.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PHONE, WIDE, launch } from "./site.mjs";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const program = resolve(project, process.env.CATALOG ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug/catalog"));
const COMPONENTS = 1_030, SETTINGS = 390;
let place, browser;

/** c0 to c1029 in two layers. Those with an even number differ between environments; c7 has many settings. */
before(async () => {
  place = mkdtempSync(join(tmpdir(), "catalog-scale-"));
  const write = (path, text) => {
    mkdirSync(dirname(join(place, "repo", path)), { recursive: true });
    writeFileSync(join(place, "repo", path), text);
  };
  const source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {interval: 1m, url: https://git.example.com/a/b.git}\n";
  for (const [name, version] of [["dev", "2.0.0"], ["prod", "1.9.0"], ["test", "2.0.0"]]) {
    const unit = (layer) => `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${layer}, namespace: flux-system}\nspec:\n  interval: 1m\n  prune: true\n  path: ./apps/${layer}\n  sourceRef: {kind: GitRepository, name: flux-system}\n  postBuild:\n    substitute:\n      VERSION: ${version}\n`;
    write(`clusters/${name}/all.yaml`, [source, unit("first"), unit("second")].join("---\n"));
  }
  for (let n = 0; n < COMPONENTS; n += 1) {
    const values = n === 7 ? `  values:\n${Array.from({ length: SETTINGS }, (_, at) => `    key${at}: "\${VERSION}-${at}"\n`).join("")}` : "";
    write(`apps/${n < 700 ? "first" : "second"}/c${n}/release.yaml`, `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: c${n}, namespace: c${n}}\nspec:\n  interval: 1h\n  chart:\n    spec:\n      chart: c${n}\n      version: ${n % 2 ? "1.0.0" : "${VERSION}"}\n      sourceRef: {kind: HelmRepository, name: charts}\n${values}`);
  }
  write("catalog.toml", 'repository = "https://github.com/acme/fleet"\n[[cluster]]\nname = "dev"\nroot = "clusters/dev"\n[[cluster]]\nname = "prod"\nroot = "clusters/prod"\n[[cluster]]\nname = "test"\nroot = "clusters/test"\n');
  execFileSync(program, ["build", join(place, "repo"), "--out", join(place, "site"), "--quiet"], { stdio: "pipe" });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(place, { recursive: true, force: true });
});

async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(place, "site")).href + "/" + path);
  return page;
}
const address = (path) => join(place, "site", path);

test("every component is on the home page, and the filter finds the last of them", async () => {
  const page = await open("index.html");
  assert.equal(await page.locator("table.index tr[data-f]").count(), COMPONENTS);
  await page.fill(".filters input[name=q]", "c1028");
  assert.equal(await page.locator("table.index tr[data-f]:visible").count(), 1);
  assert.equal(await page.textContent(".filters output"), `1 of ${COMPONENTS}`);
  const layers = await page.locator("table.index tr.group:visible").allTextContents();
  assert.equal(layers.length, 1, "the layers that have no match are not there");
  await page.fill(".filters input[name=q]", "");
  await page.check(".filters input[name=differs]");
  assert.equal(await page.textContent(".filters output"), `${COMPONENTS / 2} of ${COMPONENTS}`);
  await page.context().close();
});

test("columns stay below their heads in a table that is not laid out as a whole", async () => {
  for (const viewport of [WIDE, PHONE]) {
    const page = await open("index.html", { viewport });
    const heads = await page.locator("table.index thead th").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)));
    for (const row of [1, 2, 650]) {
      const cells = await page.locator("table.index tr[data-f]").nth(row).evaluate((one) => {
        one.scrollIntoView();
        return Array.from(one.children, (cell) => [cell.colSpan, Math.round(cell.getBoundingClientRect().left)]);
      });
      let at = 0;
      for (const [span, left] of cells) {
        assert.ok(Math.abs(left - heads[at]) <= 1, `row ${row}, column ${at}: ${left} below ${heads[at]}`);
        at += span;
      }
      assert.equal(at, heads.length);
    }
    await page.context().close();
  }
});

test("each version leads to its line, and says which that is", async () => {
  const page = await open("index.html");
  const row = page.locator("table.index tr[data-f]", { hasText: /^C8(?!\d)/ }).first();
  const links = row.locator("td a");
  assert.deepEqual(await links.allTextContents(), ["1.9.0", "2.0.0"], "production first");
  assert.match(await links.first().getAttribute("href"), /^https:\/\/github\.com\/acme\/fleet\/blob\/\w+\/clusters\/prod\/all\.yaml#L\d+$/);
  assert.equal(await links.first().getAttribute("title"), null);
  await links.first().scrollIntoViewIfNeeded();
  await links.first().hover();
  assert.match(await links.first().getAttribute("title"), /^set at clusters\/prod\/all\.yaml:\d+$/);
  await page.context().close();
});

test("an environment has one page with all that runs there, and each version leads to its line", async () => {
  const page = await open("environments/prod.html");
  const rows = page.locator("table.running tbody tr");
  assert.equal(await rows.count(), COMPONENTS);
  await page.locator(".table-tools input[type=search]").fill("c1029");
  assert.equal(await page.locator("table.running tbody tr:visible").count(), 1);
  assert.match(await page.locator("table.running tbody tr:visible a").last().getAttribute("href"), /apps\/second\/c1029\/release\.yaml#L\d+$/);
  await page.context().close();
});

test("the settings of an environment have its value and those of all others", async () => {
  const page = await open("environments/dev-settings.html");
  await page.locator(".table-tools input[type=search]").fill("key99");
  const row = page.locator("table.settings tbody tr:not(.group):visible");
  assert.equal(await row.count(), 1);
  assert.match(await row.textContent(), /key99.*2\.0\.0-99.*1\.9\.0-99 prod.*same test/s);
  assert.ok(statSync(address("environments/dev-settings.html")).size < 2_000_000);
  await page.context().close();
});

test("a setting that the page of its component has no room for is found on the page of all", async () => {
  const page = await open("index.html");
  await page.keyboard.press("/");
  await page.fill(".finder input", "key99");
  await page.locator('.hits[data-query="key99"]').waitFor({ state: "attached" });
  const first = page.locator(".hits [role=option]").first();
  assert.match(await first.textContent(), /key99/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/settings\/c7\.html#setting-key99$/);
  assert.ok(await page.locator("#setting-key99").isVisible());
  const top = await page.locator("#setting-key99").evaluate((row) => row.getBoundingClientRect().top);
  assert.ok(top >= 0 && top < WIDE.height, "in view");
  await page.context().close();
});

test("where values are set is shown on request, on a touch screen and on paper", async () => {
  const page = await open("components/c7.html");
  const value = page.locator("#configuration a.value").first();
  assert.equal(await value.getAttribute("title"), null);
  await page.getByLabel("Show where values are set").check();
  const shown = await value.evaluate((link) => getComputedStyle(link, "::after").content);
  assert.match(shown, /set at clusters\/prod\/all\.yaml:16/);
  await page.context().close();
  const touch = await open("components/c7.html", { viewport: PHONE, hasTouch: true, isMobile: true });
  const told = await touch.locator("#configuration a.value").first().evaluate((link) => getComputedStyle(link, "::after").content);
  assert.match(told, /set at clusters\/prod\/all\.yaml:16/);
  await touch.context().close();
});
