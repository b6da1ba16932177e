// The text of a prompt with the origin of every byte. Only the visible part is in the DOM, so that a megabyte scrolls smoothly.
// Hovering shows a tooltip; a click or the arrow keys pin it.
import { EditorState, RangeSetBuilder, StateEffect, StateField, type Extension } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  hoverTooltip,
  keymap,
  showTooltip,
  tooltips,
  ViewPlugin,
  WidgetType,
  type Command,
  type DecorationSet,
  type Tooltip,
  type ViewUpdate,
} from "@codemirror/view";
import { drawn } from "../edit/about";
import { go } from "../route";
import { escaped, head } from "../shown";
import { reading } from "../versions/reading";
import { runAt, type Laid } from "./laid";
import { AboutRun, runDescription } from "./origin";

const described = StateEffect.define<number>();

/** Renders a prompt into `parent`; returns the function that removes it. */
export function createPromptText(parent: HTMLElement, prompt: Laid): () => void {
  const view = new EditorView({ parent, state: EditorState.create({ doc: prompt.text, extensions: extensions(prompt) }) });
  return () => view.destroy();
}

function extensions(prompt: Laid): Extension {
  /** The run whose tooltip is pinned; -1 for none. */
  const current = StateField.define<number>({
    create: () => -1,
    update: (value, { effects }) => effects.reduce((last, effect) => (effect.is(described) ? effect.value : last), value),
    provide: (field) => showTooltip.compute([field], (state) => tooltip(prompt, state.field(field))),
  });
  const describe = (view: EditorView, at: number): void => {
    view.dispatch({
      effects: [
        described.of(at),
        EditorView.scrollIntoView(prompt.runs[at]!.from, { y: "nearest", yMargin: 60 }),
        EditorView.announce.of(runDescription(prompt, at)),
      ],
    });
  };
  const to = (find: (now: number, view: EditorView) => number): Command => (view) => {
    if (prompt.runs.length === 0) return false;
    const next = find(view.state.field(current), view);
    describe(view, Math.min(Math.max(next, 0), prompt.runs.length - 1));
    return true;
  };
  const forward = to((now, view) => (now < 0 ? Math.max(0, runAt(prompt.runs, view.viewport.from)) : now + 1));
  const back = to((now, view) => (now < 0 ? runAt(prompt.runs, view.viewport.to) : now - 1));
  const close: Command = (view) => {
    if (view.state.field(current) < 0) return false;
    view.dispatch({ effects: described.of(-1) });
    return true;
  };
  const open: Command = (view) => {
    const origin = prompt.runs[view.state.field(current)]?.origin;
    if (origin?.kind !== "stored") return false;
    go("edit", origin.template);
    return true;
  };
  return [
    reading("Prompt. Use the arrow keys to move between runs."),
    current,
    headings(prompt),
    // The tooltip is above the run if the text has room, and never covers what is above the text.
    tooltips({
      tooltipSpace: ({ dom }) => ({ top: dom.getBoundingClientRect().top, left: 0, right: innerWidth, bottom: innerHeight }),
    }),
    ViewPlugin.fromClass(
      class {
        decorations: DecorationSet;
        constructor(view: EditorView) {
          this.decorations = inSight(view, prompt, view.state.field(current));
        }
        update({ view, startState, state, viewportChanged }: ViewUpdate): void {
          const other = startState.field(current) !== state.field(current);
          if (other || viewportChanged) this.decorations = inSight(view, prompt, state.field(current));
        }
      },
      { decorations: (plugin) => plugin.decorations },
    ),
    hoverTooltip((view, place, side) => {
      const at = runAt(prompt.runs, side < 0 && place > 0 ? place - 1 : place);
      const run = prompt.runs[at];
      const inside = run && place <= run.to && at !== view.state.field(current);
      return inside ? tooltip(prompt, at, place) : null;
    }, {
      hoverTime: 250,
      // A pinned tooltip is not shown again on hover.
      hideOn: ({ effects }) => effects.some((effect) => effect.is(described)),
    }),
    EditorView.domEventHandlers({
      click: (event, view) => {
        // Selecting text does not open a tooltip.
        if (!getSelection()?.isCollapsed) return false;
        const place = view.posAtCoords({ x: event.clientX, y: event.clientY });
        const at = place === null ? -1 : runAt(prompt.runs, place);
        if (at >= 0) view.dispatch({ effects: [described.of(at), EditorView.announce.of(runDescription(prompt, at))] });
        return false;
      },
      blur: (_, view) => void close(view),
    }),
    keymap.of([
      { key: "ArrowDown", run: forward },
      { key: "ArrowRight", run: forward },
      { key: "ArrowUp", run: back },
      { key: "ArrowLeft", run: back },
      { key: "Home", run: to(() => 0) },
      { key: "End", run: to(() => Infinity) },
      { key: "Enter", run: open },
      { key: "Escape", run: close },
    ]),
  ];
}

function tooltip(prompt: Laid, at: number, place?: number): Tooltip | null {
  const run = prompt.runs[at];
  if (!run) return null;
  return { pos: place ?? run.from, above: true, create: () => ({ dom: drawn(AboutRun({ prompt, at })) }) };
}

function inSight(view: EditorView, { runs }: Laid, current: number): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const range of view.visibleRanges) {
    for (let at = Math.max(0, runAt(runs, range.from)); at < runs.length; at++) {
      const run = runs[at]!;
      if (run.from >= range.to) break;
      const [from, to] = [Math.max(run.from, range.from), Math.min(run.to, range.to)];
      if (from >= to) continue;
      const name = `run ${kindOf(run.origin.kind)} lasts-${run.stability}${at === current ? " current" : ""}`;
      builder.add(from, to, Decoration.mark({ class: name }));
    }
  }
  return builder.finish();
}

/** Values are colored by stability, additions of callers and hooks have their own color, written text has none. */
function kindOf(kind: Laid["runs"][number]["origin"]["kind"]): string {
  if (kind === "variable") return "value";
  return kind === "caller" || kind === "hook" ? "added" : "written";
}

class Heading extends WidgetType {
  constructor(
    readonly title: string,
    readonly about: string,
  ) {
    super();
  }
  override eq(other: Heading): boolean {
    return other.title === this.title && other.about === this.about;
  }
  override toDOM(): HTMLElement {
    const row = document.createElement("div");
    row.className = "part-head";
    const title = row.appendChild(document.createElement("span"));
    title.textContent = this.title;
    row.append(this.about);
    return row;
  }
}

/** Shows the name of each part above its text if there are several. */
function headings({ parts }: Laid): Extension {
  if (parts.length < 2) return [];
  const set = Decoration.set(
    parts.map(({ section, tokens, from }) => {
      const widget = new Heading(escaped(head(section, 60)), ` ${tokens.toLocaleString("en")} ${tokens === 1 ? "token" : "tokens"}`);
      return Decoration.widget({ widget, block: true, side: -1 }).range(from);
    }),
    true,
  );
  return EditorView.decorations.of(set);
}
