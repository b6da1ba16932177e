// Line ends of CR LF. A line of the editor ends at the line feed, so that every byte of a template is kept; the carriage return before it is
// the last character of its line. Here the two are one: the caret is never between them, and a new line ends as its neighbour does.
import { EditorSelection, EditorState, RangeSetBuilder, RangeValue, type Extension, type Text, type TransactionSpec } from "@codemirror/state";
import { EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

export function lineEnds(): Extension {
  return [follow, pairs];
}

class Pair extends RangeValue {}
const PAIR = new Pair();

/** The pairs on the screen: keys go over them, and delete them whole. */
const pairs = ViewPlugin.fromClass(
  class {
    found;

    constructor(view: EditorView) {
      this.found = pairsOf(view);
    }

    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.found = pairsOf(view);
    }
  },
  { provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)!.found) },
);

function pairsOf({ state: { doc }, visibleRanges }: EditorView) {
  const found = new RangeSetBuilder<Pair>();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = doc.lineAt(at);
      if (isInPair(doc, line.to)) found.add(line.to - 1, line.to + 1, PAIR);
      at = line.to + 1;
    }
  }
  return found.finish();
}

/** True between a carriage return and its line feed. */
function isInPair(doc: Text, at: number): boolean {
  return at > 0 && at < doc.length && doc.sliceString(at - 1, at + 1) === "\r\n";
}

/** Returns the place before the pair where one is within it. */
const before = (doc: Text, at: number): number => (isInPair(doc, at) ? at - 1 : at);

/** What is written goes before the pair that the caret is in, and its line ends are those of the line, or of the one before the last. */
const follow = EditorState.transactionFilter.of((transaction) => {
  const { startState, changes, docChanged, newSelection, newDoc } = transaction;
  if (!docChanged || !transaction.isUserEvent("input")) {
    if (!newSelection.ranges.some(({ from, to }) => isInPair(newDoc, from) || isInPair(newDoc, to))) return transaction;
    const ranges = newSelection.ranges.map(({ anchor, head }) => EditorSelection.range(before(newDoc, anchor), before(newDoc, head)));
    return [transaction, { selection: EditorSelection.create(ranges, newSelection.mainIndex), sequential: true }];
  }
  const { doc } = startState;
  const rewritten: { from: number; to: number; insert: string }[] = [];
  // Where the caret is after it, by the inserted text that it is in.
  const { head } = newSelection.main;
  let caret = -1;
  let moved = 0;
  let differs = false;
  changes.iterChanges((fromA, toA, fromB, toB, inserted) => {
    // A command that takes blanks at the end of a line for its own takes the carriage return with them.
    const [from, to] = [before(doc, fromA), before(doc, toA)];
    const text = inserted.toString();
    const paired = text.includes("\n") && followsPair(doc, from);
    const ended = (part: string) => (paired ? part.replace(/\r?\n/g, "\r\n") : part);
    const insert = ended(text);
    differs ||= from !== fromA || to !== toA || insert !== text;
    rewritten.push({ from, to, insert });
    if (head >= fromB && head <= toB) caret = from + moved + ended(inserted.sliceString(0, head - fromB)).length;
    moved += insert.length - (to - from);
  });
  if (!differs) return transaction;
  const { effects, scrollIntoView } = transaction;
  const spec: TransactionSpec = { changes: rewritten, effects, scrollIntoView, userEvent: "input" };
  if (caret >= 0) spec.selection = { anchor: caret };
  return spec;
});

/** True where the line of a place ends with a pair; the last line ends as the one before it. */
function followsPair(doc: Text, at: number): boolean {
  const line = doc.lineAt(at);
  const model = line.number < doc.lines || line.number === 1 ? line : doc.line(line.number - 1);
  return isInPair(doc, model.to);
}
