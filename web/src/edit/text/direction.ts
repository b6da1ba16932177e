// Lines with right-to-left letters have the direction of their first letter, as their readers expect.
import { RangeSetBuilder, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802-\ud803\ud83a-\ud83b][\udc00-\udfff]/;
const LONGEST = 10_000;

const auto = Decoration.line({ attributes: { dir: "auto" } });

function build(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  for (const { from, to } of view.visibleRanges) {
    for (let line = doc.lineAt(from); line.from <= to; line = doc.line(line.number + 1)) {
      if (RIGHT_TO_LEFT.test(line.length > LONGEST ? line.text.slice(0, LONGEST) : line.text)) builder.add(line.from, line.from, auto);
      if (line.number === doc.lines) break;
    }
  }
  return builder.finish();
}

export function lineDirections(): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = build(view);
      }

      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged) this.decorations = build(update.view);
      }
    },
    { decorations: ({ decorations }) => decorations },
  );
  return [EditorView.perLineTextDirection.of(true), plugin];
}
