// The tooltip of a run of a prompt: origin, part, stability and size.
import { amount, size } from "../amount";
import type { Origin } from "../api/types";
import { StabilityPill } from "../edit/about";
import { LASTS } from "../edit/context";
import { escaped, head, Shown } from "../shown";
import { CopyIcon } from "../ui/copy";
import type { Laid } from "./laid";

/** The name in place of a profile's, for defaults that no profile sets. */
const BUNDLED = "bundled";

/** Returns the short name of an origin. */
export function named(origin: Origin): string {
  switch (origin.kind) {
    case "variable":
      return origin.key;
    case "stored":
      return `template ${origin.template}`;
    case "source":
      return origin.path;
    case "literal":
      return origin.profile === BUNDLED ? `bundled ${origin.key}` : `${origin.key} of the profile ${origin.profile}`;
    case "caller":
      return origin.flag;
    case "hook":
      return `hook ${origin.hook}`;
  }
}

/** Returns the details of an origin. */
function whence(origin: Origin): string {
  switch (origin.kind) {
    case "variable":
      return `value from ${origin.source}`;
    case "stored":
      return `${origin.version ? `text of version ${origin.version}` : "text of the built-in default"}, ${stretch(origin.span)}`;
    case "source":
      return `text of a ${LAYERS[origin.scope]} file, ${stretch(origin.span)}${origin.lossy ? ", with invalid UTF-8 replaced" : ""}`;
    case "literal":
      return origin.profile === BUNDLED ? "default that no profile sets" : "text of a profile";
    case "caller":
      return "set by the caller";
    case "hook":
      return `added at ${origin.event}`;
  }
}

const LAYERS = { bundled: "bundled", global: "global", project: "project" };

const stretch = ([from, to]: readonly [number, number]): string => `bytes ${from.toLocaleString("en")} to ${to.toLocaleString("en")}`;

/** Estimates the tokens of a run from its share of the part. */
function weight(prompt: Laid, at: number): string {
  const { bytes, part } = prompt.runs[at]!;
  const whole = prompt.parts[part]!;
  const tokens = whole.bytes === 0 ? 0 : Math.round((whole.tokens * bytes) / whole.bytes);
  return `about ${amount(tokens, "token")}`;
}

export function AboutRun({ prompt, at }: { prompt: Laid; at: number }) {
  const { origin, part, bytes, stability, from, to } = prompt.runs[at]!;
  const { section, tokens } = prompt.parts[part]!;
  return (
    <div class="about">
      <p class="about-key">
        <Shown text={named(origin)} most={120} />
        <CopyIcon what={origin.kind === "variable" ? "value" : "text"} text={() => prompt.text.slice(from, to)} />
      </p>
      <p>
        <Shown text={whence(origin)} most={160} />
      </p>
      <p class="about-foot">
        <StabilityPill stability={stability} />
        <span>
          {size(bytes)}, {weight(prompt, at)}
        </span>
      </p>
      <p class="about-hint">
        Part <Shown text={section} most={60} />, {amount(tokens, "token")}.{origin.kind === "stored" && " Press Enter to open the template."}
      </p>
    </div>
  );
}

/** Returns the same as one sentence, for screen readers. */
export function runDescription(prompt: Laid, at: number): string {
  const { origin, part, bytes, stability } = prompt.runs[at]!;
  const words = escaped(head(`${named(origin)}: ${whence(origin)}`, 240));
  return `${words}. ${size(bytes)}, ${weight(prompt, at)}, ${LASTS[stability]}. Part ${escaped(head(prompt.parts[part]!.section, 60))}.`;
}
