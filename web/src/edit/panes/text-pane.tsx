// The pane of the text field.
import { useLayoutEffect, useRef } from "preact/hooks";
import { caret, mount, packed, session, writing } from "../desk";

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

/** The hint for beginners. */
export function Hint() {
  return (
    <span class="hint soft">
      {writing.value ? (
        <>
          <kbd>Esc</kbd> then <kbd>Tab</kbd> leaves the text,{" "}
        </>
      ) : (
        <>
          <kbd>[</kbd> inserts a variable,{" "}
        </>
      )}
      <kbd>F1</kbd> shows shortcuts
    </span>
  );
}

/** The legend of the marks beside the line numbers. */
export function Legend() {
  const taken = packed.value?.tokens.taken;
  if (!taken?.some((one) => one !== 0)) return null;
  return (
    <span class="legend soft">
      <span class="taken yes" aria-hidden="true" /> condition true <span class="taken no" aria-hidden="true" /> false
    </span>
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
