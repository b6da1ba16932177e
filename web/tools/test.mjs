// Bundles the tests and runs them with node's own runner: `npm test`, or `npm test -- write` for one file.
import { build } from "esbuild";
import { spawn } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage } from "./build.mjs";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const out = path.join(web, ".tests");
const [wanted = ""] = process.argv.slice(2);

const files = (await readdir(path.join(web, "tests"))).filter((file) => file.endsWith(".test.ts") && file.includes(wanted));
if (files.length === 0) throw new Error(`no test file has ${wanted} in its name`);
await rm(out, { recursive: true, force: true });
await build({
  absWorkingDir: web,
  entryPoints: files.map((file) => `tests/${file}`),
  outdir: out,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  external: ["../tools/*"],
  sourcemap: "inline",
  logLevel: "warning",
});
if (process.env.PREFACE_PAGE === "dev") await buildPage({ quiet: true });

// One browser at a time: they share two processors with the service, and some of them look at the clock.
const tests = files.map((file) => path.join(out, file.replace(/\.ts$/, ".js")));
const reporter = new URL("report.mjs", import.meta.url).href;
const flags = ["--test", "--test-concurrency=1", "--enable-source-maps", `--test-reporter=${reporter}`];
const child = spawn(process.execPath, [...flags, ...tests], { stdio: "inherit" });
child.on("exit", (code) => process.exit(code ?? 1));
