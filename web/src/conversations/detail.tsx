// One conversation: its prompt, the inputs of that prompt, its history, and the actions on it.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ago, amount, instant, size } from "../amount";
import type { PromptReply } from "../api/types";
import { address, go, href } from "../route";
import { escaped, Shown } from "../shown";
import { Button } from "../ui/button";
import { PaperText, usePaper } from "../ui/paper";
import { CopyIcon, CopyMenu, type Copied } from "../ui/copy";
import { TabPanel, Tabs } from "../ui/tabs";
import { notify } from "../ui/toast";
import { BuiltFrom } from "./built-from";
import { CompactDialog } from "./compact-dialog";
import { Conversation } from "./conversation";
import { ForgetDialog } from "./forget-dialog";
import { load } from "./listing";
import { HistoryPanel } from "./history";
import { PromptPanel } from "./prompt-panel";
import { RefreshDialog } from "./refresh-dialog";
import { Newer } from "./newer";
import { REASONS, template } from "./words";

type Tab = "prompt" | "built" | "history";
const LABEL = "Conversation";

export function Detail({ id }: { id: string }) {
  const conversation = useMemo(() => new Conversation(id), [id]);
  const tab = useSignal<Tab>("prompt");
  const dialog = useSignal<"refresh" | "compact" | "forget" | null>(null);
  useEffect(() => void conversation.load(), [conversation]);

  usePaper(() => onPaper(conversation));
  const phase = conversation.phase.value;
  const explained = conversation.explained.value;
  if (phase === "loading") return <section class="panel"><p class="waiting">Loading…</p></section>;
  if (phase !== "ready" || !explained || !conversation.prompt.value)
    return (
      <section class="panel">
        <div class="empty" role="alert">
          <p>{phase === "missing" ? <>Conversation <Shown text={id} class="mono" /> not found. It may have been deleted.</> : conversation.trouble.value}</p>
          <Button onClick={() => void conversation.load()}>Reload</Button>
        </div>
      </section>
    );
  const { prompt, document } = explained;
  const troubles = document.diagnostics.filter(({ severity }) => severity !== "info").length;
  const close = () => {
    dialog.value = null;
    void load();
  };
  return (
    <section class="panel" aria-labelledby="conversation-title">
      <div class="panel-head conversation-head">
        <h2 id="conversation-title" class="mono">
          <Shown text={id} most={60} />
        </h2>
        <CopyIcon what="id" text={() => id} />
        <div class="actions">
          <CopyMenu main choices={copied(conversation)} />
          <Button small onClick={() => (dialog.value = "refresh")}>
            Refresh…
          </Button>
          <Button small onClick={() => (dialog.value = "compact")}>
            Prompt for compaction…
          </Button>
          <Button small kind="danger" onClick={() => (dialog.value = "forget")}>
            Delete…
          </Button>
        </div>
      </div>
      <About prompt={prompt} bytes={conversation.prompt.value.bytes} />
      {conversation.trouble.value && <p class="trouble-words" role="alert">{conversation.trouble.value}</p>}
      <Tabs
        label={LABEL}
        current={tab.value}
        onChange={(next) => (tab.value = next)}
        tabs={[
          { id: "prompt", label: "Prompt" },
          { id: "built", label: "Inputs", badge: troubles > 0 ? amount(troubles, "problem") : undefined },
          { id: "history", label: "History", badge: prompt.revision > 1 ? String(prompt.revision - 1) : undefined },
        ]}
      />
      <TabPanel label={LABEL} id="prompt" current={tab.value}>
        <PromptPanel prompt={conversation.prompt.value} none={prompt.system_prompt === null} />
      </TabPanel>
      <TabPanel label={LABEL} id="built" current={tab.value}>
        {tab.value === "built" && <BuiltFrom explained={explained} />}
      </TabPanel>
      <TabPanel label={LABEL} id="history" current={tab.value}>
        {tab.value === "history" && <HistoryPanel conversation={conversation} />}
      </TabPanel>
      {dialog.value === "refresh" && <RefreshDialog conversation={conversation} close={close} />}
      {dialog.value === "compact" && <CompactDialog conversation={conversation} close={close} />}
      {dialog.value === "forget" && (
        <ForgetDialog
          conversation={conversation}
          close={(forgotten) => {
            close();
            if (!forgotten) return;
            notify(`Deleted ${escaped(id.slice(0, 60))}.`, "good");
            go("conversations");
          }}
        />
      )}
    </section>
  );
}

/** What can be copied of a conversation. The request is the body of a turn with the same inputs. */
function copied({ id, explained, prompt }: Conversation): Copied[] {
  const request = () => {
    const { profile: _, ...options } = explained.peek()!.options;
    return JSON.stringify({ options }, null, 2);
  };
  return [
    { what: "prompt", text: () => prompt.peek()!.text },
    { what: "request JSON", text: request },
    { what: "link", text: () => address("conversations", id) },
  ];
}

/** The prompt as a document. */
function onPaper({ id, explained, prompt }: Conversation) {
  const [explanation, laid] = [explained.peek(), prompt.peek()];
  if (!explanation || !laid) return null;
  return (
    <>
      <header>
        <h1>System prompt of {escaped(id.slice(0, 120))}</h1>
        <p>
          {escaped(template(explanation.prompt).slice(0, 120))}; revision {explanation.prompt.revision}, {instant(explanation.prompt.constructed_at)}; about{" "}
          {amount(laid.tokens, "token")}, {size(laid.bytes)}, {explanation.prompt.fingerprint}
        </p>
      </header>
      <PaperText text={laid.text} />
    </>
  );
}

function About({ prompt, bytes }: { prompt: PromptReply; bytes: number }) {
  const { revision, reason, constructed_at: at, created_at: began, template: used, model, cwd, preset, fingerprint } = prompt;
  return (
    <dl class="pairs about-prompt">
      <div>
        <dt>Built</dt>
        <dd>
          <time dateTime={at} title={instant(at)}>
            {ago(at)}
          </time>
          , {REASONS[reason]}, revision {revision}
        </dd>
      </div>
      {/* Always there, so that nothing below moves when the prompt is rebuilt. */}
      <div class="secondary">
        <dt>Created</dt>
        <dd>
          <time dateTime={began} title={instant(began)}>
            {ago(began)}
          </time>
        </dd>
      </div>
      <div>
        <dt>Template</dt>
        <dd>
          {used ? <a href={href("versions", used.name, used.version?.toString())}>{escaped(template(prompt))}</a> : "none"} <Newer template={used} />
        </dd>
      </div>
      <div>
        <dt>Model</dt>
        <dd>{model === null ? <span class="soft">not set</span> : <Shown text={model} most={60} />}</dd>
      </div>
      <div class="secondary">
        <dt>Preset</dt>
        <dd>
          <Shown text={preset} most={60} />
        </dd>
      </div>
      <div>
        <dt>Directory</dt>
        <dd class="mono">
          <Shown text={cwd} most={160} />
        </dd>
      </div>
      <div class="secondary">
        <dt>Fingerprint</dt>
        <dd class="mono">
          <span title={fingerprint}>{fingerprint.slice(0, 19)}…</span> <span class="soft">{size(bytes)}</span>
        </dd>
      </div>
    </dl>
  );
}
