// Search and replace, loaded when it is first used: most templates are short.
import { Compartment, type Extension } from "@codemirror/state";
import { keymap, type Command } from "@codemirror/view";
import { whenIdle } from "../../lazy";

const place = new Compartment();

/** Waits for its key. */
export function searchOnDemand(): Extension {
  return place.of(keymap.of([{ key: "Mod-f", run: search }, { key: "F3", run: search }]));
}

const panel = () => import("./search-panel");
whenIdle(panel);

/** Opens the panel. */
export const search: Command = (view) => {
  void panel().then(({ open, searching }) => {
    view.dispatch({ effects: place.reconfigure(searching()) });
    open(view);
  });
  return true;
};
