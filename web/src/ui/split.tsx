// Panes side by side with a handle between two of them: dragged with a pointer, moved with arrow keys, reset with Enter.
import { Fragment, type ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { keep, kept } from "../keep";

export interface Pane {
  id: string;
  /** What the pane holds, for the handle before it. */
  label: string;
  /** Its share of the width at first. */
  share: number;
  /** The least share. */
  least?: number;
  child: ComponentChildren;
}

const STEP = 0.02;
const LEAST = 0.12;

/** `name` is under which the widths are kept. */
export function Split({ name, panes }: { name: string; panes: readonly Pane[] }) {
  const box = useRef<HTMLDivElement>(null);
  const first = panes.map((pane) => pane.share);
  const [shares, setShares] = useState(() => remembered(name, first));

  const move = (handle: number, by: number) => {
    const left = shares[handle]!;
    const right = shares[handle + 1]!;
    const lowest = (panes[handle]!.least ?? LEAST) - left;
    const highest = right - (panes[handle + 1]!.least ?? LEAST);
    const step = Math.min(Math.max(by, lowest), highest);
    const next = shares.map((share, at) => (at === handle ? share + step : at === handle + 1 ? share - step : share));
    setShares(next);
    keep("local", `preface-split-${name}`, next.map((share) => share.toFixed(4)).join(" "));
  };
  const reset = () => {
    setShares(first);
    keep("local", `preface-split-${name}`, null);
  };
  const onKeyDown = (handle: number) => (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP, Home: -1, End: 1 }[event.key];
    if (by !== undefined) move(handle, by);
    else if (event.key === "Enter") reset();
    else return;
    event.preventDefault();
  };
  const onPointerDown = (handle: number) => (event: PointerEvent) => {
    const grip = event.currentTarget as HTMLElement;
    const width = box.current!.clientWidth;
    const start = event.clientX;
    grip.setPointerCapture(event.pointerId);
    const onMove = (moved: PointerEvent) => move(handle, (moved.clientX - start) / width);
    grip.addEventListener("pointermove", onMove);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", onMove), { once: true });
    event.preventDefault();
  };

  const columns = shares.map((share) => `minmax(0, ${share.toFixed(4)}fr)`).join(" auto ");
  return (
    <div class="split" ref={box} style={{ gridTemplateColumns: columns }}>
      {panes.map((pane, at) => (
        <Fragment key={pane.id}>
          {at > 0 && (
            <div
              class="handle"
              role="separator"
              tabIndex={0}
              aria-orientation="vertical"
              aria-label={`Resize: ${panes[at - 1]!.label} and ${pane.label}`}
              aria-controls={panes[at - 1]!.id}
              aria-valuenow={Math.round(shares[at - 1]! * 100)}
              aria-valuemin={Math.round((panes[at - 1]!.least ?? LEAST) * 100)}
              aria-valuemax={100}
              onKeyDown={onKeyDown(at - 1)}
              onPointerDown={onPointerDown(at - 1)}
              onDblClick={reset}
            />
          )}
          <div class="pane" id={pane.id}>
            {pane.child}
          </div>
        </Fragment>
      ))}
    </div>
  );
}

function remembered(name: string, first: number[]): number[] {
  const shares = (kept("local", `preface-split-${name}`) ?? "").split(" ").map(Number);
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const good = shares.length === first.length && shares.every((share) => share >= 0.05) && Math.abs(whole - 1) < 0.02;
  return good ? shares : first;
}
