// Search: from anywhere, with the keyboard alone, over a server and from a file system.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE, fileAddress, visit, watch } from "./site.mjs";

const visitor = visit({ before, after });
const hits = (page) => page.locator(".hits [role=option]");

async function ask(page, query) {
  await page.fill(".finder input", query);
  await page.locator(`.hits[data-query=${JSON.stringify(query)}]`).waitFor({ state: "attached" });
}

test("the button opens the search, which finds a component by its name", async () => {
  const page = await visitor.open("pages/docs/conventions.html");
  await page.click(".search-button");
  assert.ok(await page.locator(".finder input").isVisible());
  await ask(page, "external secrets op");
  assert.match(await hits(page).first().textContent(), /^External Secrets Operator/);
  await hits(page).first().click();
  assert.equal(await page.textContent("h1"), "External Secrets Operator");
  await page.context().close();
});

test("slash opens it, arrows choose, Enter opens the chosen page, below the sub-path", async () => {
  const page = await visitor.open("components/redis.html");
  await page.keyboard.press("/");
  await page.keyboard.type("postgres");
  await page.locator('.hits[data-query="postgres"]').waitFor();
  assert.equal(await page.getAttribute(".finder input", "aria-activedescendant"), "hit-0");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.getAttribute(".finder input", "aria-activedescendant"), "hit-1");
  assert.equal(await page.locator('.hits [aria-selected="true"]').count(), 1);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.getAttribute(".finder input", "aria-activedescendant"), `hit-${(await hits(page).count()) - 1}`, "and round");
  await page.keyboard.press("ArrowDown");
  const address = await hits(page).first().evaluate((link) => link.href);
  await page.keyboard.press("Enter");
  await page.waitForURL(address);
  assert.match(address, /\/some\/where\/components\/postgres\.html$/);
  await page.context().close();
});

test("Ctrl+K opens it too, Escape closes it and gives the focus back", async () => {
  const page = await visitor.open("index.html");
  await page.focus(".search-button");
  await page.keyboard.press("Control+k");
  assert.ok(await page.locator(".finder").isVisible());
  await page.keyboard.type("redis");
  await page.keyboard.press("Escape");
  assert.ok(await page.locator(".finder").isHidden());
  assert.ok(await page.evaluate(() => document.activeElement.matches(".search-button")));
  await page.context().close();
});

test("a slash typed into a field stays there", async () => {
  const page = await visitor.open("index.html");
  await page.focus(".filters input[name=q]");
  await page.keyboard.press("/");
  assert.ok(await page.locator(".finder").isHidden());
  assert.equal(await page.inputValue(".filters input[name=q]"), "/");
  await page.context().close();
});

test("what is not there is said not to be", async () => {
  const page = await visitor.open("index.html");
  await page.keyboard.press("/");
  await ask(page, "zzyzxqqq");
  assert.equal(await page.textContent(".finder-state"), "No results");
  assert.equal(await hits(page).count(), 0);
  await page.keyboard.press("Enter");
  assert.match(page.url(), /index\.html$/);
  await page.context().close();
});

test("a setting, a kind and words of a text are found, in any case and order", async () => {
  const page = await visitor.open("index.html");
  await page.keyboard.press("/");
  await ask(page, "EXTERNAL_SECRETS_REPLICAS");
  assert.match(await hits(page).first().textContent(), /External Secrets Operator · prod 2 · dev 1/);
  await ask(page, "operator secrets external");
  assert.match(await hits(page).first().textContent(), /External Secrets Operator/);
  await ask(page, "clustersecretstore");
  assert.ok((await hits(page).count()) > 0);
  await page.context().close();
});

test("results are in groups, each with a name, and marked where they match", async () => {
  const page = await visitor.open("index.html");
  await page.keyboard.press("/");
  await ask(page, "keycloak");
  const groups = page.locator('.hits[role=listbox] > [role=group]');
  const names = await groups.evaluateAll((all) => all.map((group) => group.getAttribute("aria-label")));
  assert.equal(names[0], "Components");
  assert.ok(names.includes("Settings") && names.includes("Runbooks and alerts"), names.join());
  assert.equal(await hits(page).count(), await groups.locator("[role=option]").count());
  assert.equal(await hits(page).first().locator("mark").first().textContent(), "Keycloak");
  await page.context().close();
});

test("a setting, an alert and a runbook lead to their rows, which are in view", async () => {
  const page = await visitor.open("index.html");
  for (const [query, kind] of [["grafana.admin.existingSecret", "setting"], ["ingress.rules[0].host", "setting"], ["CheckoutErrorRateHigh", "alert"], ["checkout OOMKilled", "runbook"]]) {
    await page.goto(visitor.server.address("404.html"));
    await page.keyboard.press("/");
    await ask(page, query);
    await hits(page).filter({ has: page.locator(`small:text-is("${kind}")`) }).first().click();
    await page.waitForURL(/#/);
    const target = page.locator(":target");
    await target.waitFor();
    const box = await target.boundingBox();
    assert.ok(box.y >= 0 && box.y < 900, `${query}: ${box.y}`);
  }
  await page.context().close();
});

test("what was typed before is forgotten, however late its parts come", async () => {
  const page = await visitor.open("index.html");
  await page.route(/\/search\/p-/, async (route) => {
    await new Promise((later) => setTimeout(later, 400));
    await route.continue();
  });
  await page.keyboard.press("/");
  await page.fill(".finder input", "postgres");
  await ask(page, "redis");
  await page.waitForTimeout(700);
  assert.match(await hits(page).first().textContent(), /^Redis/);
  await page.context().close();
});

test("every result of a broad query leads to a page and an anchor that are there", async () => {
  const page = await visitor.open("pages/docs/adr/0004-external-secrets.html");
  await page.keyboard.press("/");
  for (const query of ["secret", "runbook", "postgres", "api", "finding", "memory limit", "image", "CheckoutErrorRateHigh", "weak-gate"]) {
    await ask(page, query);
    const addresses = await hits(page).evaluateAll((links) => links.map((link) => link.href));
    for (const address of addresses) {
      const { status, markup } = await page.request.get(address).then(async (response) => ({ status: response.status(), markup: await response.text() }));
      assert.equal(status, 200, address);
      const id = decodeURIComponent(new URL(address).hash.slice(1));
      assert.ok(!id || markup.includes(`id="${id}"`), address);
    }
  }
  await page.context().close();
});

test("a query loads less than 300 KB, and nothing is loaded before the search is opened", async () => {
  const page = await visitor.open(null);
  let loaded = 0;
  const sizes = [];
  page.on("response", (response) => {
    if (response.url().includes("/search/")) sizes.push(response.body().then((body) => (loaded += body.length)));
  });
  await page.goto(visitor.server.address("index.html"));
  await page.waitForLoadState("load");
  assert.equal(sizes.length, 0);
  await page.keyboard.press("/");
  for (const query of ["external secrets operator", "keyclok rometheus"]) {
    // The entry of the index is in the first query; what is loaded stays.
    loaded = 0;
    await ask(page, query);
    await Promise.all(sizes);
    assert.ok(loaded > 0 && loaded < 300_000, `${query}: ${loaded} bytes`);
  }
  await page.context().close();
});

test("from a file system the search works as well, from a page further down", async () => {
  for (const path of ["index.html", "components/redis.html"]) {
    const page = await visitor.open(null);
    const complaints = await watch(page, "file:");
    await page.goto(fileAddress(path));
    await page.keyboard.press("/");
    await ask(page, "checkout api");
    await page.keyboard.press("Enter");
    await page.waitForURL(fileAddress("components/checkout-api.html"));
    assert.equal(await page.textContent("h1"), "Checkout API");
    assert.deepEqual(complaints, []);
    await page.context().close();
  }
});

test("a phone has the search too, and a tap on a result opens it", async () => {
  const page = await visitor.open("architecture.html", { viewport: PHONE, hasTouch: true });
  await page.tap(".search-button");
  await ask(page, "redis");
  const box = await page.locator(".finder").boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width);
  await hits(page).first().tap();
  await page.waitForURL(/redis/);
  await page.context().close();
});
