// The description of a tag or of a run of the preview.
import { render } from "preact";
import { amount, size } from "../amount";
import type { Stability } from "../api/types";
import { escapedLines, head, Shown } from "../shown";
import { KINDS, TAKEN, type Packed, type Variable } from "./analysis/packed";
import { LASTS } from "./context";

const VALUE_HEAD = 280;

/** A stability as a colored pill. */
export function StabilityPill({ stability }: { stability: Stability | null }) {
  return stability ? <span class={`pill ${stability}`}>{LASTS[stability]}</span> : null;
}

/** The description of a variable: value, stability, source. */
export function AboutVariable({ variable, source, hint }: { variable: Variable; source?: string; hint?: string }) {
  const { key, exists, value, cut, bytes, registered, stability } = variable;
  const from = source ?? variable.source ?? "";
  const short = value === null ? "" : head(value, VALUE_HEAD);
  return (
    <div class="about">
      <p class="about-key">
        <Shown text={key} most={80} />
      </p>
      {exists === true && value === "" && <p class="soft">Empty (counts as existing).</p>}
      {exists === true && value !== null && value !== "" && (
        <pre class="about-value">
          {escapedLines(short)}
          {(cut || short.length < value.length) && "…"}
        </pre>
      )}
      {exists === false && <p class="about-absent">{registered ? "Not found; renders as nothing." : "Unknown variable; renders as nothing."}</p>}
      {exists === null && <p class="soft">Not evaluated: it is in a branch that is not taken.</p>}
      <p class="about-foot">
        {registered && <StabilityPill stability={stability} />}
        {bytes !== null && bytes > 0 && <span>{size(bytes)}</span>}
        {from !== "" && exists === true && (
          <span>
            from <Shown text={from} most={60} />
          </span>
        )}
      </p>
      {hint && <p class="about-hint">{hint}</p>}
    </div>
  );
}

/** Returns the description of a tag; null for plain text. */
export function aboutToken(packed: Packed, at: number): preact.VNode | null {
  const { tokens, keys } = packed;
  const kind = KINDS[tokens.kind[at]!]!;
  const key = tokens.key[at]! < 0 ? null : keys[tokens.key[at]!]!;
  const variable = packed.variables.find((one) => one.key === key);
  if (kind === "variable" && variable) {
    const dead = tokens.dead[at] === 1 ? "In a branch that is not taken." : undefined;
    return <AboutVariable variable={variable} {...(dead && { hint: dead })} />;
  }
  if (kind === "if" || kind === "if-not") {
    const state = tokens.dead[at] ? "is not evaluated, because it is in a branch that is not taken" : TAKEN_WORDS[tokens.taken[at]!]!;
    return (
      <div class="about">
        <p>
          <span class="pill condition">condition</span> {state}
        </p>
        <p class="soft">
          {kind === "if" ? "True if this exists:" : "True if this does not exist:"}
        </p>
        {variable && <AboutVariable variable={variable} />}
      </div>
    );
  }
  const words = PLAIN[kind];
  return words === undefined ? null : (
    <div class="about">
      <p>{words}</p>
    </div>
  );
}

const TAKEN_WORDS: Record<number, string> = {
  [TAKEN.unknown]: "was not evaluated",
  [TAKEN.yes]: "is true",
  [TAKEN.no]: "is false",
};

const PLAIN: Partial<Record<string, string>> = {
  else: "The following text is included if the condition is false.",
  endif: "End of a condition.",
  raw: "Start of raw text: tags are not evaluated.",
  endraw: "End of raw text: tags are evaluated again.",
  literal: "Unmatched tag, kept as text.",
};

/** Returns the same as one sentence, for screen readers. */
export function spokenToken(packed: Packed, at: number): string {
  const { tokens, keys } = packed;
  const kind = KINDS[tokens.kind[at]!]!;
  const key = tokens.key[at]! < 0 ? "" : escapedLines(head(keys[tokens.key[at]!]!, 80));
  const variable = packed.variables.find((one) => one.key === keys[tokens.key[at]!]);
  const what = variable ? spokenVariable(variable) : "";
  if (kind === "variable") return what;
  if (kind === "if" || kind === "if-not") return `Condition on ${key}: ${TAKEN_WORDS[tokens.taken[at]!]}. ${what}`;
  return PLAIN[kind] ?? "Text.";
}

export function spokenVariable({ key, exists, value, bytes, stability }: Variable): string {
  const name = escapedLines(head(key, 80));
  if (exists === null) return `${name}: not evaluated.`;
  if (!exists) return `${name}: not found.`;
  const shown = value === "" ? "empty" : escapedLines(head(value ?? "", 120));
  return `${name}: ${shown}. ${amount(bytes ?? 0, "byte")}${stability ? `, ${LASTS[stability]}` : ""}.`;
}

/** Renders it into a DOM element. */
export function drawn(node: preact.VNode): HTMLElement {
  const box = document.createElement("div");
  box.className = "card-inside";
  render(node, box);
  return box;
}
