// A save conflict: the version of the other client beside the merge of both, which can be edited before it is saved.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { amount } from "../../amount";
import { mod } from "../../keys";
import { Shown } from "../../shown";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { textField } from "../desk";
import type { MergePane } from "../merge-pane";
import { narrow } from "../layout";
import type { Conflict, Session } from "../session";
import { moves, saveWith } from "./plan";

export function ConflictDialog({ session, conflict }: { session: Session; conflict: Conflict }) {
  const { theirs, merged, overlaps } = conflict;
  const box = useRef<HTMLDivElement>(null);
  const pane = useRef<MergePane | null>(null);
  const [mine] = useState(session.text);
  const [edited, setEdited] = useState(false);
  const [differences, setDifferences] = useState<number | null>(null);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    let gone = false;
    import("../merge-pane").then(
      ({ mergePane }) => {
        if (gone || !box.current) return;
        pane.current = mergePane(box.current, theirs.text, merged, narrow.value, (text, count) => {
          session.editMerged(text);
          setEdited(text !== merged);
          setDifferences(count);
        });
        setDifferences(pane.current.differences);
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      pane.current?.destroy();
    };
  }, [theirs]);

  // The button that opened the dialog is gone where the conflict is resolved.
  useLayoutEffect(() => () => void requestAnimationFrame(() => document.activeElement === document.body && textField()?.focus()), []);

  const later = () => session.resolveLater();
  const [plan] = useState(session.plan);
  const save = (text: string) => void saveWith(session, plan, (note) => session.saveOver(text, note));
  const base = session.base.value?.version ?? 0;
  return (
    <Dialog
      title="Save conflict"
      size="wide"
      onClose={later}
      actions={
        <>
          <Button kind="quiet" onClick={later}>
            Resolve later
          </Button>
          <Button onClick={() => session.takeTheirs()}>Take theirs</Button>
          <Button onClick={() => save(mine)}>Save only yours</Button>
          <Button kind="main" onClick={() => save(pane.current?.text() ?? merged)}>
            {edited ? "Save merged text" : "Save both"}
          </Button>
        </>
      }
    >
      <p class="soft conflict-words">
        {theirs.version > 0
          ? `${theirs.version < base ? `The store has only version ${theirs.version}` : `Version ${theirs.version} was saved by another client`}; your text is based on ${base > 0 ? `version ${base}` : "an empty text"}. `
          : `The template is no longer stored; your text is based on version ${base}. `}
        {overlaps === 0
          ? "The changes do not overlap and are merged. "
          : `Both have changed ${overlaps === 1 ? "the same place" : `the same ${overlaps} places`}: there, the merged text has both, theirs first. `}
        {differences !== null && `The merged text has ${amount(differences, "difference")} from theirs. `}
        Edit it, or use the arrows to take theirs. Their version stays in the list of versions. What you edit here is stored as a draft, and
        closing the dialog keeps it in the text. If you take theirs, undo ({mod} Z) restores yours.
      </p>
      {plan && (plan.note !== "" || plan.labels.length > 0) && (
        <p class="conflict-words">
          {plan.note !== "" && (
            <>
              Note: <Shown text={plan.note} most={400} />{" "}
            </>
          )}
          {moves(session.name, plan.labels)}
        </p>
      )}
      <div class="merge-heads" aria-hidden="true">
        <span>Theirs</span>
        <span>Merged</span>
      </div>
      {failed && <p role="alert">The comparison could not be loaded. You can still take theirs or save yours.</p>}
      <div class="merge" ref={box} />
    </Dialog>
  );
}
