// The versions screen: the versions of a template, and the changes of the selected one.
import "../shell"; // Part of the first load already; the import keeps that in one chunk.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { narrow } from "../edit/layout";
import { go, href, turnInto, type Route } from "../route";
import { Button } from "../ui/button";
import { Split } from "../ui/split";
import { placeOf, placesOf, selected, type Against, type Places } from "./chosen";
import { Detail } from "./detail";
import { History } from "./history";
import { LabelsDialog } from "./labels-dialog";
import { VersionList } from "./list";
import { RestoreDialog } from "./restore-dialog";
import { TemplateSelect } from "./template-select";

export default function Versions({ route }: { route: Route }) {
  const history = useMemo(() => new History(route.name), [route.name]);
  const wanted = selected(route.at);
  const opened = useSignal(wanted !== null);
  const moved = useRef(0);
  const dialog = useSignal<"restore" | "labels" | null>(null);
  useEffect(() => {
    void history.load();
    const again = () => document.visibilityState === "visible" && void history.load();
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, [history]);

  const against = wanted?.against ?? "before";
  const places = placesOf(route.query);
  const info = wanted ? history.info(wanted.version) : history.items.value[0];
  useEffect(() => {
    // Back from a version on a narrow screen leads to the list.
    opened.value = wanted !== null;
  }, [history, wanted === null]);
  useEffect(() => {
    // A version that an address names may be on a later page.
    if (wanted && !info && history.more.value) void history.loadMore();
  }, [info, history.items.value]);
  const show = (version: number, against: Against, places: Places) => {
    const at = placeOf(version, against, places);
    // Walking through the list is one step for Back.
    const walks = Date.now() - moved.current < STEP;
    moved.current = Date.now();
    if (walks) turnInto("versions", route.name, at);
    else go("versions", route.name, at);
  };
  const close = (made?: number) => {
    dialog.value = null;
    if (!made) return;
    go("versions", route.name);
    // It is the first of the list.
    document.querySelector("#pane-versions .virtual-list")?.scrollTo({ top: 0 });
  };
  const list = (
    <section class="panel" aria-labelledby="versions-title">
      <div class="panel-head">
        <h1 id="versions-title">Versions</h1>
        <TemplateSelect label="Template" value={route.name} onValue={(name) => go("versions", name)} />
      </div>
      <ListBody
        history={history}
        chosen={info?.version ?? 0}
        onChosen={(version) => show(version, against === version ? "before" : against, places)}
        onOpen={() => {
          opened.value = true;
          // Enter moves the focus to the selected version.
          requestAnimationFrame(() => document.getElementById(narrow.value ? "versions-back" : "against")?.focus());
        }}
      />
    </section>
  );
  const detail = info && (
    <Detail
      history={history}
      info={info}
      against={against}
      places={places}
      onShow={show}
      onRestore={() => (dialog.value = "restore")}
      onLabels={() => (dialog.value = "labels")}
    />
  );
  return (
    <>
      {!detail && !wanted ? (
        list
      ) : !narrow.value ? (
        <Split
          name="versions"
          panes={[
            { id: "pane-versions", label: "Versions", share: 0.27, least: 0.2, child: list },
            { id: "pane-version", label: "Changes", share: 0.73, least: 0.4, child: detail ?? <Missing history={history} version={wanted!.version} /> },
          ]}
        />
      ) : opened.value ? (
        <>
          <h1 class="sr">Versions</h1>
          <p class="back">
            <Button kind="quiet" small id="versions-back" onClick={() => ((opened.value = false), go("versions", route.name))}>
              ‹ All versions
            </Button>
          </p>
          {detail ?? <Missing history={history} version={wanted!.version} />}
        </>
      ) : (
        list
      )}
      {dialog.value === "restore" && info && <RestoreDialog history={history} version={info.version} close={close} />}
      {dialog.value === "labels" && info && <LabelsDialog history={history} version={info.version} close={() => close()} />}
    </>
  );
}

/** Choices in quicker succession than this are one step for Back. */
const STEP = 1000;

/** The place of a version that an address names and the list does not have. */
function Missing({ history, version }: { history: History; version: number }) {
  const waits = history.phase.value === "loading" || history.more.value;
  return <section class="panel"><p class={waits ? "waiting" : "empty"}>{waits ? "Loading…" : `There is no version ${version} of this template.`}</p></section>;
}

type ListProps = Parameters<typeof VersionList>[0];

function ListBody(props: ListProps) {
  const { history } = props;
  const phase = history.phase.value;
  if (phase === "loading") return <p class="waiting">Loading…</p>;
  if (phase === "failed")
    return (
      <div class="empty" role="alert">
        <p>{history.trouble.value}</p>
        <Button onClick={() => void history.load()}>Try again</Button>
      </div>
    );
  if (phase === "missing" || history.items.value.length === 0)
    return (
      <div class="empty">
        <p>
          {phase === "missing" ? "This template does not exist yet." : "No versions yet; the built-in default is used."} Every save creates
          a version.
        </p>
        <a href={href("edit", history.name)}>Open in editor</a>
      </div>
    );
  return (
    <>
      {history.trouble.value && (
        <p class="trouble-words" role="alert">
          {history.trouble.value}
        </p>
      )}
      <VersionList {...props} />
    </>
  );
}
