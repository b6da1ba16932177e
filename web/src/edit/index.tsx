// The editor screen: variables, template and preview side by side, or in tabs on a narrow screen.
import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { changeAccess, declined, viewOnly } from "../api/access";
import { messageOf } from "../api/problem";
import { href, type Route } from "../route";
import { MessageText } from "../message-text";
import { Button } from "../ui/button";
import { HeightHandle, useHeight } from "../ui/height-handle";
import { Split } from "../ui/split";
import { TabPanel, Tabs } from "../ui/tabs";
import { Banner, notify } from "../ui/toast";
import { noteCount, open, packed, reopen, resolveConflict, session } from "./desk";
import { beside, narrow, tab, type Tab } from "./layout";
import { Bar } from "./panes/bar";
import { ConflictDialog } from "./panes/conflict-dialog";
import { FindingsPane } from "./panes/findings-pane";
import { Palette } from "./panes/palette";
import { PreviewPane } from "./panes/preview-pane";
import { Caret, Hint, Legend, TextPane } from "./panes/text-pane";
import { useKeys } from "./panes/keys";
import { usePrint } from "./print";
import { showVersion } from "./show-version";
import { MAIN, changeOf, restoreDeleted } from "./stored";
import type { Session } from "./session";

export default function EditScreen({ route }: { route: Route }) {
  useEffect(() => {
    open(route.name);
    if (route.at !== "") void showVersion(route.name, route.at);
  }, [route.name, route.at]);
  useKeys();
  usePrint();
  const current = session.value;
  return (
    <div class="edit">
      <Bar />
      <Banners />
      {current?.name === MAIN && current.base.value?.version === 0 && <Start />}
      {narrow.value ? <Narrow /> : <Wide />}
      {current?.conflict.value && <ConflictDialog key={current.conflict.value.theirs.etag} session={current} conflict={current.conflict.value} />}
    </div>
  );
}

/** What a new user sees above the panes; loaded where nothing is stored. */
function Start() {
  const [Loaded, setLoaded] = useState<FunctionComponent | null>(null);
  useEffect(() => void import("./first-run").then((module) => setLoaded(() => module.default), () => {}), []);
  return Loaded && <Loaded />;
}

function Wide() {
  return (
    <Split
      name="edit"
      panes={[
        { id: "pane-variables", label: "Variables", share: 0.18, least: 0.13, child: <Pane title="Variables"><Palette /></Pane> },
        {
          id: "pane-text",
          label: "Template",
          share: 0.44,
          least: 0.2,
          child: (
            <Pane title="Template" head={<><Hint /><Legend /><Caret /></>}>
              <TextPane />
              <FindingsBox />
            </Pane>
          ),
        },
        { id: "pane-preview", label: "Preview", share: 0.38, least: 0.2, child: <Pane title="Preview"><PreviewPane /></Pane> },
      ]}
    />
  );
}

function FindingsBox() {
  const [height, setHeight] = useHeight("findings");
  const box = useRef<HTMLElement>(null);
  const [open, setOpen] = useState(true);
  return (
    <>
      {open && <HeightHandle label="Resize: Template and Diagnostics" box={box} onHeight={setHeight} />}
      <section
        class="findings-box"
        aria-label="Diagnostics"
        ref={box}
        style={open && height !== null ? { height: `${height}px`, maxHeight: "70%" } : undefined}
      >
        <details open onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            Diagnostics <Count />
          </summary>
          <FindingsPane />
        </details>
      </section>
    </>
  );
}

const LABEL = "Panes";

function Narrow() {
  const notes = noteCount.value;
  const badge = notes > 0 ? String(notes) : undefined;
  const tabs: { id: Tab; label: string; badge?: string | undefined }[] = [
    { id: "text", label: "Template" },
    ...(beside.value ? [] : [{ id: "preview" as const, label: "Preview" }]),
    { id: "variables", label: "Variables" },
    { id: "findings", label: "Diagnostics", badge },
  ];
  const panel = (id: Tab, child: preact.ComponentChildren) => (
    <TabPanel label={LABEL} id={id} current={tab.value}>
      <div class="panel">
        <h2 class="sr">{tabs.find((one) => one.id === id)?.label}</h2>
        {child}
      </div>
    </TabPanel>
  );
  const tabbed = (
    <div class="narrow">
      <Tabs label={LABEL} tabs={tabs} current={tab.value} onChange={(id) => (tab.value = id)} />
      {panel("text", <TextPane />)}
      {!beside.value && panel("preview", <PreviewPane />)}
      {panel("variables", <Palette />)}
      {panel("findings", <FindingsPane />)}
    </div>
  );
  if (!beside.value) return tabbed;
  const preview = <Pane title="Preview"><PreviewPane /></Pane>;
  return (
    <Split
      name="edit-two"
      panes={[
        { id: "pane-tabs", label: "Template", share: 0.54, least: 0.3, child: tabbed },
        { id: "pane-preview", label: "Preview", share: 0.46, least: 0.25, child: preview },
      ]}
    />
  );
}

function Pane({ title, head, children }: { title: string; head?: preact.ComponentChildren; children: preact.ComponentChildren }) {
  return (
    <section class="panel" aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        {head}
      </div>
      {children}
    </section>
  );
}

function Count() {
  const worst = (packed.value?.notes ?? []).some(({ severity }) => severity === "error")
    ? "error"
    : (packed.value?.notes ?? []).some(({ severity }) => severity === "warning")
      ? "warning"
      : "";
  return noteCount.value > 0 ? <span class={`badge ${worst}`}>{noteCount.value}</span> : null;
}

function discard(current: Session): void {
  const draft = current.discard();
  if (draft) notify("Draft discarded.", "plain", { label: "Undo", act: () => current.restore(draft) });
}

function Banners() {
  const current = session.value;
  if (!current) return null;
  const away = current.away.value;
  const base = current.base.value;
  return (
    <>
      {viewOnly.value !== "" && (
        <Banner tone="plain">
          <span role="status">
            This page is read-only. <MessageText text={viewOnly.value} />
          </span>
          <Button small onClick={() => void changeAccess()}>
            Use another token…
          </Button>
        </Banner>
      )}
      {away !== "" && (
        <Banner tone="bad">
          <span>{away} Retrying…</span>
        </Banner>
      )}
      {current.phase.value === "failed" && away === "" && (
        <Banner tone="bad">
          <span>{current.status.value.text || "The template could not be loaded."}</span>
          <Button small onClick={() => ((declined.value = false), void current.load())}>
            {declined.value ? "Enter a token…" : "Try again"}
          </Button>
        </Banner>
      )}
      {base?.deleted !== undefined && (
        <Banner tone="plain">
          <span role="status">This template was deleted. Its versions are stored, and conversations can use it again once it is restored.</span>
          <Button small onClick={() => void restore(current.name, base.deleted!)}>
            Restore version {base.deleted}
          </Button>
          <a href={href("versions", current.name)}>Show its versions</a>
        </Banner>
      )}
      {current.draft.state.value.kind === "refused" && (
        <Banner tone="bad">
          <span>Browser storage is full: unsaved text cannot be stored as a draft. Save before you leave.</span>
        </Banner>
      )}
      {current.newer.value && (
        <Banner tone="warning">
          <span role="status">{changeOf(current.newer.value, base?.version)} Your changes are unsaved.</span>
          <Button small class="resolve" onClick={() => resolveConflict(current)}>
            Resolve…
          </Button>
        </Banner>
      )}
      {current.broughtBack.value && (
        <Banner tone="plain">
          <span>Unsaved draft restored.</span>
          <Button small onClick={() => (current.broughtBack.value = false)}>
            Keep draft
          </Button>
          <Button small onClick={() => discard(current)}>
            Discard draft
          </Button>
        </Banner>
      )}
    </>
  );
}

async function restore(name: string, version: number): Promise<void> {
  try {
    await restoreDeleted(name, version);
    reopen(name);
    notify(`Restored version ${version}.`, "good");
  } catch (error) {
    notify(messageOf(error), "bad");
  }
}
