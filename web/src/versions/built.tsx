// The comparison of two built prompts: what the service makes of two templates, directories or models, and why they differ.
import { useEffect, useMemo, useState } from "preact/hooks";
import { isAborted, messageOf } from "../api/problem";
import type { BuildOptions } from "../api/types";
import { tokenAmount } from "../amount";
import { analyzed } from "../edit/analysis/once";
import type { Packed } from "../edit/analysis/packed";
import { origins } from "../edit/preview/viewer";
import { words } from "../edit/text/findings";
import { CompareView } from "./compare-view";
import { ReasonWords, tokensOf } from "./reason";
import { reasonsOf, type Built } from "./reasons";

export interface ToBuild {
  /** The accessible name of the built prompt. */
  label: string;
  /** What the template is called in a sentence. */
  name: string;
  template: string;
  options: BuildOptions;
}

export type Pair = readonly [Packed, Packed];

export type BuiltPair = { phase: "loading" } | { phase: "failed"; trouble: string } | { phase: "ready"; pair: Pair };

/** More reasons of one change are counted. */
const MOST_REASONS = 4;

const LOADING: BuiltPair = { phase: "loading" };

/** Builds both at the same instant, so that the clock is no difference. */
export function useBuilt(from: ToBuild | null, to: ToBuild | null): BuiltPair {
  const [built, setBuilt] = useState<{ of: string; is: BuiltPair }>({ of: "", is: LOADING });
  const wanted = from && to ? JSON.stringify([from.template, from.options, to.template, to.options]) : "";
  useEffect(() => {
    if (!from || !to) return;
    const ends = new AbortController();
    const now = new Date().toISOString();
    const build = ({ template, options }: ToBuild) => analyzed(template, { now, ...options }, ends.signal);
    Promise.all([build(from), build(to)]).then(
      (pair) => setBuilt({ of: wanted, is: { phase: "ready", pair } }),
      (error: unknown) => isAborted(error) || setBuilt({ of: wanted, is: { phase: "failed", trouble: messageOf(error) } }),
    );
    return () => ends.abort();
  }, [wanted]);
  return built.of === wanted ? built.is : LOADING;
}

export function BuiltView({ from, to, built }: { from: ToBuild; to: ToBuild; built: BuiltPair }) {
  const pair = built.phase === "ready" ? built.pair : null;
  const sides = useMemo(() => pair && [sideOf(from, pair[0]), sideOf(to, pair[1])] as const, [pair, from.label, to.label]);
  const reasons = useMemo(() => sides?.[0].built && sides[1].built && reasonsOf(sides[0].built, sides[1].built), [sides]);
  if (built.phase === "failed")
    return (
      <p class="empty" role="alert">
        {built.trouble}
      </p>
    );
  if (!sides) return <p class="waiting">Building…</p>;
  const [left, right] = sides;
  if (!left.built || !right.built || !reasons)
    return (
      <div class="empty" role="alert">
        {sides.map(({ label, trouble }) => trouble && <p key={label}>{`${label}: ${trouble}`}</p>)}
      </div>
    );
  return (
    <CompareView
      left={left}
      right={right}
      reasons={(change) => {
        const found = reasons(change);
        if (found.length === 0) return ["The same text in another place."];
        const shown = found.slice(0, MOST_REASONS).map((reason, at) => <ReasonWords key={at} reason={reason} from={left.built!} to={right.built!} />);
        return found.length > MOST_REASONS ? [...shown, `and ${found.length - MOST_REASONS} more`] : shown;
      }}
    />
  );
}

/** How many tokens more or fewer the second prompt has. */
export function gained([{ preview: before }, { preview: after }]: Pair): string {
  if (!before || !after) return "";
  if (before.text === after.text) return "The built prompt does not change.";
  const more = after.tokens - before.tokens;
  const by = more === 0 ? "as many as" : `${Math.abs(more).toLocaleString("en")} ${more > 0 ? "more" : "fewer"} than`;
  return `The built prompt has ${tokenAmount(after.tokens, after.exact)}, ${by} before.`;
}

function sideOf({ label, name, template, options }: ToBuild, packed: Packed) {
  const { preview, notes } = packed;
  const error = notes.find(({ severity }) => severity === "error");
  if (!preview) return { label, text: "", built: null, trouble: `no prompt is built. ${error ? words(error) : ""}` };
  const built: Built = { name, template, packed, preview };
  return { label, text: preview.text, about: tokensOf(built, options.model ?? ""), extension: origins(packed), built, trouble: "" };
}
