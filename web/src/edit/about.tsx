// What is told of a tag or of a run of the preview: the same words wherever it is asked for.
import { render } from "preact";
import { amount, size } from "../amount";
import type { Stability } from "../api/types";
import { escapedLines, head, Shown } from "../shown";
import { KINDS, TAKEN, type Packed, type Variable } from "./analysis/packed";
import { LASTS } from "./context";

const VALUE_HEAD = 280;

/** A stability as a small coloured word. */
export function StabilityPill({ stability }: { stability: Stability | null }) {
  return stability ? <span class={`pill ${stability}`}>{LASTS[stability]}</span> : null;
}

/** Tells about a variable: value, how long it stays, where it comes from. */
export function AboutVariable({ variable, source, hint }: { variable: Variable; source?: string; hint?: string }) {
  const { key, exists, value, cut, bytes, registered, stability } = variable;
  const from = source ?? variable.source ?? "";
  const short = value === null ? "" : head(value, VALUE_HEAD);
  return (
    <div class="about">
      <p class="about-key">
        <Shown text={key} most={80} />
      </p>
      {exists === true && value === "" && <p class="soft">Empty. An empty text exists.</p>}
      {exists === true && value !== null && value !== "" && (
        <pre class="about-value">
          {escapedLines(short)}
          {(cut || short.length < value.length) && "…"}
        </pre>
      )}
      {exists === false && <p class="about-absent">{registered ? "Is not there, so it writes nothing." : "Nobody answers for it: it vanishes."}</p>}
      {exists === null && <p class="soft">Nobody had to ask for it: it stands in a branch that is not taken.</p>}
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

/** Tells about a tag; null for plain text. */
export function aboutToken(packed: Packed, at: number): preact.VNode | null {
  const { tokens, keys } = packed;
  const kind = KINDS[tokens.kind[at]!]!;
  const key = tokens.key[at]! < 0 ? null : keys[tokens.key[at]!]!;
  const variable = packed.variables.find((one) => one.key === key);
  if (kind === "variable" && variable) {
    const dead = tokens.dead[at] === 1 ? "It stands in a branch that is not taken." : undefined;
    return <AboutVariable variable={variable} {...(dead && { hint: dead })} />;
  }
  if (kind === "if" || kind === "if-not") {
    const state = tokens.dead[at] ? "is not asked, since it stands in a branch that is not taken" : TAKEN_WORDS[tokens.taken[at]!]!;
    return (
      <div class="about">
        <p>
          <span class="pill condition">condition</span> {state}
        </p>
        <p class="soft">
          {kind === "if" ? "Asks whether this exists:" : "Asks whether this is missing:"}
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
  [TAKEN.unknown]: "was not asked",
  [TAKEN.yes]: "holds",
  [TAKEN.no]: "does not hold",
};

const PLAIN: Partial<Record<string, string>> = {
  else: "What follows is there if the condition does not hold.",
  endif: "Ends a condition.",
  raw: "From here on nothing is a tag.",
  endraw: "From here on tags count again.",
  literal: "This tag belongs to nothing. It stays as text.",
};

/** The same in one sentence, to be read out. */
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
  if (exists === null) return `${name}: not asked for.`;
  if (!exists) return `${name} is not there.`;
  const shown = value === "" ? "empty" : escapedLines(head(value ?? "", 120));
  return `${name}: ${shown}. ${amount(bytes ?? 0, "byte")}${stability ? `, ${LASTS[stability]}` : ""}.`;
}

/** Draws it into an element of its own, for places that want one. */
export function drawn(node: preact.VNode): HTMLElement {
  const box = document.createElement("div");
  box.className = "card-inside";
  render(node, box);
  return box;
}
