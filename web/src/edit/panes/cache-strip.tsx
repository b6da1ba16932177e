// The cacheable share of a prompt: its runs in order by stability, and the size of each part.
import { useEffect, useState } from "preact/hooks";
import { amount, size, tokenAmount } from "../../amount";
import type { Stability } from "../../api/types";
import { escaped, head } from "../../shown";
import type { PackedPreview, Run } from "../analysis/packed";
import { LASTS } from "../context";

/** The data of a prompt that is shown. */
export type Weighed = Pick<PackedPreview, "bytes" | "tokens" | "counter" | "exact" | "runs" | "parts"> & {
  /** Unknown for a stored prompt. */
  cacheMinimum?: number;
};

const ORDER: readonly Stability[] = ["static", "conversation", "turn"];
/** More runs than this are too narrow to see: small ones join their neighbour. */
const MOST_RUNS = 160;
const QUIET = 1500;

export function CacheStrip({ preview }: { preview: Weighed }) {
  const { bytes, tokens, counter, exact, runs, parts } = preview;
  const weigh = (part: number) => (bytes === 0 ? 0 : Math.round((tokens * part) / bytes));
  const sum = (stability: Stability) => runs.reduce((total, run) => (run.stability === stability ? total + run.bytes : total), 0);
  const used = ORDER.filter((stability) => sum(stability) > 0);
  return (
    <section class="strip" aria-label="Tokens and cache order">
      <p class="sr" role="status" aria-label="Size of the prompt">
        {useSettled([tokenAmount(tokens, exact).replace("about", "About"), verdict(preview)].filter(Boolean).map((words) => `${words}.`).join(" "))}
      </p>
      <p class="strip-count">
        {!exact && <span class="soft">about</span>} <strong>{amount(tokens, "token")}</strong>{" "}
        <span class="soft">
          {exact && `by ${counter}, `}
          {size(bytes)}
        </span>
        <span class="strip-verdict">{verdict(preview)}</span>
      </p>
      {bytes > 0 && (
        <div class="strip-bar" role="img" aria-label={`Stability in order: ${runsDescription(runs)}`}>
          {coarse(runs, bytes).map((run, at) => (
            <span key={at} class={`strip-run ${run.stability}`} style={{ flexGrow: run.bytes }} title={titleOf(run, weigh(run.bytes))} />
          ))}
        </div>
      )}
      {bytes > 0 && (
        <ul class="strip-key">
          {used.map((stability) => (
            <li key={stability}>
              <span class={`swatch ${stability}`} aria-hidden="true" />
              {LASTS[stability]} <span class="soft">{share(sum(stability), bytes)}</span>
            </li>
          ))}
        </ul>
      )}
      {parts.length > 1 && (
        <details class="parts">
          <summary>{amount(parts.length, "part")}</summary>
          <ul>
            {parts.map(({ section, tokens: count, bytes: length, stability }) => (
              <li key={section}>
                <span class={`swatch ${stability}`} aria-hidden="true" />
                <span class="parts-name">{escaped(head(section, 60))}</span>
                <span class="soft">
                  {amount(count, "token")}, {size(length)}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** Returns a text once it is unchanged for a while, so that it is not announced at every key. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), QUIET);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Returns a percentage; never 0 % for a positive share. */
function share(part: number, bytes: number): string {
  const whole = Math.round((100 * part) / bytes);
  return whole === 0 ? "< 1 %" : `${whole} %`;
}

/** Returns the cacheable share of a prompt: nothing, where its beginning is shorter than what the model's service caches. */
export function verdict({ runs, bytes, tokens, cacheMinimum = 0 }: Weighed): string {
  const first = runs.findIndex(({ stability }) => stability === "turn");
  if (bytes === 0) return "";
  const stable = runs.slice(0, first < 0 ? runs.length : first).reduce((total, run) => total + run.bytes, 0);
  if ((tokens * stable) / bytes < cacheMinimum) return `Too short to cache alone: ${amount(cacheMinimum, "token")} are the least`;
  if (first < 0) return "Fully cacheable";
  const part = Math.floor((100 * stable) / bytes);
  return `${part} % cacheable, up to ${escaped(head(runs[first]!.keys[0] ?? "", 40))}`;
}

function titleOf({ stability, keys, bytes }: Run, tokens: number): string {
  const named = keys.length > 0 ? `: ${keys.map((key) => escaped(head(key, 40))).join(", ")}` : "";
  return `${LASTS[stability]}${named} – ${amount(tokens, "token")}, ${size(bytes)}`;
}

function runsDescription(runs: readonly Run[]): string {
  const parts = runs.slice(0, 12).map(({ stability, bytes }) => `${size(bytes)} ${LASTS[stability]}`);
  return parts.join(", ") + (runs.length > 12 ? `, and ${runs.length - 12} more` : "");
}

function coarse(runs: readonly Run[], bytes: number): Run[] {
  if (runs.length <= MOST_RUNS) return [...runs];
  const least = bytes / MOST_RUNS;
  const joined: Run[] = [];
  for (const run of runs) {
    const before = joined.at(-1);
    if (before && before.bytes < least) {
      before.bytes += run.bytes;
      // The least stable one wins.
      if (ORDER.indexOf(run.stability) > ORDER.indexOf(before.stability)) before.stability = run.stability;
    } else joined.push({ ...run });
  }
  return joined;
}
