// The site under test: its files on disk, a server that has it below a sub-path, and a browser to open it with.
// CATALOG_SITE is the directory that `catalog build` wrote. Nothing here builds or changes it.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

if (!process.env.CATALOG_SITE) throw new Error("CATALOG_SITE is not set: name the directory that `catalog build` wrote");
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..", process.env.CATALOG_SITE);
if (!existsSync(join(root, "index.html"))) throw new Error(`${root} has no index.html: run \`catalog build --out\` first`);

/** The addresses of all pages from the root of the site, in order. */
export const pages = walk(root).filter((path) => path.endsWith(".html")).sort();

/** The largest page of each kind, since that asks the most of its template, and those that must be seen whatever else is. */
export const samples = (() => {
  const largest = new Map();
  for (const path of pages) {
    const kind = /<body class="p-([a-z_]+)"/.exec(text(path))?.[1];
    if (!kind) throw new Error(`${path} does not say its kind`);
    const known = largest.get(kind);
    if (!known || size(path) > size(known)) largest.set(kind, path);
  }
  const always = ["components/external-secrets-operator.html", "findings.html", "404.html"];
  return [...new Set([...largest.values(), ...always])].sort();
})();

export function text(path) {
  return readFileSync(join(root, path), "utf8");
}

export function size(path) {
  return statSync(join(root, path)).size;
}

/** The address of a page when the site is opened from the file system. */
export function fileAddress(path) {
  return pathToFileURL(join(root, path)).href;
}

function walk(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? walk(path) : [relative(root, path).split(sep).join("/")];
  });
}

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
};
const BELOW = "/some/where/";

/** Serves the site on a free port, below a sub-path, and nothing but the site. */
export async function serve() {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const file = path.startsWith(BELOW) ? resolve(root, path.slice(BELOW.length) || "index.html") : "";
    if (!file.startsWith(root + sep) || !existsSync(file) || statSync(file).isDirectory()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    address: (path) => origin + BELOW + path,
    close: () => {
      server.closeAllConnections?.();
      return new Promise((done) => server.close(done));
    },
  };
}

export function launch() {
  const names = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"].filter(Boolean);
  const places = names.flatMap((name) => (name.includes("/") ? [name] : process.env.PATH.split(":").map((directory) => join(directory, name))));
  const executablePath = places.find((path) => existsSync(path));
  if (!executablePath) throw new Error("no Chromium: install it, or set CHROMIUM to its path");
  // Root, as in a container, has no sandbox.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** A server and a browser for the tests of one file, closed after them. `open` gives a page in a context of its own. */
export function visit({ before, after }) {
  const visitor = {};
  before(async () => {
    visitor.server = await serve();
    visitor.browser = await launch();
  });
  after(async () => {
    await visitor.browser?.close();
    await visitor.server?.close();
  });
  visitor.open = async (path, options = {}) => {
    const context = await visitor.browser.newContext({ viewport: WIDE, reducedMotion: "reduce", colorScheme: "light", ...options });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    if (path) await page.goto(visitor.server.address(path));
    return page;
  };
  return visitor;
}

/** Notes what a page must never do: complain in the console, break its policy, ask elsewhere, fail to find a file. */
export async function watch(page, origin) {
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`script: ${error}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) complaints.push(`asks elsewhere: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile ?? ""}`);
    });
  });
  return complaints;
}
