// The live preview in a browser: `catalog serve` on a copy of the example, whose files change while its pages are open.
// CATALOG is the program; else it is where cargo puts it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, watch, WIDE } from "./site.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const project = resolve(here, "../..");
const program = resolve(project, process.env.CATALOG ?? join(process.env.CARGO_TARGET_DIR ?? "target", "debug/catalog"));
const axe = readFileSync(join(here, "node_modules/axe-core/axe.min.js"), "utf8");

const COMPONENT = "components/checkout-api.html";
const PROSE = "apps/services/checkout-api/README.md";
const MANIFEST = "apps/services/checkout-api/deployment.yaml";
/** As much as a busy machine may need. */
const PATIENCE = 60_000;

let browser;
let repo;
let server;

before(async () => { browser = await launch(); });
after(() => browser?.close());

beforeEach(async () => {
  repo = mkdtempSync(join(tmpdir(), "catalog-serve-"));
  cpSync(join(project, "content"), repo, { recursive: true });
  server = await start();
});
afterEach(async () => {
  await server.end();
  rmSync(repo, { recursive: true, force: true });
});

/** Starts the program and waits until it says where it is. */
async function start(port = "0") {
  const child = spawn(program, ["serve", repo, "--port", port], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((done) => child.once("exit", done));
  const lines = createInterface({ input: child.stderr });
  const said = [];
  const origin = await new Promise((found, failed) => {
    lines.on("line", (line) => {
      said.push(line);
      const address = /^Serving (http:\S+)\/;/.exec(line);
      if (address) found(address[1]);
    });
    ended.then(() => failed(new Error(`it ended: ${said.join("\n")}`)));
  });
  return { origin, port: new URL(origin).port, end: () => { child.kill("SIGINT"); return ended; } };
}

const read = (path) => readFileSync(join(repo, path), "utf8");

/** Writes a file in one step, as editors do. */
function put(path, text) {
  const target = join(repo, path);
  const beside = join(repo, `.${Date.now()}.tmp`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(beside, text);
  renameSync(beside, target);
}

/** Opens a page that listens, notes its complaints, and has a mark that a reload would wipe away. */
async function open(path = COMPONENT, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce", colorScheme: "light", ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const complaints = await watch(page, server.origin);
  await page.goto(`${server.origin}/${path}`);
  await listening(page);
  await page.evaluate(() => { window.mark = "kept"; });
  return { page, complaints, close: () => context.close() };
}

const listening = (page) => page.waitForFunction(() => document.documentElement.dataset.liveBuild !== undefined);
const isMarked = (page) => page.evaluate(() => window.mark === "kept");
const overlay = (page) => page.locator("#catalog-live .overlay");
const panel = (page) => page.locator("#catalog-live .panel");

/** Keeps a picture for people to look at, if PICTURES names a directory. */
async function picture(page, name) {
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) });
}

/** What axe has to say about what the preview adds. It breaks the policy of the page, so complaints are looked at before. */
async function violations(page) {
  await page.evaluate(`${axe}\n;0`);
  return page.evaluate(async () => {
    const { violations } = await axe.run({ include: [["#catalog-live"]] }, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
  });
}

test("an edited page shows what it says now, where its reader was", async () => {
  const { page, complaints, close } = await open();
  const folded = page.locator("main details").nth(1);
  await folded.evaluate((details) => { details.open = true; });
  const layer = page.locator("#nav details[open]").first();
  const title = await layer.locator("summary").textContent();
  await layer.evaluate((details) => { details.open = false; });
  await page.evaluate(() => scrollTo(0, 900));
  const before = await page.evaluate(() => scrollY);
  assert.ok(before > 300, `the page is long enough to scroll: ${before}`);

  put(PROSE, read(PROSE) + "\n\n## One more thing\n\nWritten while somebody reads.\n");
  await page.getByText("Written while somebody reads.").first().waitFor({ state: "attached" });
  await listening(page);
  assert.equal(await isMarked(page), false, "it was loaded again");
  assert.equal(await page.evaluate(() => scrollY), before, "the scroll position stays");
  assert.equal(await folded.evaluate((details) => details.open), true, "what was open stays open");
  const same = page.locator("#nav details", { has: page.locator("summary", { hasText: title.trim() }) }).first();
  assert.equal(await same.evaluate((details) => details.open), false, "what was folded stays folded");
  assert.deepEqual(complaints, []);
  await close();
});

test("a page that says the same stays as it is", async () => {
  const { page, complaints, close } = await open();
  const build = await page.getAttribute("html", "data-live-build");
  put("docs/somewhere-else.md", "# Somewhere else\n\nNobody links here.\n");
  await page.waitForFunction((build) => document.documentElement.dataset.liveBuild !== build, build);
  assert.equal(await isMarked(page), true);
  assert.deepEqual(complaints, []);
  await close();
});

test("a new style is taken without a reload", async () => {
  const { page, complaints, close } = await open();
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  for (const [style, wanted] of [["rgb(1, 2, 3)", "rgb(1, 2, 3)"], ["rgb(4, 5, 6)", "rgb(4, 5, 6)"]]) {
    put("theme/static/style.css", `body { background: ${style}; }\n`);
    await page.waitForFunction((wanted) => getComputedStyle(document.body).backgroundColor === wanted, wanted);
    assert.equal(await colour(), wanted);
  }
  await page.waitForFunction(() => document.querySelectorAll("link[rel=stylesheet]").length === 1);
  assert.equal(await isMarked(page), true, "nothing was loaded again");
  assert.deepEqual(complaints, []);
  await close();
});

const BREAKS = [
  { what: "a manifest that is broken", path: MANIFEST, broken: "apiVersion: v1\nkind: [Deployment\nmetadata: here\n", lines: /deployment\.yaml:\d+/ },
  { what: "a template that is broken", path: "theme/sections/overview.html", broken: "<p>\n{% if %}\n", lines: /sections\/overview\.html:2/ },
  { what: "a template that breaks only when it is used", path: "theme/sections/overview.html", broken: "<p>\n{{ section.nothing.at.all }}\n", lines: /sections\/overview\.html:2/ },
  { what: "a configuration that is broken", path: "catalog.toml", broken: "# ours\ntilte = 'Fleet'\n", lines: /catalog\.toml:2:1[\s\S]*tilte = 'Fleet'/ },
];

for (const { what, path, broken, lines } of BREAKS) {
  test(`${what} is shown over the last good page, until it is mended`, async () => {
    const good = (() => { try { return read(path); } catch { return undefined; } })();
    const { page, complaints, close } = await open();
    put(path, broken);
    await overlay(page).waitFor();
    assert.match(await overlay(page).locator("pre").textContent(), lines);
    assert.ok(await isMarked(page), "the last good page is behind it");
    assert.ok((await page.textContent("h1")).includes("Checkout"));
    if (good === undefined) rmSync(join(repo, path));
    else put(path, good);
    await overlay(page).waitFor({ state: "hidden" });
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("Esc closes what is wrong until something else is, and the focus goes back", async () => {
  const { page, complaints, close } = await open();
  await page.locator(".top a").first().focus();
  put(MANIFEST, "a: b: c\n");
  await overlay(page).waitFor();
  assert.equal(await page.evaluate(() => document.getElementById("catalog-live").shadowRoot.activeElement?.textContent), "CloseEsc");
  await page.keyboard.press("Escape");
  await overlay(page).waitFor({ state: "hidden" });
  assert.ok(await page.locator(".top a").first().evaluate((link) => link === document.activeElement));
  const build = () => page.getAttribute("html", "data-live-build");
  const before = await build();
  put("docs/somewhere-else.md", "# Somewhere else\n");
  put(MANIFEST, "a: b: c: d\n");
  await overlay(page).waitFor();
  assert.equal(await build(), before, "still the last good page");
  await overlay(page).locator("button").click();
  await overlay(page).waitFor({ state: "hidden" });
  assert.deepEqual(complaints, []);
  await close();
});

test("the findings of a page are in a panel that follows the repository", async () => {
  const { page, complaints, close } = await open();
  assert.ok(await panel(page).isHidden(), "there are none");
  put(MANIFEST, `${read(MANIFEST)}---\n${read(MANIFEST)}`);
  await panel(page).waitFor();
  await listening(page);
  assert.match(await panel(page).locator("summary").textContent(), /^\d+ findings? on this page$/);
  await panel(page).locator("summary").click();
  assert.ok((await panel(page).locator("li").first().textContent()).includes(`${MANIFEST}:`));
  const found = await panel(page).locator("li").count();
  put(PROSE, read(PROSE) + "\nMore.\n");
  await page.waitForFunction(() => window.mark === undefined);
  // It stays open after a reload, of which there may be one more while somebody looks at it.
  await panel(page).locator("li").nth(found - 1).waitFor();
  put(MANIFEST, read(MANIFEST).split("---\n")[0]);
  await panel(page).waitFor({ state: "hidden" });
  assert.deepEqual(complaints, []);
  await close();
});

test("what the preview adds can be read in both themes, whatever the system prefers", async () => {
  put(MANIFEST, `${read(MANIFEST)}---\n${read(MANIFEST)}`);
  const good = read(MANIFEST);
  for (const [colorScheme, presses] of [["light", 0], ["light", 2], ["dark", 0], ["dark", 1]]) {
    const { page, complaints, close } = await open(COMPONENT, { colorScheme });
    const name = `${colorScheme}-${presses}`;
    // From the system's theme to the other one.
    for (let press = 0; press < presses; press += 1) await page.click("[data-theme-switch]");
    const ground = (element) => getComputedStyle(element).backgroundColor;
    const wanted = await page.locator(".top").evaluate(ground);
    await panel(page).locator("summary").click();
    assert.equal(await panel(page).evaluate(ground), wanted, "it has the colours of the page");
    await picture(page, `panel-${name}`);
    assert.deepEqual(complaints, []);
    assert.deepEqual(await violations(page), [], `the panel, ${name}`);
    put(MANIFEST, `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: checkout-api: ${name}\n`);
    await overlay(page).waitFor();
    assert.equal(await overlay(page).evaluate(ground), wanted);
    await picture(page, `overlay-${name}`);
    assert.deepEqual(await violations(page), [], `the overlay, ${name}`);
    put(MANIFEST, good);
    await overlay(page).waitFor({ state: "hidden" });
    await close();
  }
});

test("a page that nobody sees holds no connection, and is of now when it is looked at again", async () => {
  const { page, complaints, close } = await open();
  const see = (state) => page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
  await see("hidden");
  const other = await open("index.html");
  const build = await other.page.getAttribute("html", "data-live-build");
  put(PROSE, read(PROSE) + "\n\nWritten behind its back.\n");
  await other.page.waitForFunction((build) => document.documentElement.dataset.liveBuild !== build, build);
  assert.equal(await isMarked(page), true, "it has not heard of it");
  await see("visible");
  await page.getByText("Written behind its back.").first().waitFor({ state: "attached" });
  assert.deepEqual([...complaints, ...other.complaints], []);
  await other.close();
  await close();
});

test("a server that comes back finds its pages again", async () => {
  const { page, close } = await open();
  const { port } = server;
  await server.end();
  put(PROSE, read(PROSE) + "\n\nWritten while it was away.\n");
  server = await start(port);
  await page.getByText("Written while it was away.").first().waitFor({ state: "attached" });
  await close();
});
