// The place of the text field.
import { useLayoutEffect, useRef } from "preact/hooks";
import { caret, mount, session } from "../desk";

export function TextPane() {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => mount(box.current!), []);
  const current = session.value;
  const waits = current?.phase.value !== "ready";
  return (
    <div class="text">
      {waits && <p class="waiting">{current?.phase.value === "failed" ? "" : "Loading…"}</p>}
      <div class="text-field" ref={box} hidden={waits} />
    </div>
  );
}

export function Caret() {
  const { line, column } = caret.value;
  return (
    <span class="soft small caret" aria-hidden="true">
      {line}:{column}
    </span>
  );
}
