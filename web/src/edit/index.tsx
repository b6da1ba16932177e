// The editor screen: variables, template and preview side by side, or in tabs on a narrow screen.
import { useEffect } from "preact/hooks";
import type { Route } from "../route";
import { Button } from "../ui/button";
import { Split } from "../ui/split";
import { TabPanel, Tabs } from "../ui/tabs";
import { Banner } from "../ui/toast";
import { noteCount, open, packed, session } from "./desk";
import { beside, narrow, tab, type Tab } from "./layout";
import { Bar } from "./panes/bar";
import { ConflictDialog } from "./panes/conflict-dialog";
import { FindingsPane } from "./panes/findings-pane";
import { Palette } from "./panes/palette";
import { PreviewPane } from "./panes/preview-pane";
import { Caret, Hint, Legend, TextPane } from "./panes/text-pane";
import { useKeys } from "./panes/keys";
import { usePrint } from "./print";

export default function EditScreen({ route }: { route: Route }) {
  useEffect(() => open(route.name), [route.name]);
  useKeys();
  usePrint();
  const current = session.value;
  return (
    <div class="edit">
      <Bar />
      <Banners />
      {narrow.value ? <Narrow /> : <Wide />}
      {current?.conflict.value && <ConflictDialog session={current} />}
    </div>
  );
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
              <section class="findings-box" aria-label="Diagnostics">
                <details open>
                  <summary>
                    Diagnostics <Count />
                  </summary>
                  <FindingsPane />
                </details>
              </section>
            </Pane>
          ),
        },
        { id: "pane-preview", label: "Preview", share: 0.38, least: 0.2, child: <Pane title="Preview"><PreviewPane /></Pane> },
      ]}
    />
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

function Banners() {
  const current = session.value;
  if (!current) return null;
  const away = current.away.value;
  return (
    <>
      {away !== "" && (
        <Banner tone="bad">
          <span>{away} Retrying…</span>
        </Banner>
      )}
      {current.phase.value === "failed" && away === "" && (
        <Banner tone="bad">
          <span>{current.said.value.text || "The template could not be loaded."}</span>
          <Button small onClick={() => void current.load()}>
            Try again
          </Button>
        </Banner>
      )}
      {current.noRoom.value && (
        <Banner tone="bad">
          <span>Browser storage is full: unsaved text cannot be stored as a draft. Save before you leave.</span>
        </Banner>
      )}
      {current.newer.value && (
        <Banner tone="plain">
          <span role="status">A newer version ({current.newer.value.version}) was saved by another client. Your changes are unsaved.</span>
          <Button small onClick={() => current.compareWithNewer()}>
            Compare
          </Button>
        </Banner>
      )}
      {current.broughtBack.value && (
        <Banner tone="plain">
          <span>Unsaved draft restored.</span>
          <Button small onClick={() => (current.broughtBack.value = false)}>
            Keep draft
          </Button>
          <Button small onClick={() => current.discard()}>
            Discard draft
          </Button>
        </Banner>
      )}
    </>
  );
}
