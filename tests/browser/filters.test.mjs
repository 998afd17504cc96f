// Filters: of the index, of the findings, of long tables and of the whole graph. The options say how many there are,
// and so the tests need no numbers of their own.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { visit } from "./site.mjs";

const visitor = visit({ before, after });
const rows = (page) => page.locator("table.index tbody tr:not(.group):visible");
const findings = (page) => page.locator(".finding:visible");

/** The options of a filter but the first, which is all: value and how many it promises. */
function options(page, name) {
  return page.locator(`.filters select[name=${name}] option`).evaluateAll((all) =>
    all.slice(1).map((option) => ({ value: option.value, count: Number(/\((\d+)\)$/.exec(option.textContent)[1]) })),
  );
}

for (const name of ["layer", "namespace", "environment", "status", "owner", "kind"]) {
  test(`the index by ${name} shows as many components as the filter says`, async () => {
    const page = await visitor.open("index.html");
    const all = await rows(page).count();
    const promised = await options(page, name);
    assert.ok(promised.length > 1, "there is something to choose");
    for (const { value, count } of promised) {
      await page.selectOption(`.filters select[name=${name}]`, value);
      assert.equal(await rows(page).count(), count, `${name}=${value}`);
      assert.equal(await page.textContent(".filters output"), `${count} of ${all}`);
    }
    await page.context().close();
  });
}

test("filters of the index add up, and a layer without a match is not there", async () => {
  const page = await visitor.open("index.html");
  await page.selectOption("select[name=layer]", "Data");
  await page.selectOption("select[name=kind]", "HelmRelease");
  const both = await rows(page).count();
  assert.ok(both > 0);
  await page.selectOption("select[name=kind]", "");
  assert.ok((await rows(page).count()) > both);
  assert.equal(await page.locator("table.index tbody:visible").count(), 1);
  await page.context().close();
});

test("text filters the index by name and summary", async () => {
  const page = await visitor.open("index.html");
  await page.fill(".filters input[name=q]", "SECRETS oper");
  assert.equal(await rows(page).count(), 1);
  assert.match(await rows(page).first().textContent(), /External Secrets Operator/);
  await page.fill(".filters input[name=q]", "nothing like this");
  assert.equal(await rows(page).count(), 0);
  assert.ok(await page.locator("[data-none]").isVisible());
  await page.context().close();
});

test("the home page shows only components whose versions differ, production first", async () => {
  const page = await visitor.open("index.html");
  const heads = await page.locator("table.index thead th").allTextContents();
  assert.deepEqual(heads.slice(0, 3), ["Component", "prod", "dev"]);
  const promised = Number(/\((\d+)\)/.exec(await page.textContent(".filters .pick"))[1]);
  await page.check(".filters input[name=differs]");
  assert.equal(await rows(page).count(), promised);
  for (const row of await rows(page).all()) assert.ok((await row.locator("td.differs").count()) > 0);
  await page.reload();
  assert.ok(await page.isChecked(".filters input[name=differs]"), "the address keeps it");
  await page.fill(".filters input[name=q]", "0.19.2");
  assert.equal(await rows(page).count(), 1, "a version is found, too");
  await page.context().close();
});

test("the state of the filters is in the address, survives a reload, and can be sent to somebody", async () => {
  const page = await visitor.open("index.html");
  await page.selectOption("select[name=layer]", "Services");
  await page.selectOption("select[name=environment]", "dev");
  await page.fill(".filters input[name=q]", "api");
  const shown = await rows(page).allTextContents();
  assert.ok(shown.length > 0);
  assert.match(page.url(), /#(?=.*layer=Services)(?=.*environment=dev)(?=.*q=api)/);
  await page.reload();
  assert.deepEqual(await rows(page).allTextContents(), shown);
  const other = await visitor.open(null);
  await other.goto(page.url());
  assert.deepEqual(await rows(other).allTextContents(), shown);
  assert.equal(await other.inputValue("select[name=layer]"), "Services");
  await other.context().close();
  await page.context().close();
});

test("show all takes every filter away, and the state out of the address", async () => {
  const page = await visitor.open("index.html");
  const all = await rows(page).count();
  assert.ok(await page.locator(".filters [type=reset]").isHidden());
  await page.selectOption("select[name=status]", "disabled");
  await page.fill(".filters input[name=q]", "re");
  await page.click(".filters [type=reset]");
  await page.locator(".filters output", { hasText: /^\d+ components$/ }).waitFor();
  assert.equal(await rows(page).count(), all);
  assert.doesNotMatch(page.url(), /#/);
  assert.equal(await page.inputValue("select[name=status]"), "");
  await page.context().close();
});

test("findings by severity, rule and component are as many as the filters say", async () => {
  const page = await visitor.open("findings.html");
  const all = await findings(page).count();
  assert.ok(all > 0, "the example has something to find");
  for (const name of ["severity", "rule", "component"]) {
    const values = await page.locator(".finding").evaluateAll((items, key) => items.map((item) => item.dataset[key]).filter(Boolean), name);
    const promised = await options(page, name);
    // A filter with nothing to choose between may be left out.
    if (new Set(values).size > 1) assert.deepEqual(promised.map(({ value }) => value).sort(), [...new Set(values)].sort());
    for (const { value, count } of promised) {
      await page.selectOption(`.filters select[name=${name}]`, value);
      assert.equal(await findings(page).count(), count, `${name}=${value}`);
      assert.equal(await page.textContent(".filters output"), `${count} of ${all}`);
      await page.selectOption(`.filters select[name=${name}]`, "");
    }
  }
  await page.context().close();
});

test("findings are filtered by text, from the address, and all shown again", async () => {
  const page = await visitor.open("findings.html");
  const all = await findings(page).count();
  const rule = await page.locator(".finding").first().getAttribute("data-rule");
  const same = await page.locator(`.finding[data-rule="${rule}"]`).count();
  await page.goto(visitor.server.address(`findings.html#q=${rule}`));
  await page.reload();
  assert.ok((await findings(page).count()) >= same);
  assert.equal(await page.inputValue(".filters input[name=q]"), rule);
  await page.fill(".filters input[name=q]", "nothing like this");
  assert.equal(await findings(page).count(), 0);
  assert.ok(await page.locator("[data-none]").isVisible());
  await page.click(".filters [type=reset]");
  await page.locator(".filters output", { hasText: /^\d+ findings$/ }).waitFor();
  assert.equal(await findings(page).count(), all);
  await page.context().close();
});

test("a long table of settings is searched, and shows only what differs", async () => {
  const page = await visitor.open("components/external-secrets-operator.html");
  const section = page.locator("#configuration");
  const shown = section.locator("tbody tr:not(.group):visible");
  const all = await shown.count();
  await section.locator(".table-tools input[type=search]").fill("webhook");
  const some = await shown.count();
  assert.ok(some > 0 && some < all);
  assert.equal(await section.locator(".table-tools output").textContent(), `${some} of ${all}`);
  await section.locator(".table-tools input[type=search]").fill("");
  await section.getByLabel(/Only differences/).check();
  assert.equal(await shown.count(), await section.locator("tr.is-different").count());
  await page.context().close();
});

test("the whole graph shows one layer with its neighbours, and all of it again", async () => {
  const page = await visitor.open("architecture.html");
  const graph = page.locator("#graph");
  const nodes = graph.locator(".d-node:visible");
  const all = await nodes.count();
  const size = await graph.locator("svg.diagram").getAttribute("viewBox");
  await graph.locator("select").selectOption({ label: "Data" });
  const names = await nodes.locator("text").allTextContents();
  assert.ok(names.includes("Postgres") && names.includes("Redis"), "those of the layer");
  assert.ok(names.includes("Catalogue API"), "what depends on them");
  assert.ok(!names.includes("Traefik"), "and nothing else");
  assert.equal(await graph.locator("output").textContent(), `${await nodes.count()} of ${all} shown, including neighbours`);
  assert.equal(await graph.locator("rect.d-group:visible").count(), 1);
  assert.notEqual(await graph.locator("svg.diagram").getAttribute("viewBox"), size);
  await graph.locator("select").selectOption("");
  assert.equal(await nodes.count(), all);
  assert.equal(await graph.locator("svg.diagram").getAttribute("viewBox"), size);
  await page.context().close();
});

test("the whole graph is zoomed in and out, fitted into the window and dragged", async () => {
  const page = await visitor.open("architecture.html");
  const graph = page.locator("#graph");
  const picture = graph.locator("svg.diagram");
  const width = async () => (await picture.boundingBox()).width;
  const natural = await width();
  await graph.getByRole("button", { name: "Zoom in" }).click();
  await graph.getByRole("button", { name: "Zoom in" }).click();
  await graph.getByRole("button", { name: "Zoom in" }).click();
  assert.ok((await width()) > natural * 2);
  const view = graph.locator(".diagram-view");
  assert.equal(await view.getAttribute("tabindex"), "0", "what scrolls can be reached with the keyboard");
  await view.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const place = await view.boundingBox();
  await page.mouse.move(place.x + 20, place.y + 300);
  await page.mouse.down();
  await page.mouse.move(place.x + 20, place.y + 100);
  await page.mouse.up();
  assert.ok((await view.evaluate((element) => element.scrollTop)) > 100);
  await graph.getByRole("button", { name: "Fit" }).click();
  assert.ok((await picture.boundingBox()).height < 900);
  assert.ok(await view.evaluate((element) => element.scrollHeight <= element.clientHeight + 1), "all of it is seen");
  await graph.getByRole("button", { name: "Full size" }).click();
  assert.ok(Math.abs((await width()) - natural) < 40);
  await page.context().close();
});
