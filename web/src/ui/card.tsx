// A small card beside something: what a tag holds, where a run of the preview came from. It stays inside of the window.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Anchor {
  left: number;
  top: number;
  bottom: number;
}

const GAP = 8;

interface CardProps {
  anchor: Anchor;
  label: string;
  children: ComponentChildren;
  onPointerEnter?: () => void;
  onPointerLeave?: () => void;
}

export function Card({ anchor, label, children, onPointerEnter, onPointerLeave }: CardProps) {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  useLayoutEffect(() => {
    const { offsetWidth: width, offsetHeight: height } = box.current!;
    const below = anchor.bottom + GAP;
    const top = below + height > innerHeight - GAP ? Math.max(GAP, anchor.top - height - GAP) : below;
    const left = Math.max(GAP, Math.min(anchor.left, innerWidth - width - GAP));
    setPlace({ left, top });
  }, [anchor.left, anchor.top, anchor.bottom]);
  return (
    <div
      class="card-float"
      role="note"
      aria-label={label}
      ref={box}
      style={{ left: `${place.left}px`, top: `${place.top}px` }}
      onPointerEnter={onPointerEnter}
      onPointerLeave={onPointerLeave}
    >
      {children}
    </div>
  );
}
