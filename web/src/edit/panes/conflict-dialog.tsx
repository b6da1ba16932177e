// A save conflict: both texts side by side; the own text can be edited before it is saved.
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
      title="Save conflict"
      size="wide"
      onClose={later}
      actions={
        <>
          <Button kind="quiet" onClick={later}>
            Resolve later
          </Button>
          <Button onClick={() => session.takeTheirs()}>Take theirs</Button>
          <Button kind="main" onClick={() => void session.saveOver(pane.current?.text() ?? mine.current)}>
            {merged ? "Save merged text" : "Save yours"}
          </Button>
        </>
      }
    >
      <p class="soft conflict-words">
        Version {theirs.version} was saved by another client; your text is based on version {session.base.value?.version ?? 0}
        {differences !== null && ` (${amount(differences, "difference")})`}. Take theirs, save yours as a new version, or merge: use the arrows
        or edit your text. Their version stays in the list of versions. If you take theirs, undo ({mod} Z) restores yours, which is also stored
        as a draft until you save.
      </p>
      <div class="merge-heads" aria-hidden="true">
        <span>Theirs</span>
        <span>Yours</span>
      </div>
      {failed && <p role="alert">The comparison could not be loaded. You can still take theirs or save yours.</p>}
      <div class="merge" ref={box} />
    </Dialog>
  );
}
