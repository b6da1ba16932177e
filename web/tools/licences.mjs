// The licences of everything that is in the bundle: their texts travel with the code.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Returns one text with name, version and licence of each package that the build took something from. */
export async function licences(web, metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const texts = [];
  for (const name of [...packages].sort()) {
    const home = path.join(web, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(path.join(home, "package.json"), "utf8"));
    const file = (await readdir(home)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? (await readFile(path.join(home, file), "utf8")).trim() : "";
    texts.push(`${name} ${version} (${license})\n\n${text}\n`);
  }
  return texts.join(`\n${"-".repeat(72)}\n\n`);
}
