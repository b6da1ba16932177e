// Tells how the tests go, a line for each; at the very end, where a log is looked at first, which failed and why.
import path from "node:path";

export default async function* report(events) {
  const failed = [];
  let passed = 0;
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    if (type !== "test:pass" && type !== "test:fail") continue;
    const file = path.basename(data.file ?? "");
    // A file is told of only where it fails as a whole.
    const isFile = path.basename(data.name) === file;
    if (isFile && (type === "test:pass" || failed.some((one) => one.file === file))) continue;
    const { error, duration_ms: took } = data.details;
    if (type === "test:pass") passed++;
    // Of a test that fails for one within it, that one tells why.
    else if (error?.failureType !== "subtestsFailed") failed.push({ file, name: data.name, error });
    const mark = type === "test:fail" ? "FAILED" : data.skip !== undefined ? "skipped" : "ok";
    yield `${"  ".repeat(data.nesting)}${mark.padEnd(7)} ${seconds(took).padStart(7)}  ${file.replace(/\.test\.[jt]s$/, "")}: ${data.name}\n`;
  }
  yield `\n${passed} passed, ${failed.length} failed\n`;
  for (const { file, name, error } of failed) yield `\nFAILED ${file.replace(/\.js$/, ".ts")}: ${name}\n${why(error)}\n`;
}

const MOST = 1200;

/** What went wrong, and the line of ours where it did. */
function why(error) {
  const cause = error?.cause ?? error;
  const words = String(cause?.message ?? cause).trim();
  const place = /^\s*at .*\btests\/[\w-]+\.ts.*$/m.exec(cause?.stack ?? "")?.[0].trim();
  const told = words.length > MOST ? `${words.slice(0, MOST)}…` : words;
  return [...told.split("\n"), ...(place ? [place] : [])].map((line) => `    ${line}`).join("\n");
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
