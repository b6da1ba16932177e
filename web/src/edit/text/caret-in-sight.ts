// The caret stays in sight when the field gets lower, as when diagnostics below it take room.
import { EditorView, ViewPlugin } from "@codemirror/view";

export const caretInSight = ViewPlugin.define((view) => {
  const box = view.scrollDOM;
  let height = box.clientHeight;
  const watch = new ResizeObserver(() => {
    const before = height;
    height = box.clientHeight;
    if (height >= before || !view.hasFocus) return;
    const { head } = view.state.selection.main;
    const caret = view.coordsAtPos(head);
    const { top } = box.getBoundingClientRect();
    const covered = caret !== null && caret.bottom > top + height && caret.top < top + before;
    if (covered) view.dispatch({ effects: EditorView.scrollIntoView(head, { y: "nearest" }) });
  });
  watch.observe(box);
  return { destroy: () => watch.disconnect() };
});
