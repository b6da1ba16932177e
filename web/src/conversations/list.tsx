// The list of conversations, most recently built first, with a filter by id prefix and template.
import { ago, instant, size } from "../amount";
import { access } from "../api/access";
import { meta } from "../api/meta";
import type { ConversationItem } from "../api/types";
import { Shown } from "../shown";
import { Button, IconButton } from "../ui/button";
import { CopyIcon } from "../ui/copy";
import { SearchField } from "../ui/search-field";
import { VirtualList } from "../ui/virtual-list";
import { TemplateSelect } from "../versions/template-select";
import { items, load, loadMore, phase, prefix, template, trouble } from "./listing";
import { useSignal } from "@preact/signals";
import { Newer } from "./newer";
import { template as templateOf } from "./words";

const ROW = 74;

export function ConversationList({ open, onOpen }: { open: string; onOpen: (id: string) => void }) {
  // The row selected by keyboard, until one is opened.
  const at = useSignal<number | null>(null);
  const list = items.value;
  const current = at.value ?? list.findIndex((one) => one.conversation_id === open);
  const show = (item: ConversationItem | undefined) => {
    at.value = null;
    if (item) onOpen(item.conversation_id);
  };
  return (
    <section class="panel" aria-labelledby="conversations-title">
      <div class="panel-head">
        <h1 id="conversations-title">Conversations</h1>
        <IconButton label="Reload" icon="again" onClick={() => void load()} />
      </div>
      <div class="list-search">
        <SearchField
          label="Filter by id prefix"
          value={prefix.value}
          onValue={(words) => ((prefix.value = words), (at.value = null))}
          onKeyDown={(event) => {
            if (event.key === "Enter") show(list[0]);
          }}
        />
        <TemplateSelect label="Template" value={template.value} onValue={(name) => (template.value = name)} all="All templates" />
      </div>
      {trouble.value && phase.value !== "failed" && (
        <p class="trouble-words" role="alert">
          {trouble.value}
        </p>
      )}
      {phase.value === "loading" && <p class="waiting">Loading…</p>}
      {phase.value === "failed" && (
        <div class="empty" role="alert">
          <p>{trouble.value}</p>
          <Button onClick={() => void load()}>Try again</Button>
        </div>
      )}
      {phase.value === "ready" && list.length === 0 && <None />}
      {list.length > 0 && (
        <div class="list-box" onClick={() => show(list[at.value ?? -1])}>
          <VirtualList
            label="Conversations"
            items={list}
            rowHeight={ROW}
            current={current}
            onCurrent={(row) => (at.value = row)}
            onOpen={show}
            onEnd={loadMore}
            row={(item) => <Row item={item} />}
          />
        </div>
      )}
    </section>
  );
}

function Row({ item }: { item: ConversationItem }) {
  const { conversation_id: id, cwd, model, bytes, revision, constructed_at: at } = item;
  return (
    <div class="list-row">
      <p class="list-head">
        <strong class="mono list-line">
          <Shown text={id} most={80} />
        </strong>
        {revision > 1 && <span class="pill">revision {revision}</span>}
      </p>
      <p class="list-line small">
        <Shown text={templateOf(item)} most={60} /> <Newer template={item.template ?? null} />
        {model !== null && (
          <>
            {" · "}
            <Shown text={model} most={40} />
          </>
        )}
      </p>
      <p class="list-line soft small">
        <time dateTime={at} title={instant(at)}>
          {ago(at)}
        </time>
        {` · ${size(bytes)} · `}
        <Shown text={cwd} most={80} />
      </p>
    </div>
  );
}

/** The first turn of an agent, as a command that works here. */
function example(): string {
  const quoted = (text: string) => `'${text.replace(/'/g, "'\\''")}'`;
  const headers = ["Content-Type: application/json", ...(access() ? ["Authorization: Bearer TOKEN"] : [])];
  const turn = JSON.stringify({ options: { directory: meta.root || "/work" } });
  const url = new URL("conversations/c-1/turns", location.href).href;
  return [`curl -s ${url}`, ...headers.map((header) => `-H ${quoted(header)}`), `-d ${quoted(turn)}`].join(" \\\n  ");
}

function Example() {
  return (
    <div class="example-box">
      <pre class="example" tabIndex={0}>
        {example()}
      </pre>
      <CopyIcon what="command" text={example} />
    </div>
  );
}

function None() {
  if (prefix.value !== "" || template.value !== "")
    return (
      <p class="empty" role="status">
        No matching conversations.
      </p>
    );
  return (
    <div class="empty">
      <p>No conversations yet. The first turn of an agent creates one:</p>
      <Example />
    </div>
  );
}
