// Takes the pictures in docs/images from the example's own site:
//
//   cargo run --release -- build
//   CATALOG_SITE=book node tests/browser/pictures.mjs

import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileAddress, launch } from "./site.mjs";

const MOST_BYTES = 170_000;
const directory = join(dirname(fileURLToPath(import.meta.url)), "../../docs/images");

/** What each picture shows: a page, and the element at its top if that is not the page's own. */
const PICTURES = [
  { name: "component", page: "components/external-secrets-operator.html", size: { width: 1200, height: 720 } },
  { name: "graph", page: "architecture.html", element: "#graph .diagram-view", size: { width: 1100, height: 1800 } },
];

mkdirSync(directory, { recursive: true });
const browser = await launch();
try {
  for (const { name, page: path, element, size } of PICTURES) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport: size, colorScheme, reducedMotion: "reduce" });
      const page = await context.newPage();
      await page.goto(fileAddress(path));
      const file = join(directory, `${name}-${colorScheme}.png`);
      if (element) await page.locator(element).first().screenshot({ path: file });
      else await page.screenshot({ path: file });
      const { size: bytes } = statSync(file);
      if (bytes > MOST_BYTES) throw new Error(`${file} has ${bytes} bytes, more than ${MOST_BYTES}`);
      console.log(`${file}: ${bytes} bytes`);
      await context.close();
    }
  }
} finally {
  await browser.close();
}
