// The list of unsaved texts: those of this tab, of other tabs, and the discarded ones.
import { useEffect, useState } from "preact/hooks";
import { ago, instant, size } from "../../amount";
import { Shown } from "../../shown";
import { messageOf } from "../../api/problem";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { notify } from "../../ui/toast";
import { openUnsaved, sessionOf } from "../desk";
import { drafts } from "../drafts";
import type { UnsavedText } from "../drafts/drafts";

const WHERE: Record<UnsavedText["where"], string> = { here: "in this tab", "open tab": "in another open tab", "closed tab": "from a closed tab" };

/** A text that was just discarded, and what takes that back. */
interface Discarded {
  template: string;
  undo: () => Promise<unknown>;
}

export function UnsavedDialog({ close }: { close: () => void }) {
  const [texts, setTexts] = useState<readonly UnsavedText[] | null>(null);
  const [last, setLast] = useState<Discarded | null>(null);
  useEffect(() => {
    let gone = false;
    void drafts.list().then((all) => gone || setTexts(all));
    return () => void (gone = true);
  }, [drafts.changes.value]);
  const unsaved = texts?.filter(({ kind }) => kind !== "discarded") ?? [];
  const discarded = texts?.filter(({ kind }) => kind === "discarded") ?? [];
  const discarding = (text: UnsavedText) => void discard(text).then((undo) => setLast({ template: text.template, undo }), failed);
  const undo = () => (setLast(null), void last?.undo().catch(failed));
  return (
    <Dialog title="Unsaved texts" size="medium" onClose={close} actions={<Button onClick={close}>Close</Button>}>
      <p class="unsaved-undo" role="status">
        {last && (
          <>
            Discarded the unsaved text of <Shown text={last.template} most={40} />.{" "}
            <Button small onClick={undo}>
              Undo
            </Button>
          </>
        )}
      </p>
      {texts === null ? <p class="waiting">Loading…</p> : unsaved.length === 0 && <p class="soft">There are no unsaved texts.</p>}
      {unsaved.length > 0 && <Texts label="Unsaved texts" texts={unsaved} close={close} discard={discarding} />}
      {discarded.length > 0 && (
        <>
          <h3>Discarded</h3>
          <p class="soft small">Open one to put its text back into the editor. They are deleted after 7 days.</p>
          <Texts label="Discarded texts" texts={discarded} close={close} discard={discarding} />
        </>
      )}
    </Dialog>
  );
}

interface Acts {
  close: () => void;
  discard: (text: UnsavedText) => void;
}

function Texts({ label, texts, ...acts }: { label: string; texts: readonly UnsavedText[] } & Acts) {
  return (
    <ul class="unsaved-texts" aria-label={label}>
      {texts.map((one) => (
        <Row key={one.key} text={one} {...acts} />
      ))}
    </ul>
  );
}

function Row({ text, close, discard }: { text: UnsavedText } & Acts) {
  const time = new Date(text.at).toISOString();
  const discarded = text.kind === "discarded";
  return (
    <li>
      <span class="template-name">
        <Shown text={text.template} most={64} />
        {text.kind === "aside" && <span class="pill">replaced by another version</span>}
      </span>
      <span class="soft small" title={instant(time)}>
        {[ago(time), size(text.bytes), discarded ? "" : WHERE[text.where]].filter(Boolean).join(", ")}
      </span>
      <span class="unsaved-actions">
        <Button small aria-label={`Open ${discarded ? "discarded " : ""}${text.template}`} onClick={() => (close(), void openUnsaved(text).catch(failed))}>
          Open
        </Button>
        {/* What is being written in another tab is discarded there. */}
        {!discarded && text.where !== "open tab" && (
          <Button small aria-label={`Discard ${text.template}`} onClick={() => discard(text)}>
            Discard
          </Button>
        )}
      </span>
    </li>
  );
}

/** Discards a text; returns what takes that back. */
async function discard(text: UnsavedText): Promise<Discarded["undo"]> {
  // The session of this tab shows the stored version again.
  const session = text.where === "here" && text.kind === "draft" ? sessionOf(text.template) : undefined;
  const draft = session?.discard();
  if (session && draft) return async () => session.restore(draft);
  const discarded = await drafts.move(text, "discarded");
  return () => drafts.move(discarded, "draft");
}

const failed = (error: unknown): void => notify(messageOf(error), "bad");
