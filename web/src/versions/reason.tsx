// A reason of a change of a built prompt, in words.
import { size, tokenAmount } from "../amount";
import type { Variable } from "../edit/analysis/packed";
import { escaped, head, Shown } from "../shown";
import type { Built, Lines, Reason } from "./reasons";

/** Longer values are shown by their size. */
const MOST_VALUE = 40;

export function ReasonWords({ reason, from, to }: { reason: Reason; from: Built; to: Built }) {
  switch (reason.kind) {
    case "variable":
      return (
        <Line name={reason.key} tone={reason.to.stability ?? reason.from.stability ?? ""}>
          {values(reason.from, reason.to)}
        </Line>
      );
    case "condition":
      return (
        <Line name={`[if ${reason.negated ? "!" : ""}${reason.key}]`} tone="condition">
          {String(reason.from)} → {String(reason.to)}
        </Line>
      );
    case "template":
      return (
        <Line name="template" tone="">
          {places(from.name, reason.from, to.name, reason.to)}
        </Line>
      );
    case "profile":
      return (
        <Line name="profile" tone="">
          {escaped(head(reason.name, 80))}
        </Line>
      );
  }
}

function Line({ name, tone, children }: { name: string; tone: string; children: preact.ComponentChildren }) {
  return (
    <span class="reason">
      <span class={`pill ${tone}`}>
        <Shown text={name} most={60} />
      </span>{" "}
      {children}
    </span>
  );
}

function values(from: Variable, to: Variable): string {
  const short = [from, to].every(({ value, cut }) => value === null || (!cut && value.length <= MOST_VALUE && !value.trimEnd().includes("\n")));
  const shown = ({ exists, value, bytes }: Variable) => {
    if (exists === false) return "not found";
    if (value === "") return "empty";
    return short ? `“${escaped((value ?? "").trimEnd())}”` : size(bytes ?? 0);
  };
  const [before, after] = [shown(from), shown(to)];
  return before === after ? `different text, ${size(to.bytes ?? 0)}` : `${before} → ${after}`;
}

function places(before: string, from: Lines | null, after: string, to: Lines | null): string {
  const lines = ([first, last]: Lines) => (first === last ? `line ${first}` : `lines ${first}–${last}`);
  if (!from || !to) return to ? `${lines(to)} added in ${after}` : from ? `${lines(from)} of ${before} removed in ${after}` : "";
  if (lines(from) === lines(to)) return `${before} → ${after}, ${lines(to)}`;
  return `${before}, ${lines(from)} → ${after}, ${lines(to)}`;
}

/** The number of tokens of a built prompt, and what it is for. */
export function tokensOf({ preview: { tokens, bytes, exact } }: Built, model: string): string {
  return `${tokenAmount(tokens, exact)}${model === "" ? "" : ` for ${escaped(head(model, 40))}`}, ${size(bytes)}`;
}
