// What the pages of a large site cost in a browser: how soon the home page answers, what a keystroke in its filters and in
// the search takes, and what a search loads. Prints figures; fails if one is over its bound.
//
//   cargo bench --profile release --bench site -- --write DIRECTORY 5000 2   (or 489 16)
//   target/release/catalog build DIRECTORY --out SITE
//   CATALOG_SITE=SITE node tests/browser/measure.mjs

import { fileAddress, launch, pages, serve, size, text, WIDE } from "./site.mjs";

const INTERACTIVE = 1000, KEYSTROKE = 50, SEARCH_BYTES = 300_000, PAGE_BYTES = 2_000_000;
const failed = [];
function say(what, value, unit, bound) {
  const over = bound !== undefined && value > bound;
  if (over) failed.push(what);
  console.log(`${what}: ${typeof value === "number" ? Math.round(value * 10) / 10 : value}${unit ? ` ${unit}` : ""}${bound === undefined ? "" : ` (at most ${bound})${over ? " BROKEN" : ""}`}`);
}

const largest = new Map();
for (const path of pages) {
  const kind = path.includes("/") ? `${path.split("/")[0]}/` : path;
  if (!largest.has(kind) || size(path) > size(largest.get(kind))) largest.set(kind, path);
}
for (const path of largest.values()) say(`bytes of ${path}`, size(path), "", PAGE_BYTES);

const server = await serve();
const browser = await launch();
async function open(address) {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => list.getEntries().forEach((one) => window.longTasks.push([one.startTime, one.duration]))).observe({ type: "longtask", buffered: true });
  });
  if (address) await page.goto(address);
  return page;
}
/** From the start of the navigation to the end of the last task that keeps the page from answering. */
async function interactive(address) {
  const page = await open(address);
  await page.waitForTimeout(1500);
  const time = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation");
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    return { paint: paint ? paint.startTime : -1, ready: Math.max(navigation.domContentLoadedEventEnd, ...window.longTasks.map(([start, length]) => start + length)) };
  });
  await page.context().close();
  return time;
}
async function median(measured) {
  const all = [];
  for (let round = 0; round < 5; round += 1) all.push(await measured());
  return all.sort((a, b) => a.ready - b.ready)[2];
}
for (const path of ["index.html", "architecture.html", [...largest.values()].find((one) => one.startsWith("environments/"))].filter(Boolean)) {
  for (const [how, address] of [["served", server.address(path)], ["from the file system", fileAddress(path)]]) {
    const time = await median(() => interactive(address));
    say(`${path}, ${how}, first paint`, time.paint, "ms");
    say(`${path}, ${how}, interactive`, time.ready, "ms", INTERACTIVE);
  }
}

/** Types into a filter: the time from a keystroke until the next frame has been drawn. */
async function typed(page, selector, words) {
  return page.evaluate(async ([selector, words]) => {
    const field = document.querySelector(selector), times = [];
    for (const word of words) {
      for (let end = 1; end <= word.length; end += 1) {
        const start = performance.now();
        field.value = word.slice(0, end);
        field.dispatchEvent(new Event("input", { bubbles: true }));
        const script = performance.now() - start;
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        times.push([script, performance.now() - start]);
      }
    }
    return times;
  }, [selector, words]);
}
const components = text("index.html").match(/<tr data-f=/g)?.length ?? 0;
say("components in the matrix", components);
const titles = [...text("index.html").matchAll(/<th scope="row"><a href="components\/([^"]+)\.html">([^<]+)/g)].map((found) => found[2]);
const name = titles[Math.floor(titles.length * 0.7)];
{
  const page = await open(server.address("index.html"));
  const times = await typed(page, ".filters input[name=q]", [name.toLowerCase(), "1.2", "zzz"]);
  say("filter, script per keystroke, worst", Math.max(...times.map(([script]) => script)), "ms");
  say("filter, drawn after a keystroke, worst", Math.max(...times.map(([, drawn]) => drawn)), "ms", 100);
  await page.context().close();
}

const queries = [name, name.slice(1, 9), "memory_limit", "registry.example.com", "1.2.3", "8080", "prod", "postgers", "helmrelease", "secret-store credentials", "CrashLoopBackOff"];
let worst = 0, most = 0;
for (const query of queries) {
  const page = await open(server.address("index.html"));
  let bytes = 0;
  page.on("response", async (response) => { if (response.url().includes("/search/")) bytes += (await response.body()).length; });
  await page.keyboard.press("/");
  const times = [];
  for (let end = 1; end <= query.length; end += 1) {
    // Nobody is answered before there is a word.
    if (!/[\p{L}\p{N}]{2}|\d\.\d/u.test(query.slice(0, end)) || /[^\p{L}\p{N}]$/u.test(query.slice(0, end))) continue;
    // The time until the answer is there, and what of it the page was busy.
    times.push(await page.evaluate(async (text) => {
      const field = document.querySelector(".finder input"), start = performance.now();
      field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => {
        const look = () => (document.querySelector(`.hits[data-query=${JSON.stringify(text)}]`) || text.length < 2 || performance.now() - start > 3000 ? done() : setTimeout(look, 1));
        look();
      });
      return performance.now() - start;
    }, query.slice(0, end)));
  }
  const hits = await page.locator(".hits [role=option]").count();
  await page.waitForTimeout(50);
  const sorted = [...times].sort((a, b) => a - b);
  console.log(`search "${query}": ${hits} results, ${Math.round(bytes / 1000)} KB while typing, keystroke median ${sorted[times.length >> 1].toFixed(0)} ms, worst ${sorted.at(-1).toFixed(0)} ms`);
  await page.context().close();
  // Pasted, so that only this query loads anything.
  const pasted = await open(server.address("index.html"));
  let own = 0;
  pasted.on("response", async (response) => { if (response.url().includes("/search/")) own += (await response.body()).length; });
  await pasted.keyboard.press("/");
  await pasted.fill(".finder input", query);
  await pasted.locator(`.hits[data-query=${JSON.stringify(query)}]`).waitFor({ state: "attached" });
  await pasted.waitForTimeout(50);
  most = Math.max(most, own);
  worst = Math.max(worst, sorted[Math.floor(times.length * 0.9)]);
  await pasted.context().close();
}
say("search, 9 of 10 keystrokes, worst query", worst, "ms", KEYSTROKE);
say("search, bytes that one query loads, most", most, "", SEARCH_BYTES);

if (pages.includes("architecture.html")) {
  const page = await open(server.address("architecture.html"));
  if (await page.locator(".focus").count()) {
    const took = await page.evaluate(async () => {
      const times = [];
      for (let round = 0; round < 8; round += 1) {
        const links = document.querySelectorAll(".focus a[data-n]"), link = links[(round * 7) % links.length];
        const start = performance.now();
        link.click();
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        times.push(performance.now() - start);
      }
      return times;
    });
    say("focus graph, drawn after a click, worst", Math.max(...took), "ms", 100);
  }
  await page.context().close();
}
await browser.close();
await server.close();
if (failed.length) {
  console.error(`over their bounds: ${failed.join(", ")}`);
  process.exit(1);
}
