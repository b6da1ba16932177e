// The panel to search and replace in, and its keys. Loaded when it is needed.
import "../../shell"; // Is here already. Saying so keeps the first load in one piece.
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";

export const open = openSearchPanel;

export function searching(): Extension {
  return [search({ top: true }), highlightSelectionMatches({ minSelectionLength: 3, maxMatches: 200 }), keymap.of(searchKeymap)];
}
