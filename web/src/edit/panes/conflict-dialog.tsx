// Somebody else saved meanwhile: theirs and mine side by side. Mine can be changed right there before it is stored over theirs.
import { useEffect, useRef, useState } from "preact/hooks";
import { amount } from "../../amount";
import { mod } from "../../keys";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import type { MergePane } from "../merge-pane";
import { narrow } from "../layout";
import type { Session } from "../session";

export function ConflictDialog({ session }: { session: Session }) {
  const theirs = session.conflict.value!;
  const box = useRef<HTMLDivElement>(null);
  const pane = useRef<MergePane | null>(null);
  const mine = useRef(session.text);
  const [merged, setMerged] = useState(false);
  const [differences, setDifferences] = useState<number | null>(null);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    let gone = false;
    import("../merge-pane").then(
      ({ mergePane }) => {
        if (gone || !box.current) return;
        pane.current = mergePane(box.current, theirs.text, mine.current, narrow.value, (text, count) => {
          setMerged(text !== mine.current);
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

  const later = () => (session.conflict.value = null);
  return (
    <Dialog
      title="Somebody else saved meanwhile"
      size="wide"
      onClose={later}
      actions={
        <>
          <Button kind="quiet" onClick={later}>
            Decide later
          </Button>
          <Button onClick={() => session.takeTheirs()}>Take theirs</Button>
          <Button kind="main" onClick={() => void session.saveOver(pane.current?.text() ?? mine.current)}>
            {merged ? "Save the merged text" : "Save mine over it"}
          </Button>
        </>
      }
    >
      <p class="soft conflict-words">
        Version {theirs.version} was stored since you began with version {session.base.value?.version ?? 0}
        {differences !== null && `; ${amount(differences, "place")} differ${differences === 1 ? "s" : ""}`}. Take theirs, save yours over
        it, or merge: the arrows and the text of yours can be used. Theirs stays among the versions. If you take theirs, undo ({mod} Z)
        brings yours back, and until you save, yours is kept as a draft.
      </p>
      <div class="merge-heads" aria-hidden="true">
        <span>Theirs</span>
        <span>Yours</span>
      </div>
      {failed && <p role="alert">The comparison could not be loaded. You can choose all the same.</p>}
      <div class="merge" ref={box} />
    </Dialog>
  );
}
