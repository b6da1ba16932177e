// Builds `dist/`: the page, its hashed assets, their licences, and `manifest.json`, with the size of each file.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { licences } from "./licences.mjs";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Builds into `dist`; returns the manifest. */
export async function buildPage({ dist = path.join(web, "dist"), quiet = false } = {}) {
  // The directory itself stays: the service's build looks there.
  for (const old of ["assets", "index.html", "manifest.json"]) await rm(path.join(dist, old), { recursive: true, force: true });
  await mkdir(path.join(dist, "assets"), { recursive: true });
  const result = await build({
    absWorkingDir: web,
    entryPoints: { app: "src/main.tsx", worker: "src/edit/analysis/worker.ts" },
    outdir: path.join(dist, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: quiet ? "error" : "warning",
  });
  const made = new Map();
  for (const [file, output] of Object.entries(result.metafile.outputs)) {
    made.set(path.relative(dist, path.resolve(web, file)).replaceAll("\\", "/"), output);
  }
  const entry = [...made.keys()].find((file) => /^assets\/app-.*\.js$/.test(file));
  const style = [...made.keys()].find((file) => /^assets\/app-.*\.css$/.test(file));
  const worker = [...made.keys()].find((file) => /^assets\/worker-.*\.js$/.test(file));
  if (!entry || !style || !worker) throw new Error("the build has no entry, no style or no worker");
  const first = [...new Set([...reached(entry, made, dist), ...reached(worker, made, dist)])];
  const icon = await hashed(dist, "icon", ".svg", await readFile(path.join(web, "icon.svg")));
  const notice = await hashed(dist, "licences", ".txt", await licences(web, result.metafile));

  const preload = reached(entry, made, dist).filter((file) => file !== entry);
  const html = (await readFile(path.join(web, "index.html"), "utf8"))
    .replace("{{icon}}", icon)
    .replace("{{style}}", style)
    .replace("{{entry}}", entry)
    .replace("{{worker}}", worker)
    .replace("{{preload}}\n", preload.map((file) => `<link rel="modulepreload" href="${file}">\n`).join(""));
  await writeFile(path.join(dist, "index.html"), html);

  const files = {};
  for (const file of ["index.html", ...made.keys(), icon, notice].sort()) {
    const bytes = await readFile(path.join(dist, file));
    const load = file === "index.html" || file === style || first.includes(file) ? "first" : "lazy";
    const brotli = packed(bytes);
    files[file] = { load, bytes: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotli.length };
    if (file.startsWith("assets/")) await writeFile(path.join(dist, `${file}.br`), brotli);
  }
  const manifest = { entry, style, worker, icon, licences: notice, preload, files };
  await writeFile(path.join(dist, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** Everything that the first paint needs: the entry and what it imports without waiting. */
function reached(entry, made, dist) {
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path: to, kind } of made.get(file)?.imports ?? []) {
      if (kind !== "import-statement") continue;
      visit(path.relative(dist, path.resolve(web, to)).replaceAll("\\", "/"));
    }
  };
  visit(entry);
  return [...seen];
}

async function hashed(dist, name, extension, bytes) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase();
  const file = `assets/${name}-${hash}${extension}`;
  await writeFile(path.join(dist, file), bytes);
  return file;
}

/** How a file travels to whoever takes brotli. */
function packed(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
}

/** Prints what the first load weighs, and each thing that comes later. */
export function report(manifest) {
  const kb = (bytes) => `${(bytes / 1000).toFixed(1)} KB`.padStart(10);
  const row = (name, { bytes, gzip, brotli }) => console.log(name.padEnd(38), kb(bytes), kb(gzip), kb(brotli));
  console.log("".padEnd(38), "raw".padStart(10), "gzip".padStart(10), "brotli".padStart(10));
  const total = { bytes: 0, gzip: 0, brotli: 0 };
  for (const load of ["first", "lazy"]) {
    for (const [file, one] of Object.entries(manifest.files)) {
      if (one.load !== load) continue;
      row(`${load}  ${file}`, one);
      if (load === "first") for (const key of Object.keys(total)) total[key] += one[key];
    }
    if (load === "first") row("first load", total);
  }
  return total;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const total = report(await buildPage());
  if (total.brotli > 160_000) {
    console.error("the first load is over 160 KB (brotli)");
    process.exit(1);
  }
}
