// What people on call come for, each in two steps at most, on the example and on the same repository without any prose.
// Both have a history: something changed the day before yesterday, and something today.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WIDE, launch } from "./site.mjs";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const program = resolve(project, process.env.CATALOG ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug/catalog"));
const DAY = 24 * 3600 * 1000;
const day = (ago) => new Date(Date.now() - ago * DAY).toISOString();

/** Builds the example with a history; `keeps` says which files of it. */
function built(keeps) {
  const place = mkdtempSync(join(tmpdir(), "catalog-tasks-"));
  const repo = join(place, "repo");
  cpSync(join(project, "content"), repo, { recursive: true, filter: keeps });
  const traefik = join(repo, "apps/edge/traefik/release.yaml");
  const release = readFileSync(traefik, "utf8");
  assert.match(release, /\n    service:\n/);
  writeFileSync(traefik, release.replace("\n    service:\n", "\n    service:\n      spec:\n        loadBalancerIP: 10.20.0.5\n"));
  appendFileSync(join(repo, "catalog.toml"), '\n[[context]]\nname = "prod"\ncontext = "meridian-prod"\n');
  const git = (when, ...args) => execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false", ...args], {
    cwd: repo, stdio: "pipe", env: { ...process.env, GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when },
  });
  git(day(2), "init", "-q", "-b", "main");
  git(day(2), "add", "-A");
  git(day(2), "commit", "-q", "-m", "Start");
  const env = join(repo, "base/environment.env");
  const before = readFileSync(env, "utf8");
  assert.match(before, /CERT_MANAGER_CHART_VERSION=v1\.17\.2/);
  writeFileSync(env, before.replace("CERT_MANAGER_CHART_VERSION=v1.17.2", "CERT_MANAGER_CHART_VERSION=v1.17.4"));
  git(day(0), "commit", "-q", "-a", "-m", "Update cert-manager");
  const site = join(place, "site");
  execFileSync(program, ["build", repo, "--out", site, "--quiet"], { stdio: "pipe" });
  return { place, site };
}

const everything = (path) => !path.endsWith("/.git");
const manifests = (path) => everything(path) && (statSync(path).isDirectory() ? !/\/(\.sdd|docs)$/.test(path) : !path.endsWith(".md"));

for (const [name, keeps, hasProse] of [["the example", everything, true], ["a repository without prose", manifests, false]]) {
  describe(`on ${name}`, () => {
    let browser, fixture, page, steps;
    before(async () => {
      fixture = built(keeps);
      browser = await launch();
    });
    after(async () => {
      await browser?.close();
      if (fixture) rmSync(fixture.place, { recursive: true, force: true });
    });

    /** The home page, from which every task begins. */
    async function home() {
      const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce" });
      page = await context.newPage();
      await page.goto(pathToFileURL(join(fixture.site, "index.html")).href);
      steps = 0;
    }
    /** One step: somebody types or pastes this into the search. */
    async function search(query) {
      steps += 1;
      await page.keyboard.press("/");
      await page.fill(".finder input", query);
      await page.locator(`.hits[data-query=${JSON.stringify(query)}]`).waitFor({ state: "attached" });
    }
    /** One step: the first result. */
    async function enter() {
      steps += 1;
      const address = await page.locator(".hits [role=option]").first().evaluate((link) => link.href);
      await page.keyboard.press("Enter");
      await page.waitForURL(address);
    }
    async function click(locator) {
      steps += 1;
      await locator.click();
    }
    async function done() {
      assert.ok(steps <= 2, `${steps} steps`);
      await page.context().close();
    }
    const first = () => page.locator(".hits [role=option]").first().textContent();

    test("a runbook is found from the name of an alert", async () => {
      await home();
      await search("CheckoutErrorRateHigh");
      assert.match(await first(), /CheckoutErrorRateHigh/);
      await enter();
      if (hasProse) {
        assert.match(page.url(), /runbooks\/checkout-error-rate\.html/);
        assert.match(await page.locator("main").textContent(), /CheckoutErrorRateHigh.*kubectl/s);
      } else {
        // Where nobody wrote one, the generated runbooks of the component are on the page of the alert.
        assert.ok(await page.locator(`[id="${decodeURIComponent(new URL(page.url()).hash.slice(1))}"]`).isVisible(), page.url());
        assert.ok((await page.locator("#defaults ~ .runbooks details").count()) >= 3);
      }
      await done();
    });

    test("a runbook is found from what kubectl shows", async () => {
      await home();
      await search("checkout CrashLoopBackOff");
      await enter();
      const box = page.locator(`[id="${decodeURIComponent(new URL(page.url()).hash.slice(1))}"]`);
      assert.ok(await box.isVisible());
      assert.match(await box.textContent(), /kubectl .*(logs|get pods)/s);
      await done();
    });

    test("postgres is down: who is affected in prod is listed", async () => {
      await home();
      await search("postgres");
      await enter();
      assert.equal(await page.textContent("h1"), "Postgres");
      const blast = page.locator("#blast-radius");
      assert.match(await blast.textContent(), /break/i);
      const names = await blast.locator(".levels li").evaluateAll((all) => all.map((item) => item.textContent));
      const prod = names.filter((text) => !/dev only/.test(text));
      for (const affected of ["Catalogue API", "Checkout API", "Keycloak"]) assert.ok(prod.some((text) => text.includes(affected)), `${affected}: ${names}`);
      await done();
    });

    test("the version in prod is on the home page, and the line that sets it one step away", async () => {
      await home();
      steps += 1;
      await page.fill(".filters input[name=q]", "cert-manager");
      const row = page.locator("table.index tbody tr[data-f]:visible", { hasText: "cert-manager" }).first();
      assert.match(await row.textContent(), /v1\.17\.4/);
      const lines = await row.locator("td a", { hasText: "v1.17.4" }).evaluateAll((all) => all.map((link) => link.href));
      assert.ok(lines.some((href) => /base\/environment\.env#L\d+$/.test(href)), lines.join());
      await click(row.locator("th a").first());
      assert.match(await page.locator(".runs").textContent(), /prod.*v1\.17\.4/s);
      assert.match(await page.locator(".runs a", { hasText: "v1.17.4" }).first().getAttribute("href"), /base\/environment\.env#L\d+$/);
      await done();
    });

    test("the owner is named, and the dashboard is a button", async () => {
      await home();
      await search("redis");
      await enter();
      assert.match(await page.locator("article").textContent(), /Owner\s*Platform/);
      assert.ok((await page.locator('a[href="mailto:platform@meridianbooks.example"]').count()) > 0);
      const dashboard = await page.locator(".quick a", { hasText: "Dashboard" }).first().getAttribute("href");
      assert.match(dashboard, /^https:\/\/grafana\.meridianbooks\.example\/.*var-app=redis/, "that of production");
      await done();
    });

    test("commands have the context of the environment that is chosen, and orders that of theirs", async () => {
      await home();
      await search("checkout CrashLoopBackOff");
      await enter();
      await page.locator(".contexts select").selectOption({ label: "prod" });
      const box = page.locator("#default-crash-loop");
      assert.match(await box.locator(".cmd").first().textContent(), /^kubectl --context meridian-prod -n checkout get pods/);
      await page.locator(".contexts select").selectOption({ label: "none" });
      assert.match(await box.locator(".cmd").first().textContent(), /^kubectl -n checkout get pods/);
      const order = page.locator("#blast-radius .orders details", { hasText: /Suspend order in prod/ });
      assert.match(await order.locator(".cmd").first().textContent(), /^flux --context meridian-prod suspend/);
      await done();
    });

    test("what changed since yesterday is a page of its own", async () => {
      await home();
      await click(page.locator('a[href$="changes.html"]').first());
      const days = await page.locator("table.commits tr.group").allTextContents();
      assert.ok(days[0].includes(day(0).slice(0, 10)), days.join());
      const today = page.locator("table.commits tbody").first();
      assert.match(await today.textContent(), /Update cert-manager/);
      assert.match(await today.textContent(), /v1\.17\.2.*v1\.17\.4/s);
      await done();
    });

    test("a commit is found by its subject", async () => {
      await home();
      await search("Update cert-manager");
      assert.match(await first(), /Update cert-manager.*commit/s);
      await enter();
      assert.match(page.url(), /changes\.html#commit-[0-9a-f]{8}$/);
      assert.match(await page.locator("tr:target").textContent(), /Update cert-manager.*v1\.17\.2.*v1\.17\.4/s);
      await done();
    });

    for (const [what, query, expected] of [
      ["a setting", "CHECKOUT_API_MEMORY_LIMIT", /CHECKOUT_API_MEMORY_LIMIT.*Mi/s],
      ["an image", "registry.example.com/meridian/checkout-api", /checkout-api/],
      ["a host", "grafana.meridianbooks.example", /grafana/],
      ["an IP", "10.20.0.5", /10\.20\.0\.5/],
    ]) {
      test(`${what} is found`, async () => {
        await home();
        await search(query);
        assert.match(await first(), expected);
        await enter();
        assert.match(page.url(), /components\/.*\.html/);
        await done();
      });
    }
  });
}

test("the repository without prose has none", () => {
  const fixture = built(manifests);
  const found = readdirSync(join(fixture.place, "repo"), { recursive: true }).filter((path) => /\.md$/.test(path));
  assert.deepEqual(found, []);
  assert.ok(existsSync(join(fixture.site, "index.html")));
  rmSync(fixture.place, { recursive: true, force: true });
});
