// A handle above a box at the bottom of a pane: dragged with a pointer, moved with arrow keys, reset with Enter.
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { keep, kept } from "../keep";

const STEP = 24;
const LEAST = 40;

/** Returns the height that was set, in pixels; null while the box is as high as what it holds. */
export function useHeight(name: string): [number | null, (height: number | null) => void] {
  const place = `preface-height-${name}`;
  const [height, setHeight] = useState(() => Number(kept("local", place)) || null);
  const set = (next: number | null) => {
    setHeight(next);
    keep("local", place, next === null ? null : String(Math.round(next)));
  };
  return [height, set];
}

interface HeightHandleProps {
  label: string;
  box: RefObject<HTMLElement | null>;
  onHeight: (height: number | null) => void;
}

export function HeightHandle({ label, box, onHeight }: HeightHandleProps) {
  const most = () => (box.current?.parentElement?.clientHeight ?? innerHeight) * 0.7;
  const to = (height: number) => onHeight(Math.min(Math.max(height, LEAST), most()));
  const now = () => box.current?.offsetHeight ?? LEAST;
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowUp: now() + STEP, ArrowDown: now() - STEP, Home: most(), End: LEAST }[event.key];
    if (next !== undefined) to(next);
    else if (event.key === "Enter") onHeight(null);
    else return;
    event.preventDefault();
  };
  const onPointerDown = (event: PointerEvent) => {
    const grip = event.currentTarget as HTMLElement;
    const [start, before] = [event.clientY, now()];
    grip.setPointerCapture(event.pointerId);
    const onMove = (moved: PointerEvent) => to(before + start - moved.clientY);
    grip.addEventListener("pointermove", onMove);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", onMove), { once: true });
    event.preventDefault();
  };
  return (
    <div
      class="handle rows"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={label}
      aria-valuenow={Math.round(now())}
      aria-valuemin={LEAST}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onDblClick={() => onHeight(null)}
    />
  );
}
