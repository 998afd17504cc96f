// Finding one's way and reading: navigation, breadcrumbs, diagrams, phones, paper, and all of it without a script.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE, samples, visit } from "./site.mjs";

const visitor = visit({ before, after });
const COMPONENT = "components/external-secrets-operator.html";

// A click or a tap does not always wait for the page that it leads to.
const followed = (page, act) => Promise.all([page.waitForEvent("load"), act()]);

test("the navigation has the layers of the index, and leads to a component that it then marks", async () => {
  const page = await visitor.open("index.html");
  const layers = await page.locator("table.index tbody").evaluateAll((bodies) => bodies.map((body) => [body.querySelector(".stick").firstChild.textContent.trim(), body.rows.length - 1]));
  const side = await page.locator("#nav details").evaluateAll((all) => all.map((details) => [details.querySelector("summary").firstChild.textContent.trim(), details.querySelectorAll("li").length]));
  assert.deepEqual(side, layers);
  await followed(page, () => page.click('#nav a:has-text("Redis")'));
  assert.equal(await page.textContent("h1"), "Redis");
  assert.match(await page.textContent("#nav a[aria-current=page]"), /Redis/);
  await page.context().close();
});

test("every link of the top bar leads to a page that marks it", async () => {
  const page = await visitor.open("index.html");
  const count = await page.locator(".links a").count();
  assert.ok(count >= 4);
  for (let at = 0; at < count; at += 1) {
    const link = page.locator(".links a").nth(at);
    const title = await link.textContent();
    await followed(page, () => link.click());
    assert.equal(await page.locator(".links a[aria-current]").textContent(), title);
  }
  await page.context().close();
});

test("breadcrumbs lead from a component to its layer and to the index", async () => {
  const page = await visitor.open("components/redis.html");
  assert.equal(await page.textContent(".crumbs [aria-current=page]"), "Redis");
  await followed(page, () => page.click('.crumbs a:has-text("Data")'));
  assert.match(page.url(), /index\.html#layer-data$/);
  const place = await page.locator("#layer-data").boundingBox();
  assert.ok(place.y >= 0 && place.y < 900, "the layer is in view");
  await page.goBack();
  await followed(page, () => page.click(".crumbs a >> nth=0"));
  assert.match(page.url(), /index\.html$/);
  await page.context().close();
});

test("previous and next lead to the neighbours in the navigation", async () => {
  const page = await visitor.open("components/redis.html");
  const names = await page.locator("#nav li a").evaluateAll((links) => links.map((link) => link.lastChild.textContent.trim()));
  const at = names.indexOf("Redis");
  await followed(page, () => page.click(".pager [rel=next]"));
  assert.equal(await page.textContent("h1"), names[at + 1]);
  await followed(page, () => page.click(".pager [rel=prev]"));
  await followed(page, () => page.click(".pager [rel=prev]"));
  assert.equal(await page.textContent("h1"), names[at - 1]);
  await page.context().close();
});

test("a node in a diagram leads to the component that it names", async () => {
  const page = await visitor.open(COMPONENT);
  const node = page.locator("#dependencies svg a", { hasText: "Checkout API" });
  await node.click();
  assert.equal(await page.textContent("h1"), "Checkout API");
  await page.context().close();
});

test("every diagram has a name, and every node of the whole graph leads somewhere", async () => {
  const page = await visitor.open("architecture.html");
  const nameless = await page.locator("svg.diagram").evaluateAll((all) => all.filter((svg) => !svg.querySelector("title")?.textContent).length);
  assert.equal(nameless, 0);
  const nodes = await page.locator("#graph .d-node").count();
  assert.ok(nodes > 10);
  assert.equal(await page.locator("#graph a .d-node").count(), nodes);
  await page.context().close();
});

test("on this page: a click leads to the section, and scrolling marks the one being read", async () => {
  const page = await visitor.open(COMPONENT);
  await page.click('.toc a[href="#configuration"]');
  assert.match(page.url(), /#configuration$/);
  await page.locator('.toc a.here[href="#configuration"]').waitFor();
  assert.equal(await page.locator(".toc a[aria-current=location]").count(), 1);
  await page.context().close();
});

test("a link to a runbook opens it", async () => {
  const page = await visitor.open(COMPONENT);
  const id = await page.locator("details.runbook").nth(1).getAttribute("id");
  assert.equal(await page.locator(`#${id}[open]`).count(), 0);
  await page.goto(visitor.server.address(`${COMPONENT}#${id}`));
  await page.reload();
  await page.locator(`#${id}[open] .box-body`).waitFor();
  const box = await page.locator(`#${id}`).boundingBox();
  assert.ok(box.y >= 0 && box.y < 900, "and it is in view");
  await page.context().close();
});

test("on a phone the navigation is behind its button, and leads on from there", async () => {
  const page = await visitor.open("index.html", { viewport: PHONE, hasTouch: true });
  assert.ok(await page.locator("#nav").isHidden());
  await page.tap(".nav-button");
  assert.ok(await page.locator("#nav").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(await page.locator("#nav").isHidden());
  await page.tap(".nav-button");
  await followed(page, () => page.tap('#nav a:has-text("Postgres")'));
  assert.equal(await page.textContent("h1"), "Postgres");
  assert.ok(await page.locator("#nav").isHidden());
  await page.context().close();
});

test("on a phone the top bar shows its buttons whole, and fingers can hit them", async () => {
  const page = await visitor.open(COMPONENT, { viewport: PHONE, hasTouch: true });
  for (const selector of [".nav-button", ".search-button", ".theme-button"]) {
    const box = await page.locator(selector).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width, `${selector} is cut off`);
    assert.ok(box.width >= 32 && box.height >= 32, `${selector} is small`);
  }
  await page.context().close();
});

test("paper has no navigation, and nothing on it is folded away", async () => {
  const page = await visitor.open(COMPONENT, { colorScheme: "dark" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  for (const selector of [".top", "#nav", ".toc", ".pager", ".copy >> nth=0"]) {
    assert.ok(await page.locator(selector).first().isHidden(), `${selector} is printed`);
  }
  assert.ok(await page.locator("h1").isVisible());
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  const folded = await page.locator("details.box .box-body").evaluateAll((all) => all.filter((body) => body.getBoundingClientRect().height === 0).length);
  assert.equal(folded, 0);
  await page.context().close();
});

test("without a script every kind of page has its content, its diagrams and its navigation", async () => {
  const page = await visitor.open(null, { javaScriptEnabled: false });
  for (const path of samples) {
    await page.goto(visitor.server.address(path));
    assert.ok(await page.locator("h1").isVisible(), `${path}: heading`);
    assert.ok(await page.locator("#nav li a").first().isVisible(), `${path}: navigation`);
    assert.ok(await page.locator(".links a").first().isVisible(), `${path}: top bar`);
    for (const diagram of await page.locator("svg.diagram").all()) assert.ok(await diagram.isVisible(), `${path}: diagram`);
    // What only a script can do is not offered.
    for (const selector of [".search-button", ".theme-button", ".filters", ".copy"]) {
      for (const offered of await page.locator(selector).all()) assert.ok(await offered.isHidden(), `${path}: ${selector}`);
    }
  }
  await page.goto(visitor.server.address(COMPONENT));
  await page.locator("details.runbook summary").first().click();
  assert.ok(await page.locator("details.runbook .box-body").first().isVisible(), "a runbook opens");
  await page.locator("#dependencies svg a", { hasText: "Redis" }).click();
  assert.equal(await page.textContent("h1"), "Redis");
  await page.context().close();
});

test("without a script the navigation of a phone still opens", async () => {
  const page = await visitor.open("index.html", { viewport: PHONE, javaScriptEnabled: false });
  assert.ok(await page.locator("#nav").isHidden());
  await page.click(".nav-button");
  assert.ok(await page.locator("#nav").isVisible());
  await page.context().close();
});
