// The description of a tag or of a run of the preview.
import { render } from "preact";
import { amount, size, tokenAmount } from "../amount";
import type { Stability } from "../api/types";
import { escapedLines, head, Shown } from "../shown";
import { Button, keepsFocus } from "../ui/button";
import { CopyIcon } from "../ui/copy";
import { KINDS, spanFrom, TAKEN, type Packed, type Variable } from "./analysis/packed";
import { LASTS, setVariable, values } from "./context";

const VALUE_HEAD = 280;

/** A stability as a colored pill. */
export function StabilityPill({ stability }: { stability: Stability | null }) {
  return stability ? <span class={`pill ${stability}`}>{LASTS[stability]}</span> : null;
}

interface AboutVariableProps {
  variable: Variable;
  source?: string;
  /** The tokens of the value in the preview, estimated. */
  tokens?: number;
  hint?: string | undefined;
  /** Returns the whole value, where it is at hand. */
  text?: (() => string) | undefined;
}

/** The description of a variable: value, stability, source. */
export function AboutVariable({ variable, source, tokens, hint, text }: AboutVariableProps) {
  const { key, exists, value, cut, bytes, registered, stability } = variable;
  const origin = source ?? variable.source ?? "";
  const from = origin.startsWith("--variable ") ? "Values of this preview" : origin;
  const short = value === null ? "" : head(value, VALUE_HEAD);
  return (
    <div class="about">
      <p class="about-key">
        <Shown text={key} most={80} />
        {exists === true && value !== "" && text && <CopyIcon what="value" text={text} />}
      </p>
      {exists === true && value === "" && <p class="soft">Empty (counts as existing).</p>}
      {exists === true && value !== null && value !== "" && (
        <pre class="about-value" tabIndex={0}>
          {escapedLines(short)}
          {(cut || short.length < value.length) && "…"}
        </pre>
      )}
      {exists === false && <p class="about-absent">{registered ? "Not found; renders as nothing." : "Unknown variable; renders as nothing."}</p>}
      {exists === null && <p class="soft">Not evaluated: it is in a branch that is not taken.</p>}
      <p class="about-foot">
        {(registered || exists === true) && <StabilityPill stability={stability} />}
        {bytes !== null && bytes > 0 && <span>{tokens === undefined ? size(bytes) : `${size(bytes)}, ${tokenAmount(tokens, false)}`}</span>}
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
    const hint = tokens.dead[at] === 1 ? "In a branch that is not taken." : undefined;
    return <AboutVariable variable={variable} hint={hint} text={valueOf(packed, variable)} />;
  }
  if (CONDITIONS.includes(kind)) {
    const state = tokens.dead[at] ? "is not evaluated, because it is in a branch that is not taken" : TAKEN_WORDS[tokens.taken[at]!]!;
    return (
      <div class="about">
        <p>
          <span class="pill condition">condition</span> {state}
        </p>
        <p class="soft">
          {kind.endsWith("-not") ? "True if this does not exist, or has none of the values:" : "True if this exists, or has one of the values:"}
        </p>
        {variable && <AboutVariable variable={variable} text={valueOf(packed, variable)} />}
        {variable && tokens.taken[at] !== TAKEN.unknown && <OtherBranch variable={variable} />}
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

/** Shows the other branch in the preview, or the one that is found again. */
function OtherBranch({ variable: { key, exists } }: { variable: Variable }) {
  const own = values.value.variables[key] !== undefined;
  const turn = () => setVariable(key, own ? undefined : exists ? null : "");
  return (
    <p>
      <Button small onClick={turn} {...keepsFocus}>
        {own ? "Preview as found" : "Preview the other branch"}
      </Button>
    </p>
  );
}

/** Returns where the whole value is: in the analysis if it is short, else in the preview if that shows it. */
function valueOf({ preview, origins }: Packed, { key, value, cut }: Variable): (() => string) | undefined {
  if (value !== null && !cut) return () => value;
  const at = preview?.spans.origin.findIndex((origin) => origin >= 0 && origins[origin]!.key === key) ?? -1;
  return at < 0 ? undefined : () => preview!.text.slice(spanFrom(preview!.spans, at), preview!.spans.to[at]!);
}

const TAKEN_WORDS: Record<number, string> = {
  [TAKEN.unknown]: "was not evaluated",
  [TAKEN.yes]: "is true",
  [TAKEN.no]: "is false",
};

const CONDITIONS: readonly string[] = ["if", "if-not", "elif", "elif-not"];

const PLAIN: Partial<Record<string, string>> = {
  each: "The following text is included once for each entry of the list.",
  endeach: "End of a list.",
  else: "The following text is included if the condition is false.",
  endif: "End of a condition.",
  raw: "Start of raw text: tags are not evaluated.",
  endraw: "End of raw text: tags are evaluated again.",
  literal: "Unmatched tag, kept as text.",
};

/** Returns the same as one sentence, for screen readers. */
export function tokenDescription(packed: Packed, at: number): string {
  const { tokens, keys } = packed;
  const kind = KINDS[tokens.kind[at]!]!;
  const key = tokens.key[at]! < 0 ? "" : escapedLines(head(keys[tokens.key[at]!]!, 80));
  const variable = packed.variables.find((one) => one.key === keys[tokens.key[at]!]);
  const what = variable ? variableDescription(variable) : "";
  if (kind === "variable") return what;
  if (CONDITIONS.includes(kind)) return `Condition on ${key}: ${TAKEN_WORDS[tokens.taken[at]!]}. ${what}`;
  return PLAIN[kind] ?? "Text.";
}

export function variableDescription({ key, exists, value, bytes, stability }: Variable, tokens?: number): string {
  const name = escapedLines(head(key, 80));
  if (exists === null) return `${name}: not evaluated.`;
  if (!exists) return `${name}: not found.`;
  const shown = value === "" ? "empty" : escapedLines(head(value ?? "", 120));
  return `${name}: ${shown}. ${amount(bytes ?? 0, "byte")}${tokens === undefined ? "" : `, ${tokenAmount(tokens, false)}`}${stability ? `, ${LASTS[stability]}` : ""}.`;
}

/** Renders it into a DOM element. */
export function drawn(node: preact.VNode): HTMLElement {
  const box = document.createElement("div");
  box.className = "card-inside";
  render(node, box);
  return box;
}
