// The preview of the template for a directory and a model.
import type { EditorView } from "@codemirror/view";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignalEffect } from "@preact/signals";
import { IconButton } from "../../ui/button";
import { CopyMenu, type Copied } from "../../ui/copy";
import { address } from "../../route";
import { escapedLines, head } from "../../shown";
import { MessageText } from "../../message-text";
import { behind, notPermitted, trouble } from "../analysis/analyzer";
import { directory, model, roots, currentInputs, tried } from "../context";
import { caretToken, goToPlace, goToSource, lookAgain, packed, session, showPlace, textField } from "../desk";
import { beside, inText, narrow, tab } from "../layout";
import { createPreview, linkPreview, revealSource, showPreview } from "../preview/viewer";
import { CacheStrip } from "./cache-strip";
import { Values } from "./values";

export function PreviewPane() {
  const preview = packed.value?.preview;
  const broken = packed.value !== null && !preview;
  return (
    <div class={trouble.value !== "" && preview ? "preview stale" : "preview"}>
      <div class="context">
        <ContextField label="Directory" value={directory.value} choices={roots.value} onValue={(value) => (directory.value = value)} wide />
        <IconButton label="Reload" icon="again" onClick={lookAgain} />
        <ContextField label="Model" value={model.value} onValue={(value) => (model.value = value)} />
        {preview && <CopyMenu iconOnly choices={copied(preview.text)} />}
      </div>
      <Values />
      {trouble.value !== "" && (
        <p class={notPermitted.value ? "soft" : "trouble"} role={notPermitted.value ? "status" : "alert"}>
          <MessageText text={escapedLines(head(trouble.value, 600))} />
        </p>
      )}
      {broken && <p class="trouble">No preview: see the diagnostics.</p>}
      <PreviewText />
      {preview && <CacheStrip preview={preview} />}
    </div>
  );
}

/** What the preview offers to copy. */
export function copied(prompt: string): Copied[] {
  const template = () => session.peek()?.text ?? "";
  return [
    { what: "prompt", text: () => prompt },
    { what: "template", text: template },
    { what: "request JSON", text: () => JSON.stringify({ template: template(), options: { ...currentInputs(), ...tried() } }, null, 2) },
    { what: "link", text: () => address("edit", session.peek()?.name ?? "") },
  ];
}

interface ContextFieldProps {
  label: string;
  value: string;
  /** Texts to choose from; others can be typed. */
  choices?: readonly string[];
  onValue: (value: string) => void;
  wide?: boolean;
}

function ContextField({ label, value, choices = [], onValue, wide }: ContextFieldProps) {
  const list = `${label.toLowerCase()}-choices`;
  // The end of a path is what differs; a name is read from its beginning.
  const showEnd = (box: HTMLInputElement) => (box.scrollLeft = wide ? box.scrollWidth : 0);
  return (
    <label class={wide ? "context-field wide" : "context-field"}>
      <span>{label}</span>
      <input
        class="field"
        value={value}
        title={value}
        ref={(box) => {
          if (box && box !== document.activeElement) showEnd(box);
        }}
        onBlur={({ currentTarget }) => showEnd(currentTarget)}
        placeholder="none"
        list={choices.length > 0 ? list : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {choices.length > 0 && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </label>
  );
}

function PreviewText() {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  useLayoutEffect(() => {
    const go = (span: number, inside: number) => inText(() => goToSource(span, inside));
    const goToTag = (token: number) =>
      inText(() => {
        const { from, to } = packed.peek()!.tokens;
        goToPlace([from[token]!, to[token]!]);
      });
    view.current = createPreview(box.current!, { go, goToTag });
    return () => view.current?.destroy();
  }, []);
  // Synchronously: the next key acts on what is shown.
  useLayoutEffect(() => {
    if (view.current) showPreview(view.current, packed.value);
  }, [packed.value]);
  useSignalEffect(() => {
    const token = caretToken.value;
    // While the preview has the focus, it is the text that follows.
    if (view.current) linkPreview(view.current, token, !view.current.hasFocus);
  });
  const shownPlace = useRef(showPlace.peek());
  useSignalEffect(() => {
    if (showPlace.value === shownPlace.current) return;
    shownPlace.current = showPlace.value;
    const field = textField();
    if (!field || !view.current) return;
    if (narrow.peek() && !beside.peek()) tab.value = "preview";
    const place = field.state.selection.main.head;
    requestAnimationFrame(() => view.current && revealSource(view.current, place));
  });
  // Only an existing preview can be empty.
  const unknown = !packed.value?.preview || trouble.value !== "";
  return <div class={`preview-text${behind.value ? " behind" : ""}${unknown ? " unknown" : ""}`} ref={box} />;
}
