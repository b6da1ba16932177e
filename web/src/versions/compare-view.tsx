// The comparison of two texts with its toolbar.
import "../shell"; // Is here already. Saying so keeps the first load in one piece.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { amount } from "../amount";
import { keep, kept } from "../keep";
import { escaped, head } from "../shown";
import { Button } from "../ui/button";
import { compare, type Compared, type Layout, type Side } from "./compare";

const NAME = "preface-compare";
const roomy = matchMedia("(min-width: 1200px)");

const chosen = signal<Layout | null>((["side", "column"] as const).find((one) => one === kept("local", NAME)) ?? null);
const wide = signal(roomy.matches);
roomy.addEventListener("change", () => (wide.value = roomy.matches));

/** The chosen layout, or the one that fits the window. */
const layout = (): Layout => (wide.value ? (chosen.value ?? "side") : "column");

function choose(next: Layout): void {
  chosen.value = next;
  keep("local", NAME, next);
}

export function CompareView({ left, right }: { left: Side; right: Side }) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<Compared | null>(null);
  const [differences, setDifferences] = useState<number | null>(null);
  const how = layout();
  const same = left.text === right.text;
  useEffect(() => {
    if (same) return;
    const made = compare(box.current!, left, right, how);
    drawn.current = made;
    setDifferences(made.differences);
    return () => {
      drawn.current = null;
      made.destroy();
    };
  }, [left.text, right.text, left.label, right.label, how, same]);

  return (
    <div class="compare">
      <div class="compare-bar">
        <p role="status">{same ? "No changes." : differences !== null && amount(differences, "change")}</p>
        {!same && (
          <>
            <Button small onClick={() => drawn.current?.previous()}>
              Previous
            </Button>
            <Button small onClick={() => drawn.current?.next()}>
              Next
            </Button>
          </>
        )}
        {wide.value && !same && (
          <div class="segments" role="group" aria-label="Layout of the comparison">
            <button type="button" aria-pressed={how === "side"} onClick={() => choose("side")}>
              Side by side
            </button>
            <button type="button" aria-pressed={how === "column"} onClick={() => choose("column")}>
              Unified
            </button>
          </div>
        )}
      </div>
      <div class={`compare-heads ${how}`}>
        <span class="removed-mark">{escaped(head(left.label, 80))}</span>
        <span class="added-mark">{escaped(head(right.label, 80))}</span>
      </div>
      {same ? <Same text={right.text} /> : <div class="compare-text" ref={box} />}
    </div>
  );
}

function Same({ text }: { text: string }) {
  return <p class="empty">{text === "" ? "Both texts are empty." : "The texts are identical."}</p>;
}
