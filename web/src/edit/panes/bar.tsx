// The toolbar: template, save state and save button.
import { signal } from "@preact/signals";
import { amount } from "../../amount";
import { mod } from "../../keys";
import { escapedLines, head, Shown } from "../../shown";
import { Spoken } from "../../spoken";
import { Button, IconButton } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { errorCount, session } from "../desk";
import { MAIN } from "../stored";
import { NoteDialog } from "./note-dialog";
import { ResetDialog } from "./reset-dialog";
import { TemplatesDialog } from "./templates-dialog";

const opened = signal<"templates" | "reset" | "note" | null>(null);
const close = () => (opened.value = null);

export function Bar() {
  const current = session.value;
  if (!current) return null;
  const base = current.base.value;
  const ready = current.phase.value === "ready";
  const saving = current.saving.value;
  const canSave = ready && !saving && !base?.degraded && (current.dirty.value || base?.version === 0);
  return (
    <div class="bar">
      <h1 class="sr">Edit template {current.name}</h1>
      <button type="button" class="chooser" aria-haspopup="dialog" onClick={() => (opened.value = "templates")}>
        <span class="sr">Template: </span>
        <Shown text={current.name} most={40} />
        <Icon name="down" size={15} />
      </button>
      {ready && base && (
        <span class="version soft">{base.version > 0 ? `version ${base.version}` : base.missing ? "new" : "built-in default"}</span>
      )}
      <State />
      <span class="bar-room" />
      <IconButton label="Print the preview" icon="print" onClick={() => print()} />
      {ready && base !== null && base.version > 0 && (
        <Button kind="quiet" class="bar-reset" onClick={() => (opened.value = "reset")}>
          {current.name === MAIN ? "Reset…" : "Delete…"}
        </Button>
      )}
      <div class="save-group">
        <Button kind="main" disabled={!canSave} onClick={() => void current.save()} aria-keyshortcuts="Control+S Meta+S">
          {saving ? "Saving…" : "Save"} <kbd aria-hidden="true">{mod} S</kbd>
        </Button>
        <button
          type="button"
          class="button main save-more"
          aria-label="Save with a note"
          title="Save with a note"
          disabled={!canSave}
          onClick={() => (opened.value = "note")}
        >
          <Icon name="down" size={15} />
        </button>
      </div>
      {opened.value === "templates" && <TemplatesDialog close={close} />}
      {opened.value === "reset" && <ResetDialog session={current} close={close} />}
      {opened.value === "note" && <NoteDialog session={current} close={close} />}
    </div>
  );
}

/** The save state; announced when it changes. */
function State() {
  const current = session.value!;
  const { text: said, tone, stored } = current.said.value;
  const errors = errorCount.value;
  const text = stored ? `${said}${errors > 0 ? `, with ${amount(errors, "error")}` : ""}.` : said;
  const dirty = current.dirty.value;
  const phase = current.phase.value;
  const plain = phase === "loading" ? "Loading…" : phase === "failed" ? "" : dirty ? "Unsaved changes" : "";
  return (
    <p class={`save-state ${tone}`} role="status" aria-label="Save status">
      {dirty && <span class="dot" aria-hidden="true" />}
      <Spoken text={escapedLines(head(text || plain, 300))} />
    </p>
  );
}
