// What the files say by themselves, before any browser: links, ids, sizes, policy.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { pages, root, size, text } from "./site.mjs";

const elements = new Map(pages.map((path) => [path, elementsOf(text(path))]));

test("every link of every page leads to a file, and to an anchor that is in it", () => {
  const broken = [];
  for (const path of pages) {
    for (const { attributes } of elements.get(path)) {
      for (const address of [attributes.href, attributes.src]) {
        if (address !== undefined && !reaches(path, address)) broken.push(`${path}: ${address}`);
      }
    }
  }
  assert.deepEqual(broken, []);
});

test("what labels, describes or controls an element is in its page", () => {
  const dangling = [];
  for (const path of pages) {
    const ids = idsOf(path);
    for (const { attributes } of elements.get(path)) {
      for (const name of ["for", "aria-controls", "aria-labelledby", "aria-describedby"]) {
        const named = attributes[name]?.split(/\s+/) ?? [];
        dangling.push(...named.filter((id) => !ids.has(id)).map((id) => `${path}: ${name}="${id}"`));
      }
    }
  }
  assert.deepEqual(dangling, []);
});

test("no page has an id twice, nor one that reads as a state of filters", () => {
  const wrong = [];
  for (const path of pages) {
    const seen = new Set();
    for (const { attributes } of elements.get(path)) {
      if (attributes.id === undefined) continue;
      if (seen.has(attributes.id) || !/^[^\s=]+$/.test(attributes.id)) wrong.push(`${path}: ${attributes.id}`);
      seen.add(attributes.id);
    }
  }
  assert.deepEqual(wrong, []);
});

test("every page is under 300 KB", () => {
  const heavy = pages.filter((path) => size(path) >= 300_000).map((path) => `${path}: ${size(path)}`);
  assert.deepEqual(heavy, []);
});

test("every page has a strict policy, before anything that it governs", () => {
  for (const path of pages) {
    const head = elements.get(path);
    const at = head.findIndex(({ attributes }) => attributes["http-equiv"]?.toLowerCase() === "content-security-policy");
    assert.ok(at >= 0, `${path} has no policy`);
    const loads = head.findIndex(({ name }) => ["script", "link", "style", "img"].includes(name));
    assert.ok(at < loads, `${path} loads something before its policy`);
    const policy = Object.fromEntries(
      head[at].attributes.content.split(";").map((directive) => {
        const [name, ...sources] = directive.trim().split(/\s+/);
        return [name, sources];
      }),
    );
    assert.deepEqual(policy["default-src"], ["'none'"], path);
    assert.deepEqual(policy["script-src"], ["'self'"], path);
    assert.deepEqual(policy["style-src"], ["'self'"], path);
    assert.deepEqual(policy["base-uri"], ["'none'"], path);
    assert.deepEqual(policy["form-action"], ["'none'"], path);
    for (const [name, sources] of Object.entries(policy)) {
      assert.ok(sources.every((source) => ["'none'", "'self'", "data:"].includes(source)), `${path}: ${name} ${sources}`);
    }
  }
});

test("no page has a script, a style or a handler in its markup", () => {
  const found = [];
  for (const path of pages) {
    for (const { name, attributes } of elements.get(path)) {
      const handlers = Object.keys(attributes).filter((key) => key.startsWith("on") || key === "style");
      if (handlers.length || name === "style" || (name === "script" && !attributes.src)) found.push(`${path}: <${name} ${handlers}>`);
    }
  }
  assert.deepEqual(found, []);
});

test("every page has a title, one first heading and a language", () => {
  for (const path of pages) {
    const markup = text(path);
    assert.match(markup, /<title>[^<]+<\/title>/, path);
    assert.equal(markup.match(/<h1[\s>]/g)?.length, 1, `${path} has not one <h1>`);
    assert.match(markup, /^<!doctype html>\s*<html lang="[a-zA-Z-]+"/, path);
  }
});

test("previous and next lead through all components in the order of the navigation", () => {
  const markup = text("index.html");
  const side = markup.slice(markup.indexOf('<nav id="nav"'), markup.indexOf("</nav>", markup.indexOf('<nav id="nav"')));
  const order = elementsOf(side).map(({ attributes }) => attributes.href).filter((href) => href?.startsWith("components/"));
  assert.ok(order.length > 10, "the navigation names components");
  const step = (path, rel) => {
    const link = elements.get(path).find(({ attributes }) => attributes.rel === rel);
    return link && posix.join(posix.dirname(path), link.attributes.href);
  };
  order.forEach((path, at) => {
    assert.equal(step(path, "prev"), order[at - 1], `before ${path}`);
    assert.equal(step(path, "next"), order[at + 1], `after ${path}`);
  });
});

function reaches(path, address) {
  if (/^(https?|mailto):/.test(address)) return true;
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith("//")) return false;
  const [file, hash = ""] = address.split("#");
  const target = file === "" ? path : posix.join(posix.dirname(path), decodeURIComponent(file.split("?")[0]));
  if (target.startsWith("..") || !existsSync(join(root, target))) return false;
  // A hash with `=` is a state of filters, as `#status=disabled`.
  if (hash === "" || hash.includes("=")) return true;
  return elements.has(target) && idsOf(target).has(decodeURIComponent(hash));
}

const ids = new Map();
function idsOf(path) {
  if (!ids.has(path)) ids.set(path, new Set(elements.get(path).map(({ attributes }) => attributes.id).filter(Boolean)));
  return ids.get(path);
}

/** The opening tags of a page. Text has no bare `<`, so a pattern finds them all. */
function elementsOf(markup) {
  const found = [];
  for (const [, name, rest] of markup.matchAll(/<([a-zA-Z][\w-]*)((?:\s+[^\s=>/]+(?:=(?:"[^"]*"|[^\s">]+))?)*)\s*\/?>/g)) {
    const attributes = {};
    for (const [, key, quoted, bare] of rest.matchAll(/([^\s=>/]+)(?:=(?:"([^"]*)"|([^\s">]+)))?/g)) {
      attributes[key] = unescaped(quoted ?? bare ?? "");
    }
    found.push({ name: name.toLowerCase(), attributes });
  }
  return found;
}

function unescaped(value) {
  const names = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return value.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(amp|lt|gt|quot|apos));/gi, (_, hex, decimal, name) =>
    name ? names[name] : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}
