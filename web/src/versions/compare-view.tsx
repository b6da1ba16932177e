// The comparison of two texts with its toolbar.
import "../shell"; // Part of the first load already; the import keeps that in one chunk.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { amount } from "../amount";
import { keep, kept } from "../keep";
import { escaped, head } from "../shown";
import { Button } from "../ui/button";
import { CopyIcon } from "../ui/copy";
import { VirtualList } from "../ui/virtual-list";
import { compare, type Compared, type Layout, type Side } from "./compare";
import type { Change } from "./reasons";

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

/** The height of a line of the list of reasons. */
const LINE = 26;
/** So many lines of it are in sight; the others are a scroll away. */
const MOST_LINES = 5;
/** More changes than this are not looked at for the height of a row. */
const LOOKED_AT = 100;

interface CompareViewProps {
  left: Side;
  right: Side;
  /** Returns the reasons of a change, which are listed above the texts. */
  reasons?: (change: Change) => readonly ComponentChildren[];
}

export function CompareView({ left, right, reasons }: CompareViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<Compared | null>(null);
  const [changes, setChanges] = useState<Compared["changes"] | null>(null);
  const [current, setCurrent] = useState(-1);
  const how = layout();
  const same = left.text === right.text;
  useEffect(() => {
    if (same) return;
    const made = compare(box.current!, left, right, how, setCurrent);
    drawn.current = made;
    setChanges(made.changes);
    setCurrent(-1);
    return () => {
      drawn.current = null;
      made.destroy();
    };
  }, [left.text, right.text, left.label, right.label, left.extension, right.extension, how, same]);

  // On a narrow screen, reasons of one change are below each other.
  const lines = how === "side" || !reasons ? 1 : Math.max(1, ...(changes ?? []).slice(0, LOOKED_AT).map((change) => reasons(change).length));
  const rowHeight = lines * LINE + 4;
  return (
    <div class="compare">
      <div class="compare-bar">
        <p role="status">{same ? "No changes." : changes && amount(changes.length, "change")}</p>
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
        <Head side={left} mark="removed-mark" />
        <Head side={right} mark="added-mark" />
      </div>
      {reasons && changes && !same && (
        <div class={`reasons ${how}`} style={{ height: `${Math.min(changes.length * rowHeight, MOST_LINES * LINE)}px` }}>
          <VirtualList
            label="Changes and their reasons"
            items={changes}
            rowHeight={rowHeight}
            current={current}
            onCurrent={(at) => drawn.current?.go(at)}
            onOpen={() => box.current?.querySelector<HTMLElement>(how === "side" ? ".cm-merge-b .cm-content" : ".cm-content")?.focus()}
            row={(change, at) => (
              <div class="reason-row">
                <span class="reason-number">{at + 1}</span> <span class="reason-list">{reasons(change)}</span>
              </div>
            )}
          />
        </div>
      )}
      {same ? <Same text={right.text} /> : <div class="compare-text" ref={box} />}
    </div>
  );
}

function Head({ side, mark }: { side: Side; mark: string }) {
  const label = escaped(head(side.label, 80));
  return (
    <div class="compare-head">
      <span class={mark}>{label}</span>
      {side.about && <span class="soft compare-about">{side.about}</span>}
      <CopyIcon what={`text of ${label.charAt(0).toLowerCase()}${label.slice(1)}`} text={() => side.text} />
    </div>
  );
}

function Same({ text }: { text: string }) {
  return <p class="empty">{text === "" ? "Both texts are empty." : "The texts are identical."}</p>;
}
