// The toolbar: template, save state and save button.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { amount } from "../../amount";
import { viewOnly } from "../../api/access";
import { commandsShown, mod } from "../../keys";
import { escapedLines, head, Shown } from "../../shown";
import { MessageText } from "../../message-text";
import { Button, IconButton } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Menu } from "../../ui/menu";
import { errorCount, session } from "../desk";
import { drafts } from "../drafts";
import { MAIN } from "../stored";
import { Labels } from "./labels";
import { ResetDialog } from "./reset-dialog";
import { closeReview, openReview, review } from "./review";
import { TemplatesDialog } from "./templates-dialog";
import { UnsavedDialog } from "./unsaved-dialog";

/** The dialog that is open. */
export const opened = signal<"templates" | "reset" | "unsaved" | null>(null);
const close = () => (opened.value = null);

export function Bar() {
  const current = session.value;
  if (!current) return null;
  const Review = review.value;
  const base = current.base.value;
  const ready = current.phase.value === "ready";
  const saving = current.saving.value;
  const { canSave } = current;
  const canReset = ready && base !== null && base.version > 0 && viewOnly.value === "";
  return (
    <div class="bar">
      <h1 class="sr">Edit template {current.name}</h1>
      <button type="button" class="chooser" aria-haspopup="dialog" onClick={() => (opened.value = "templates")}>
        <span class="sr">Template: </span>
        <Shown text={current.name} most={40} />
        <Icon name="down" size={15} />
      </button>
      {ready && base && (
        <span class="version soft">{base.version > 0 ? `version ${base.version}` : base.deleted !== undefined ? "deleted" : base.missing ? "new" : "built-in default"}</span>
      )}
      {ready && base && base.version > 0 && viewOnly.value === "" && <Labels name={current.name} version={base.version} />}
      <State />
      <span class="bar-room" />
      <Button kind="quiet" class="bar-unsaved" aria-haspopup="dialog" onClick={() => (opened.value = "unsaved")}>
        Unsaved texts <Elsewhere name={current.name} />
      </Button>
      <IconButton label="Print the preview" icon="print" onClick={() => print()} />
      {canReset && (
        <Button kind="quiet" class="bar-reset" onClick={() => (opened.value = "reset")}>
          {current.name === MAIN ? "Reset to default…" : "Delete…"}
        </Button>
      )}
      <Menu
        class="bar-more"
        label="More actions"
        icon="more"
        items={[
          { what: "Commands…", run: () => (commandsShown.value = true) },
          { what: "Unsaved texts…", run: () => (opened.value = "unsaved") },
          { what: "Print the preview", run: () => print() },
          ...(canReset ? [{ what: current.name === MAIN ? "Reset to default…" : "Delete…", run: () => (opened.value = "reset") }] : []),
        ]}
      />
      <Button class="bar-review" disabled={!canSave} onClick={() => void openReview(current)} aria-haspopup="dialog" aria-keyshortcuts="Control+Shift+S Meta+Shift+S">
        Review…
      </Button>
      <Button kind="main" class="bar-save" disabled={!canSave} onClick={() => void current.save()} aria-keyshortcuts="Control+S Meta+S">
        {saving ? "Saving…" : "Save"} <kbd aria-hidden="true">{mod} S</kbd>
      </Button>
      {opened.value === "templates" && <TemplatesDialog close={close} showUnsaved={() => (opened.value = "unsaved")} />}
      {opened.value === "reset" && <ResetDialog session={current} close={close} />}
      {opened.value === "unsaved" && <UnsavedDialog close={close} />}
      {Review && <Review session={current} close={closeReview} />}
    </div>
  );
}

/** The number of unsaved texts that are not in this tab. */
function Elsewhere({ name }: { name: string }) {
  const [count, setCount] = useState(0);
  const shown = opened.value === "unsaved";
  useEffect(() => {
    let gone = false;
    void drafts.list().then((all) => gone || setCount(all.filter(({ kind, where }) => kind === "draft" && where !== "here").length));
    return () => void (gone = true);
  }, [name, shown]);
  return count > 0 ? <span class="badge">{count}</span> : null;
}

/** The save state; announced when it changes. */
function State() {
  const current = session.value!;
  const { text: message, tone, stored } = current.status.value;
  const errors = errorCount.value;
  const text = stored ? `${message}${errors > 0 ? `, with ${amount(errors, "error")}` : ""}.` : message;
  const dirty = current.dirty.value;
  const phase = current.phase.value;
  const plain = phase === "loading" ? "Loading…" : phase === "failed" ? "" : dirty ? "Unsaved changes" : "";
  return (
    <p class={`save-state ${tone}`} role="status" aria-label="Save status">
      {dirty && <span class="dot" aria-hidden="true" />}
      <MessageText text={escapedLines(head(text || plain, 300))} />
    </p>
  );
}
