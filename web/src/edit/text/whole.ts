// Ctrl-A in a text that is only read: all of it is selected, drawn or not, and what is selected is what is copied.
import { selectAll } from "@codemirror/commands";
import type { Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

export function selectsWhole(): Extension {
  return [
    keymap.of([{ key: "Mod-a", run: selectAll, preventDefault: true }]),
    EditorView.domEventHandlers({
      copy: ({ clipboardData }, { state }) => {
        const { from, to, empty } = state.selection.main;
        if (empty || !clipboardData) return false;
        clipboardData.setData("text/plain", state.sliceDoc(from, to));
        return true;
      },
    }),
  ];
}
