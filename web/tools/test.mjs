// Bundles the tests and runs them with node's own runner: `npm test`, `npm test -- write` for one file, `npm test -- write "a conflict"` for the tests of
// it whose names match.
import { build } from "esbuild";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage } from "./build.mjs";

const web = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const out = path.join(web, ".tests");
const [wanted = "", pattern] = process.argv.slice(2);

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

const first = await run(files.map((file) => path.join(out, file.replace(/\.ts$/, ".js"))), pattern);
// A test can lose a race on a busy machine. It is run once more, alone, and reported as flaky if it passes then.
const repeated = first.failed.length <= 3 && !pattern ? first.failed : [];
const flaky = [];
for (const test of repeated) {
  const { passed, failed } = await run([path.join(out, test.file.replace(/\.ts$/, ".js"))], `^${literal(test.name)}$`);
  if (passed > 0 && failed.length === 0) flaky.push(test);
}
const failed = first.failed.filter((test) => !flaky.includes(test));
console.log(`\n${first.passed + flaky.length} passed, ${failed.length} failed`);
for (const test of flaky) print("FLAKY", test);
for (const test of failed) print("FAILED", test);
process.exit(failed.length > 0 ? 1 : 0);

/** Runs test files, one browser at a time: they share two processors with the service, and some of them look at the clock. */
async function run(tests, names) {
  const outcome = path.join(out, "outcome.json");
  await rm(outcome, { force: true });
  const reporter = new URL("report.mjs", import.meta.url).href;
  const flags = ["--test", "--test-concurrency=1", "--enable-source-maps", `--test-reporter=${reporter}`, ...(names ? [`--test-name-pattern=${names}`] : [])];
  const child = spawn(process.execPath, [...flags, ...tests], { stdio: "inherit", env: { ...process.env, PREFACE_OUTCOME: outcome } });
  await once(child, "exit");
  return JSON.parse(await readFile(outcome, "utf8"));
}

function print(mark, { file, name, why }) {
  console.log(`\n${mark} ${file.replace(/\.js$/, ".ts")}: ${name}\n${why}`);
}

function literal(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
