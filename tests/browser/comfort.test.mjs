// What makes it comfortable: the theme, copying, and the keyboard.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { visit } from "./site.mjs";

const visitor = visit({ before, after });
const COMPONENT = "components/external-secrets-operator.html";
const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test("the theme is the system's until somebody chooses", async () => {
  const light = await visitor.open("index.html", { colorScheme: "light" });
  const dark = await visitor.open("index.html", { colorScheme: "dark" });
  assert.notEqual(await ground(light), await ground(dark));
  assert.equal(await light.textContent("[data-theme-name]"), "System");
  await light.emulateMedia({ colorScheme: "dark" });
  assert.equal(await ground(light), await ground(dark), "and follows it");
  await light.context().close();
  await dark.context().close();
});

test("the theme switches from system to light to dark and back, and says which it is", async () => {
  const page = await visitor.open("index.html", { colorScheme: "dark" });
  const system = await ground(page);
  const button = page.locator("[data-theme-switch]");
  await button.click();
  assert.equal(await page.getAttribute("html", "data-theme"), "light");
  assert.match(await button.getAttribute("aria-label"), /light/);
  assert.notEqual(await ground(page), system);
  await button.click();
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  assert.equal(await ground(page), system);
  await button.click();
  assert.equal(await page.getAttribute("html", "data-theme"), null);
  await page.context().close();
});

test("the chosen theme is kept on other pages and after a reload, and is there before anything is drawn", async () => {
  const page = await visitor.open("index.html", { colorScheme: "light" });
  await page.click("[data-theme-switch]");
  await page.click("[data-theme-switch]");
  const dark = await ground(page);
  // The theme is set while the head is read: there is no body yet that could be drawn in the other one.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.documentElement?.dataset.theme) return;
      window.themeCameFirst = document.body === null;
      observer.disconnect();
    }).observe(document, { attributes: true, childList: true, subtree: true });
  });
  await page.reload();
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  assert.equal(await page.evaluate(() => window.themeCameFirst), true);
  assert.equal(await page.locator("head script[data-theme], head script:not([defer])").count(), 1, "one script is waited for");
  await page.goto(visitor.server.address(COMPONENT));
  assert.equal(await ground(page), dark);
  assert.equal(await page.evaluate(() => window.themeCameFirst), true);
  await page.context().close();
});

test("a command is copied with one click, and so are all of them", async () => {
  const page = await visitor.open(COMPONENT, { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.locator("#suspend > summary").click();
  const commands = (await page.locator("#suspend .cmd code").allTextContents()).map((text) => text.trim());
  assert.ok(commands.length > 1);
  const first = page.locator("#suspend .copy-wrap .copy").first();
  await first.click();
  await page.locator("#suspend .copy.done").waitFor();
  assert.equal(await first.getAttribute("aria-label"), "Copied");
  assert.equal(await copied(), commands[0]);
  await page.locator("#suspend .copy-all").click();
  await page.locator("#suspend .copy-all.done").waitFor();
  assert.equal((await copied()).trim(), commands.join("\n"));
  await page.context().close();
});

test("a block of code is copied as it is, and a block of commands one by one", async () => {
  const page = await visitor.open("pages/docs/conventions.html", { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const yaml = page.locator("figure.code", { has: page.locator("figcaption", { hasText: "YAML" }) }).first();
  await yaml.locator(".copy").click();
  await yaml.locator(".copy.done").waitFor();
  assert.equal((await copied()).trim(), (await yaml.locator("code").textContent()).trim());
  const shell = page.locator("figure.code", { has: page.locator(".copy-line") }).first();
  await shell.locator(".copy-line").first().click();
  await shell.locator(".copy-line.done").waitFor();
  const one = await copied();
  assert.ok(one && !one.startsWith("#") && !one.startsWith("$ "), one);
  assert.ok((await shell.locator("code").textContent()).includes(one));
  await page.context().close();
});

test("the first Tab shows the way past the navigation", async () => {
  const page = await visitor.open(COMPONENT);
  await page.keyboard.press("Tab");
  const skip = page.locator(".skip");
  assert.ok(await skip.evaluate((link) => link === document.activeElement));
  const box = await skip.boundingBox();
  assert.ok(box.y >= 0 && box.y < 60, "it is seen");
  await page.keyboard.press("Enter");
  assert.ok(await page.evaluate(() => document.activeElement.id === "content"));
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.closest("main") !== null));
  await page.context().close();
});

test("Tab goes through the top bar as it is read, and always shows where it is", async () => {
  const page = await visitor.open("index.html");
  const wanted = await page.locator(".skip, .top a, .top button").count();
  const order = [];
  for (let at = 0; at < wanted + 12; at += 1) {
    await page.keyboard.press("Tab");
    const { name, marked, x, y, top } = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const marked = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || element.matches(".skip");
      return { name: element.textContent.trim(), marked, x: box.x, y: box.y, top: element.closest(".top") !== null };
    });
    assert.ok(marked, `the focus is not seen on ${name}`);
    if (top) order.push({ name, x, y });
  }
  assert.equal(order.length, wanted - 1, "every link and button of the bar is reached once");
  for (let at = 1; at < order.length; at += 1) assert.ok(order[at].x > order[at - 1].x, `${order[at].name} comes after ${order[at - 1].name}`);
  await page.context().close();
});

test("what is folded opens and closes with the keyboard", async () => {
  const page = await visitor.open(COMPONENT);
  const runbook = page.locator("details.runbook").first();
  await runbook.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.ok(await runbook.locator(".box-body").isVisible());
  await page.keyboard.press("Space");
  assert.ok(await runbook.locator(".box-body").isHidden());
  const layer = page.locator("#nav details").first();
  await layer.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.ok(await layer.locator("li").first().isHidden());
  await page.context().close();
});

test("a node in a diagram can be reached and followed with the keyboard", async () => {
  const page = await visitor.open(COMPONENT);
  const node = page.locator("#dependencies svg a").first();
  const address = await node.evaluate((link) => new URL(link.getAttribute("href"), document.baseURI).href);
  await node.focus();
  assert.ok(await node.evaluate((link) => link === document.activeElement));
  await page.keyboard.press("Enter");
  await page.waitForURL(address);
  await page.context().close();
});
