// Search and replace, loaded when it is first asked for: most templates are read at a glance.
import { Compartment, type Extension } from "@codemirror/state";
import { keymap, type Command } from "@codemirror/view";

const place = new Compartment();

/** Waits for its key. */
export function searchWhenAsked(): Extension {
  return place.of(keymap.of([{ key: "Mod-f", run: ask }, { key: "F3", run: ask }]));
}

const ask: Command = (view) => {
  void import("./search-panel").then(({ open, searching }) => {
    view.dispatch({ effects: place.reconfigure(searching()) });
    open(view);
  });
  return true;
};
