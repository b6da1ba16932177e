// The difference between two prompts: the cached prefix, the changed parts, and both texts side by side.
import { useMemo } from "preact/hooks";
import { amount } from "../amount";
import type { components } from "../api/schema";
import { Shown } from "../shown";
import { CompareLater } from "./later";
import { patched } from "./patch";

type Change = components["schemas"]["Difference"];

export function DifferenceView({ before, difference, labels }: { before: string; difference: Change; labels: [string, string] }) {
  const { same, cached_prefix: kept, first_difference: first, parts, text } = difference;
  const after = useMemo(() => patched(before, text), [before, text]);
  if (same) return <p class="same-words">No changes: the new prompt is identical, byte for byte.</p>;
  return (
    <div class="difference">
      <p>
        {kept.bytes === 0 ? "The prompts differ from the first byte: nothing stays cached." : keeps(kept.tokens)}
        {first && (
          <>
            {" "}
            The first difference is in <Shown text={(first.right ?? first.left)!.section} most={60} />, at{" "}
            <Shown text={(first.right ?? first.left)!.label} most={80} />.
          </>
        )}
      </p>
      <ul class="part-changes" aria-label="Parts">
        {parts.map(({ section, change, tokens_before: from, tokens_after: to }, at) => (
          <li key={at}>
            <span class={`pill ${PILLS[change]}`}>{change}</span> <Shown text={section} most={60} />{" "}
            <span class="soft">
              {from !== null && to !== null && from !== to ? `${from.toLocaleString("en")} → ${amount(to, "token")}` : amount(to ?? from ?? 0, "token")}
            </span>
          </li>
        ))}
      </ul>
      {after !== null ? (
        <CompareLater left={{ label: labels[0], text: before }} right={{ label: labels[1], text: after }} />
      ) : (
        <p role="alert">The difference cannot be shown because the prompt may have changed. Close this dialog and open it again.</p>
      )}
    </div>
  );
}

const keeps = (tokens: number): string => `The first ${amount(tokens, "token")} stay cached; the rest is cached again on the next request.`;

const PILLS: Record<Change["parts"][number]["change"], string> = {
  same: "",
  changed: "turn",
  added: "conversation",
  removed: "unknown",
  moved: "condition",
};
