// Prints a line for each test and writes the outcome of the run to `PREFACE_OUTCOME`, a JSON file.
import { writeFile } from "node:fs/promises";
import path from "node:path";

export default async function* report(events) {
  const failed = [];
  let passed = 0;
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    if (type !== "test:pass" && type !== "test:fail") continue;
    const file = path.basename(data.file ?? "");
    // A file has a line only where it fails as a whole.
    const isFile = path.basename(data.name) === file;
    if (isFile && (type === "test:pass" || failed.some((one) => one.file === file))) continue;
    const { error, duration_ms: took } = data.details;
    if (type === "test:pass") passed++;
    // Where a test fails because of one within it, that one has the reason.
    else if (error?.failureType !== "subtestsFailed") failed.push({ file, name: data.name, why: why(error) });
    const mark = type === "test:fail" ? "FAILED" : data.skip !== undefined ? "skipped" : "ok";
    yield `${"  ".repeat(data.nesting)}${mark.padEnd(7)} ${seconds(took).padStart(7)}  ${file.replace(/\.test\.[jt]s$/, "")}: ${data.name}\n`;
  }
  await writeFile(process.env.PREFACE_OUTCOME, JSON.stringify({ passed, failed }));
}

const MOST = 1200;

/** Returns the message of an error and the line of the test where it was thrown. */
function why(error) {
  const cause = error?.cause ?? error;
  const words = String(cause?.message ?? cause).trim();
  const place = /^\s*at .*\btests\/[\w-]+\.ts.*$/m.exec(cause?.stack ?? "")?.[0].trim();
  const shown = words.length > MOST ? `${words.slice(0, MOST)}…` : words;
  return [...shown.split("\n"), ...(place ? [place] : [])].map((line) => `    ${line}`).join("\n");
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
