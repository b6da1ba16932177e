// The confirmation before an older version is restored.
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/problem";
import { unsaved } from "../edit/unsaved";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { notify } from "../ui/toast";
import type { History } from "./history";

export function RestoreDialog({ history, version, close }: { history: History; version: number; close: (made?: number) => void }) {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const [same, setSame] = useState(false);
  useEffect(() => {
    const texts = [version, history.current].map((one) => history.text(one));
    Promise.all(texts).then(([old, now]) => setSame(old === now), () => {});
  }, [history, version, history.current]);
  const restore = async () => {
    setBusy(true);
    try {
      const made = await history.restore(version);
      notify(made === history.current && made > 0 ? `Restored version ${version} as version ${made}.` : `Restored version ${version}.`, "good");
      close(made);
    } catch (error) {
      setTrouble(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Restore version ${version}?`}
      onClose={() => close()}
      actions={
        <>
          <Button onClick={() => close()}>Cancel</Button>
          <Button kind="main" disabled={busy} onClick={() => void restore()}>
            {busy ? "Restoring…" : `Restore version ${version}`}
          </Button>
        </>
      }
    >
      <p>
        The text is stored as version {history.current + 1} and used by new conversations. Version {history.current} stays in the list.
      </p>
      {same && <p role="status">It has the same text as the current version.</p>}
      {unsaved.value.has(history.name) && (
        <p>Unsaved text in the editor is not changed. When you save it, both texts are shown side by side.</p>
      )}
      {trouble && (
        <p class="trouble-words" role="alert">
          {trouble}
        </p>
      )}
    </Dialog>
  );
}
