// What holds for every page: it is quiet, it asks nobody else, it fits, and people who cannot see it can use it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { PHONE, WIDE, pages, samples, visit, watch } from "./site.mjs";

const visitor = visit({ before, after });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

test("no page is wider than a phone, complains, breaks its policy or asks another server", async () => {
  const page = await visitor.open(null, { viewport: PHONE });
  const complaints = await watch(page, visitor.server.origin);
  for (const path of pages) {
    await page.goto(visitor.server.address(path));
    const beyond = await page.evaluate(() => {
      const width = document.documentElement.clientWidth;
      const inside = (element) => element.closest(".scroll, .table, .diagram-view, pre, .toc, .vh, .skip");
      const wide = [...document.body.querySelectorAll("*")].filter((element) => element.getBoundingClientRect().right > width + 1 && !inside(element));
      return document.documentElement.scrollWidth > width || wide.length ? wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 80)) : null;
    });
    assert.equal(beyond, null, `${path} is wider than ${PHONE.width} pixels`);
    assert.deepEqual(complaints, [], path);
  }
  await page.context().close();
});

test("a page of each kind is quiet on a wide screen too, with every part of it open", async () => {
  const page = await visitor.open(null);
  const complaints = await watch(page, visitor.server.origin);
  for (const path of samples) {
    await page.goto(visitor.server.address(path));
    await unfold(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide`);
    assert.deepEqual(complaints, [], path);
  }
  await page.context().close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [WIDE, PHONE]) {
    test(`axe finds nothing serious on any kind of page, ${colorScheme}, ${viewport.width} pixels wide`, async () => {
      const page = await visitor.open(null, { colorScheme, viewport });
      for (const path of samples) {
        await page.goto(visitor.server.address(path));
        await unfold(page);
        // What frames a page is the same on all of them.
        const again = path === samples[0] ? [] : [".top", "#nav", ".foot"];
        assert.deepEqual(await violations(page, again), [], path);
      }
      await page.context().close();
    });
  }
}

test("axe finds nothing serious in an open search, nor in the open navigation of a phone", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const wide = await visitor.open("index.html", { colorScheme });
    await wide.keyboard.press("/");
    await wide.keyboard.type("secret");
    await wide.locator(".hits [role=option]").first().waitFor();
    assert.deepEqual(await violations(wide), [], `search, ${colorScheme}`);
    await wide.context().close();

    const phone = await visitor.open("index.html", { colorScheme, viewport: PHONE });
    await phone.click(".nav-button");
    assert.deepEqual(await violations(phone), [], `navigation, ${colorScheme}`);
    await phone.context().close();
  }
});

/** Opens every part of a page, and lets its script take note. */
async function unfold(page) {
  await page.evaluate(async () => {
    document.querySelectorAll("details").forEach((details) => (details.open = true));
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
}

/** What axe calls serious or critical outside of `without`, with an element for each. */
async function violations(page, without = []) {
  // Evaluated from outside, so the policy of the page does not forbid it.
  await page.evaluate(`${axe}\n;0`);
  return page.evaluate(async (exclude) => {
    const { violations } = await axe.run({ include: [["html"]], exclude }, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.length} × ${nodes[0].target.join(" ")} ${nodes[0].failureSummary.split("\n")[1]?.trim() ?? ""}`);
  }, without.map((selector) => [selector]));
}
