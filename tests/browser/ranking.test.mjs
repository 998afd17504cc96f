// What people paste into the search, and the result that must come first: its group and its title, as data.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { visit } from "./site.mjs";

const visitor = visit({ before, after });
const queries = JSON.parse(readFileSync(new URL("ranking.json", import.meta.url), "utf8"));

/** Asks for `query`, and waits for its results. */
async function ask(page, query) {
  await page.fill(".finder input", query);
  await page.locator(`.hits[data-query=${JSON.stringify(query)}]`).waitFor({ state: "attached" });
}

test("at least sixty queries have the expected first result", async () => {
  assert.ok(queries.length >= 60, `${queries.length}`);
  const page = await visitor.open("index.html");
  await page.keyboard.press("/");
  const wrong = [];
  for (const [query, ...expected] of queries) {
    await ask(page, query);
    const first = page.locator(".hits [role=group]").first();
    const found = (await first.count()) ? [await first.getAttribute("aria-label"), await first.locator("[role=option] b").first().textContent()] : ["", ""];
    if (found.join(": ") !== expected.join(": ")) wrong.push(`${query}\n  is       ${found.join(": ")}\n  expected ${expected.join(": ")}`);
  }
  assert.equal(wrong.length, 0, `${wrong.length} of ${queries.length}:\n${wrong.join("\n")}`);
  await page.context().close();
});
