// Writes `src/api/schema.d.ts` from the service's description: `npm run types -- FILE_OR_URL [TO]`.
import openapi, { astToString } from "openapi-typescript";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const from = process.argv[2] ?? "http://127.0.0.1:7677/openapi.json";
const text = /^https?:/.test(from) ? await (await fetch(from)).text() : await readFile(from, "utf8");
const description = JSON.parse(text);

/** Ranges are pairs. In the description they are only lists of numbers. */
const PAIRS = new Set(["range", "utf16", "key_utf16", "span"]);
function pair(node) {
  if (node === null || typeof node !== "object") return;
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    if (PAIRS.has(name) && property.items?.type === "integer") Object.assign(property, { minItems: 2, maxItems: 2 });
  }
  for (const child of Object.values(node)) pair(child);
}
pair(description);

const nodes = await openapi(description, { arrayLength: true, alphabetize: true });
const head = "// Made from the service's description by `npm run types`. Do not edit.\n\n";
const to = process.argv[3] ?? fileURLToPath(new URL("../src/api/schema.d.ts", import.meta.url));
await writeFile(to, head + astToString(nodes));
