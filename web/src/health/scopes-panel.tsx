// Extensions, tools and servers of a directory with their state and layer.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { amount } from "../amount";
import { request } from "../api/client";
import { meta } from "../api/meta";
import { isNotPermitted, messageOf } from "../api/problem";
import type { Diagnostic, Entry, ScopesReply } from "../api/types";
import { Notes } from "../conversations/notes";
import { keep, kept } from "../keep";
import { escaped, head, Shown } from "../shown";
import { MessageText } from "../message-text";
import { Button } from "../ui/button";
import { SearchField } from "../ui/search-field";
import { reasons, stateOf, type State } from "./state";

const DIRECTORY = "preface-scopes-cwd";
const PRESET = "preface-scopes-preset";

export function ScopesPanel() {
  const cwd = useSignal(kept("session", DIRECTORY) ?? meta.root);
  const preset = useSignal(kept("session", PRESET) ?? "");
  const words = useSignal("");
  const onlyActive = useSignal(false);
  const reply = useSignal<ScopesReply | null>(null);
  const trouble = useSignal<{ kind: Kind; words: string } | null>(null);
  const busy = useSignal(false);
  /** Only the last request is shown. */
  const requests = useRef(0);

  const look = async () => {
    keep("session", DIRECTORY, cwd.value);
    keep("session", PRESET, preset.value);
    busy.value = true;
    const turn = ++requests.current;
    try {
      const { data } = await request("get", "/scopes", { query: { cwd: cwd.value.trim(), preset: preset.value.trim() } });
      if (turn !== requests.current) return;
      reply.value = data;
      trouble.value = null;
    } catch (error) {
      if (turn !== requests.current) return;
      reply.value = null;
      trouble.value = { kind: isNotPermitted(error) ? "role" : "other", words: messageOf(error) };
    }
    busy.value = false;
  };
  useEffect(() => void look(), []);

  return (
    <section class="panel scopes" aria-labelledby="scopes-title">
      <div class="panel-head">
        <h2 id="scopes-title">Extensions and servers of a directory</h2>
        <p class="soft small" role="status">
          {busy.value ? "Loading…" : reply.value ? summary(reply.value) : ""}
        </p>
      </div>
      <form
        class="scopes-form"
        onSubmit={(event) => {
          event.preventDefault();
          void look();
        }}
      >
        <label class="label wide">
          Directory
          <input class="field block mono" value={cwd.value} spellcheck={false} autocomplete="off" onInput={(event) => (cwd.value = event.currentTarget.value)} />
        </label>
        <label class="label">
          Preset
          <input
            class="field block"
            value={preset.value}
            placeholder="template"
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => (preset.value = event.currentTarget.value)}
          />
        </label>
        {/* Never disabled: Enter in a field would then do nothing. */}
        <Button type="submit" kind="main">
          Load
        </Button>
      </form>
      {trouble.value && <Trouble {...trouble.value} />}
      {reply.value && (
        <>
          <div class="scopes-filter">
            <SearchField label="Filter" value={words.value} onValue={(value) => (words.value = value)} />
            <label class="check">
              <input type="checkbox" checked={onlyActive.value} onChange={(event) => (onlyActive.value = event.currentTarget.checked)} /> Active only
            </label>
          </div>
          <Listing report={reply.value} words={words.value.trim().toLowerCase()} onlyActive={onlyActive.value} />
        </>
      )}
    </section>
  );
}

type Kind = "role" | "other";

function Trouble({ kind, words }: { kind: Kind; words: string }) {
  if (kind === "role")
    return (
      <p class="empty" role="status">
        {words}
      </p>
    );
  return (
    <p class="trouble-words" role="alert">
      {words}
    </p>
  );
}

/** The number of rows shown per category; the rest is summarized in one line. */
const MOST = 300;

function Listing({ report, words, onlyActive }: { report: ScopesReply; words: string; onlyActive: boolean }) {
  const all = rows(report);
  const fits = (entry: Entry) =>
    (!onlyActive || entry.active) && (words === "" || `${entry.category} ${entry.name} ${entry.about ?? ""} ${entry.origin.path}`.toLowerCase().includes(words));
  const groups = new Map<Entry["category"], Entry[]>();
  for (const entry of all.filter(fits)) {
    const group = groups.get(entry.category);
    if (group) group.push(entry);
    else groups.set(entry.category, [entry]);
  }
  return (
    <div class="panel-body scopes-body">
      <Project report={report} />
      <Notes notes={rest(report)} />
      {groups.size === 0 && <p class="empty">{all.length === 0 ? "No extensions or servers found." : "No matches."}</p>}
      {[...groups].map(([category, entries]) => (
        <section key={category} aria-label={titleOf(category)}>
          <h3>
            {titleOf(category)} <span class="badge">{entries.length}</span>
          </h3>
          <ul class="entries">
            {entries.slice(0, MOST).map((entry, at) => (
              <Row key={at} entry={entry} />
            ))}
            {entries.length > MOST && <li class="soft">and {entries.length - MOST} more; use the filter to see them</li>}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Extensions, then MCP servers. */
const rows = ({ entries, servers }: ScopesReply): Entry[] => [...entries, ...servers];

/** Returns the diagnostics that no row shows. */
function rest(report: ScopesReply): Diagnostic[] {
  const shown = new Set(rows(report).flatMap((entry) => entry.diagnostics.map(({ message }) => message)));
  return report.diagnostics.filter(({ message }) => !shown.has(message));
}

function Row({ entry }: { entry: Entry }) {
  const { name, origin, about } = entry;
  const state = stateOf(entry);
  const why = reasons(entry);
  return (
    <li class={`entry ${entry.active ? "" : "inactive"}`}>
      <p class="entry-name">
        <Shown text={name} most={80} class="mono" />
        <span class={`pill ${PILLS[state]}`}>{state}</span>
      </p>
      <div class="entry-about">
        {about && (
          <p>
            <Shown text={about} most={300} />
          </p>
        )}
        {why.map((line) => (
          <p key={line} class="entry-why">
            <MessageText text={escaped(head(line, 500))} />
          </p>
        ))}
      </div>
      <p class="entry-origin soft small" title={escaped(head(origin.path, 300))}>
        <span>{origin.scope}</span>
        {origin.path !== origin.scope && (
          <>
            {" "}
            <Shown text={origin.path} most={90} class="mono" />
          </>
        )}
      </p>
    </li>
  );
}

function Project({ report: { trust, mode, cwd, global, project, preset } }: { report: ScopesReply }) {
  const layers = [global && `global: ${global}`, project && `project: ${project}`].filter((layer) => layer !== null);
  return (
    <dl class="pairs">
      <div>
        <dt>Directory</dt>
        <dd>
          <Shown text={cwd} most={160} class="mono" />, preset <Shown text={preset} most={60} class="mono" />
        </dd>
      </div>
      <div>
        <dt>Layers</dt>
        <dd>
          bundled{layers.length > 0 && ", "}
          <Shown text={layers.join(", ")} most={240} />
        </dd>
      </div>
      <div>
        <dt>Trust</dt>
        <dd>
          {TRUST[trust]}
          {mode === "none" && " This preset does not require trust."}
        </dd>
      </div>
    </dl>
  );
}

const TRUST: Record<ScopesReply["trust"], string> = {
  trusted: "Trusted.",
  once: "Trusted, because the project is within a root of the service.",
  untrusted: "Not trusted.",
  declined: "Trust was declined.",
  stale: "Changed since trust was granted.",
};

const PILLS: Record<State, string> = {
  active: "good",
  hidden: "",
  off: "",
  broken: "unknown",
  untrusted: "turn",
  incomplete: "turn",
  "needs grant": "turn",
  pending: "turn",
};

const TITLES: Partial<Record<Entry["category"], string>> = {
  contextProviders: "Context providers",
  mcp: "MCP servers",
  sessionStores: "Session stores",
  stateMachines: "State machines",
  ui: "UI",
};

const titleOf = (category: Entry["category"]): string => TITLES[category] ?? category.charAt(0).toUpperCase() + category.slice(1);

const COUNTED: Record<State, string> = {
  active: "active",
  hidden: "hidden",
  off: "off",
  untrusted: "untrusted",
  broken: "broken",
  incomplete: "incomplete",
  "needs grant": "needs grant",
  pending: "pending",
};

function summary(report: ScopesReply): string {
  const count = (wanted: State) => rows(report).filter((entry) => stateOf(entry) === wanted).length;
  const counts = (Object.keys(COUNTED) as State[]).filter((state) => count(state) > 0);
  const notes = report.diagnostics.length > 0 ? `, ${amount(report.diagnostics.length, "diagnostic")}` : "";
  return counts.map((state) => `${count(state)} ${COUNTED[state]}`).join(", ") + notes;
}
