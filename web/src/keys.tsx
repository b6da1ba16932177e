// The list of keyboard shortcuts, opened with F1, or with ? outside of text fields.
import { signal } from "@preact/signals";
import { Dialog } from "./ui/dialog";

export const mac = /Mac|iPhone|iPad/.test(navigator.platform);
export const mod = mac ? "⌘" : "Ctrl";

export const keysShown = signal(false);

type Row = readonly [keys: readonly string[], what: string];

const GROUPS: readonly { title: string; rows: readonly Row[] }[] = [
  {
    title: "Template",
    rows: [
      [["["], "Start a tag, with completion"],
      [["Ctrl", "Space"], "Complete at the cursor"],
      [["Alt", "Enter"], "Describe the tag at the cursor"],
      [["F8"], "Next diagnostic; with Shift, previous"],
      [[mod, "."], "Fix the diagnostic at the cursor"],
      [[mod, "Enter"], "Show the cursor position in the preview"],
      [[mod, "F"], "Search and replace"],
      [[mod, "Z"], "Undo; with Shift, redo"],
      [["Esc", "Tab"], "Leave the text field"],
    ],
  },
  {
    title: "Everywhere",
    rows: [
      [["F1"], "Show keyboard shortcuts; also ? outside of text fields"],
      [["F6"], "Next pane; with Shift, previous"],
      [[mod, "S"], "Save"],
    ],
  },
  {
    title: "Variables",
    rows: [
      [["↓", "↑"], "Move in the list"],
      [["Enter"], "Insert at the cursor"],
      [["→", "Enter"], "Insert as a condition"],
    ],
  },
  {
    title: "Preview",
    rows: [
      [["↓", "↑"], "Move between values and describe each"],
      [["Enter"], "Go to its source in the template"],
      [["Esc"], "Close the description"],
    ],
  },
  {
    title: "Lists, prompts and comparisons",
    rows: [
      [["↓", "↑"], "Move in a list, or between runs of a prompt"],
      [["Enter"], "Open the row, or the template of the run"],
      [["N", "P"], "Next or previous change of a comparison"],
    ],
  },
];

export function KeysDialog() {
  return (
    <Dialog title="Keyboard shortcuts" size="medium" onClose={() => (keysShown.value = false)}>
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

/** True if the key is typed into a text field. */
function writing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

addEventListener("keydown", (event) => {
  const asks = event.key === "F1" || (event.key === "?" && !event.ctrlKey && !event.metaKey && !writing(event.target));
  if (!asks || event.defaultPrevented) return;
  event.preventDefault();
  keysShown.value = true;
});
