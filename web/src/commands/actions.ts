// The actions of the page, with their keys: one list for the command palette and the page of keyboard shortcuts.
import { nextDiagnostic, previousDiagnostic } from "@codemirror/lint";
import { viewOnly } from "../api/access";
import { commandsShown, keysShown, mod } from "../keys";
import { go, route } from "../route";
import { setTheme } from "../theme";
import { copy } from "../ui/copy";
import { inField, lookAgain, packed, resolveConflict, session, showPlace } from "../edit/desk";
import { opened } from "../edit/panes/bar";
import { newLabel } from "../edit/panes/labels";
import { openReview } from "../edit/panes/review";
import { copied } from "../edit/panes/preview-pane";
import { MAIN } from "../edit/stored";
import { fixHere } from "../edit/text/findings";
import { search } from "../edit/text/search";

export interface Action {
  what: string;
  keys?: readonly string[];
  /** Absent for keys that work only where the focus is. */
  run?: () => void;
  /** Returns false while there is nothing to do it with. */
  can?: () => boolean;
}

export interface ActionGroup {
  title: string;
  actions: readonly Action[];
}

const editing = (): boolean => route.peek().screen === "edit" && session.peek()?.phase.peek() === "ready";
const stored = (): boolean => editing() && viewOnly.peek() === "" && (session.peek()?.base.peek()?.version ?? 0) > 0;
const hasNotes = (): boolean => editing() && (packed.peek()?.notes.length ?? 0) > 0;
const hasPreview = (): boolean => editing() && !!packed.peek()?.preview;
const name = (): string => session.peek()?.name ?? MAIN;

const copies = (what: string, can: () => boolean): Action => ({
  what: `Copy ${what}`,
  can,
  run: () => {
    const one = copied(packed.peek()?.preview?.text ?? "").find((each) => each.what === what);
    if (one) void copy(one.text(), `${what[0]!.toUpperCase()}${what.slice(1)}`);
  },
});

export const GROUPS: readonly ActionGroup[] = [
  {
    title: "Template",
    actions: [
      { what: "Save", keys: [mod, "S"], can: () => editing() && session.peek()!.canSave, run: () => void session.peek()?.save() },
      { what: "Review the changes, then save with a note or labels…", keys: [mod, "⇧", "S"], can: () => editing() && session.peek()!.canSave, run: () => void openReview(session.peek()!) },
      { what: "Resolve the save conflict…", can: () => editing() && !!session.peek()?.newer.peek(), run: () => resolveConflict(session.peek()!) },
      { what: "Open or create a template…", can: () => route.peek().screen === "edit", run: () => (opened.value = "templates") },
      { what: "Show unsaved texts…", can: () => route.peek().screen === "edit", run: () => (opened.value = "unsaved") },
      { what: "Show versions and compare", can: editing, run: () => go("versions", name()) },
      { what: "Add a label…", can: stored, run: () => (newLabel.value = "") },
      { what: "Reset the template to the default, or delete it…", can: stored, run: () => (opened.value = "reset") },
      copies("prompt", hasPreview),
      copies("template", editing),
      copies("request JSON", editing),
      copies("link", editing),
      { what: "Print the preview", can: hasPreview, run: () => print() },
    ],
  },
  {
    title: "Text",
    actions: [
      { what: "Start a tag, with completion", keys: ["["] },
      { what: "Complete at the cursor", keys: ["Ctrl", "Space"] },
      { what: "Describe the tag at the cursor", keys: ["Alt", "Enter"] },
      { what: "Go to the next diagnostic", keys: ["F8"], can: hasNotes, run: () => inField(nextDiagnostic) },
      { what: "Go to the previous diagnostic", keys: ["Shift", "F8"], can: hasNotes, run: () => inField(previousDiagnostic) },
      { what: "Fix the diagnostic at the cursor", keys: [mod, "."], can: hasNotes, run: () => inField(fixHere) },
      { what: "Show the cursor position in the preview", keys: [mod, "Enter"], can: hasPreview, run: () => showPlace.value++ },
      { what: "Search and replace", keys: [mod, "F"], can: editing, run: () => inField(search) },
      { what: "Undo; with Shift, redo", keys: [mod, "Z"] },
      { what: "Leave the text field", keys: ["Esc", "Tab"] },
    ],
  },
  {
    title: "Everywhere",
    actions: [
      { what: "Show all commands", keys: [mod, "K"], run: () => (commandsShown.value = true) },
      { what: "Show keyboard shortcuts", keys: ["F1"], run: () => (keysShown.value = true) },
      { what: "Next pane or message; with Shift, previous", keys: ["F6"] },
      { what: "Reload files, values and the template", can: editing, run: lookAgain },
      { what: "Go to Edit", can: () => route.peek().screen !== "edit", run: () => go("edit", name()) },
      { what: "Go to Conversations", can: () => route.peek().screen !== "conversations", run: () => go("conversations") },
      { what: "Go to Status", can: () => route.peek().screen !== "health", run: () => go("health") },
      { what: "Theme: light", run: () => setTheme("light") },
      { what: "Theme: dark", run: () => setTheme("dark") },
      { what: "Theme: as the system", run: () => setTheme("system") },
    ],
  },
  {
    title: "Variables",
    actions: [
      { what: "Move in the list", keys: ["↓", "↑"] },
      { what: "Insert at the cursor", keys: ["Enter"] },
      { what: "Insert as a condition", keys: ["→", "Enter"] },
    ],
  },
  {
    title: "Preview",
    actions: [
      { what: "Move between values and describe each", keys: ["↓", "↑"] },
      { what: "Go to its source in the template", keys: ["Enter"] },
      { what: "Fold or unfold a long value", keys: ["Space"] },
      { what: "Close the description", keys: ["Esc"] },
    ],
  },
  {
    title: "Lists, prompts and comparisons",
    actions: [
      { what: "Move in a list, or between runs of a prompt", keys: ["↓", "↑"] },
      { what: "Open the row, or the template of the run", keys: ["Enter"] },
      { what: "Next or previous change of a comparison", keys: ["N", "P"] },
      { what: "Select the whole text; then copy it", keys: [mod, "A"] },
    ],
  },
];
