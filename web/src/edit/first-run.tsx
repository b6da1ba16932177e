// What the page is for and templates to start from, shown while the store has no template.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { request } from "../api/client";
import { keep, kept } from "../keep";
import { IconButton } from "../ui/button";
import { inField, packed, session } from "./desk";
import { EXAMPLES, type Example } from "./examples";

const CLOSED = "preface-first-run-closed";

const closed = signal(kept("local", CLOSED) !== null);
const isEmpty = signal(false);

export default function FirstRun() {
  const base = session.value?.base.value;
  useEffect(() => {
    // Without a response, nothing is shown.
    if (!closed.value) request("get", "/templates", { query: { limit: 1 } }).then(({ data }) => (isEmpty.value = data.items.length === 0), () => {});
  }, [base]);
  // Read again with each analysis: soon after each change.
  void packed.value;
  const text = session.value?.text;
  const chosen = EXAMPLES.find((one) => one.text === text);
  // After the first key, the room is for the text.
  if (closed.value || !isEmpty.value || !base || (text !== base.text && !chosen)) return null;
  return (
    <section class="first-run" aria-label="Start">
      <div class="first-words">
        <h2>Start with a template</h2>
        <p>
          <b>Write</b> the system prompt of your agents as text. <kbd>[</kbd> inserts a variable, a file or a condition.
        </p>
        <p>
          <b>Check</b> the built prompt beside it: each byte with its source, and how much of it stays cached.
        </p>
        <p>
          <b>Save</b> a version. New conversations use it; those that are running keep their prompt.
        </p>
      </div>
      <ul aria-label="Example templates">
        {EXAMPLES.map((one) => (
          <li key={one.title}>
            <button type="button" aria-pressed={one === chosen} onClick={() => take(one)}>
              <b>{one.title}</b>
              <span>{one.about}</span>
            </button>
          </li>
        ))}
      </ul>
      <IconButton label="Close the examples" icon="close" onClick={close} />
    </section>
  );
}

/** Puts an example in the place of the text; undo takes it back. */
function take({ text }: Example): void {
  inField((view) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "input.complete" }));
}

function close(): void {
  closed.value = true;
  keep("local", CLOSED, "1");
  inField((view) => view.focus());
}
