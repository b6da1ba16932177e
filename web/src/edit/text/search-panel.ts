// The panel to search and replace in, with the number of matches, and its keys. Loaded when it is needed.
import "../../shell"; // Part of the first load already; the import keeps that in one chunk.
import { getSearchQuery, highlightSelectionMatches, openSearchPanel, search, searchKeymap, searchPanelOpen, setSearchQuery } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { amount } from "../../amount";

export const open = openSearchPanel;

/** More matches than this are not counted. */
const MOST = 1000;

const PHRASES = {
  next: "Next",
  previous: "Previous",
  all: "All",
  "match case": "Match case",
  regexp: "Regular expression",
  "by word": "Whole words",
  replace: "Replace",
  "replace all": "Replace all",
};

/** Shows how many matches there are, and which of them is selected. */
const counts = EditorView.updateListener.of(({ view, state, startState, docChanged, selectionSet, transactions }) => {
  if (!searchPanelOpen(state)) return;
  const queryChanged = transactions.some(({ effects }) => effects.some((effect) => effect.is(setSearchQuery)));
  if (!docChanged && !selectionSet && !queryChanged && searchPanelOpen(startState)) return;
  const panel = view.dom.querySelector(".cm-search");
  if (!panel) return;
  let count = panel.querySelector(".search-count");
  if (!count) {
    count = document.createElement("span");
    count.className = "search-count";
    count.setAttribute("role", "status");
    panel.insertBefore(count, panel.querySelector("[name=select]")?.nextSibling ?? null);
  }
  count.textContent = counted(state);
});

function counted(state: EditorState): string {
  const query = getSearchQuery(state);
  if (!query.search || !query.valid) return "";
  const { from, to } = state.selection.main;
  const cursor = query.getCursor(state);
  let total = 0;
  let current = 0;
  for (let step = cursor.next(); !step.done && total < MOST; step = cursor.next()) {
    total++;
    if (step.value.from === from && step.value.to === to) current = total;
  }
  const all = total === MOST ? `${MOST} or more` : String(total);
  return total === 0 ? "No matches" : current > 0 ? `${current} of ${all}` : amount(total, "match", "matches");
}

export function searching(): Extension {
  return [
    EditorState.phrases.of(PHRASES),
    search({ top: true }),
    counts,
    highlightSelectionMatches({ minSelectionLength: 3, maxMatches: 200 }),
    keymap.of(searchKeymap),
  ];
}
