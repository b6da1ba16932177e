// All keys of the page, on F1, or on ? where no text is being written.
import { signal } from "@preact/signals";
import { Dialog } from "./ui/dialog";

export const mac = /Mac|iPhone|iPad/.test(navigator.platform);
export const mod = mac ? "⌘" : "Ctrl";

export const keysShown = signal(false);

type Row = readonly [keys: readonly string[], what: string];

const GROUPS: readonly { title: string; rows: readonly Row[] }[] = [
  {
    title: "In the text",
    rows: [
      [["["], "Open a tag and choose from what there is"],
      [["Ctrl", "Space"], "Complete at the caret"],
      [["Alt", "Enter"], "Tell about the tag at the caret"],
      [["F8"], "Go to the next finding; with Shift, to the one before"],
      [[mod, "."], "Fix the finding at the caret"],
      [[mod, "Enter"], "Show this place in the preview"],
      [[mod, "F"], "Search and replace"],
      [[mod, "Z"], "Undo; with Shift, redo"],
      [["Esc", "Tab"], "Leave the text"],
    ],
  },
  {
    title: "Everywhere",
    rows: [
      [["F1"], "Show all keys; ? does the same outside of the text"],
      [["F6"], "Go to the next pane; with Shift, to the one before"],
      [[mod, "S"], "Save"],
    ],
  },
  {
    title: "In the list of variables",
    rows: [
      [["↓", "↑"], "Go along the list"],
      [["Enter"], "Insert it at the caret"],
      [["→", "Enter"], "Make a condition of it"],
    ],
  },
  {
    title: "In the preview",
    rows: [
      [["↓", "↑"], "Go from value to value, and tell about each"],
      [["Enter"], "Go to its place in the text"],
      [["Esc"], "Close what is told"],
    ],
  },
  {
    title: "In lists, prompts and comparisons",
    rows: [
      [["↓", "↑"], "Go along a list, or from run to run of a prompt"],
      [["Enter"], "Open the row, or the template of the run"],
      [["N", "P"], "Go to the next change of a comparison, or to the one before"],
    ],
  },
];

export function KeysDialog() {
  return (
    <Dialog title="Keys" size="medium" onClose={() => (keysShown.value = false)}>
      <div class="keys">
        {GROUPS.map(({ title, rows }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([keys, what]) => (
                <div key={what}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** True where a key is part of what somebody is writing. */
function writing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

addEventListener("keydown", (event) => {
  const asks = event.key === "F1" || (event.key === "?" && !event.ctrlKey && !event.metaKey && !writing(event.target));
  if (!asks || event.defaultPrevented) return;
  event.preventDefault();
  keysShown.value = true;
});
