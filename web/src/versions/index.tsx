// The versions screen: the versions of a template, and the changes of the selected one.
import "../shell"; // Is here already. Saying so keeps the first load in one piece.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { narrow } from "../edit/layout";
import { go, href, type Route } from "../route";
import { Button } from "../ui/button";
import { Split } from "../ui/split";
import { Detail } from "./detail";
import { History } from "./history";
import { LabelsDialog } from "./labels-dialog";
import { VersionList } from "./list";
import { RestoreDialog } from "./restore-dialog";
import { TemplateSelect } from "./template-select";

export default function Versions({ route }: { route: Route }) {
  const history = useMemo(() => new History(route.name), [route.name]);
  const chosen = useSignal(0);
  const opened = useSignal(false);
  const dialog = useSignal<"restore" | "labels" | null>(null);
  useEffect(() => {
    chosen.value = 0;
    opened.value = false;
    void history.load();
    const again = () => document.visibilityState === "visible" && void history.load();
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, [history]);

  const info = history.info(chosen.value) ?? history.items.value[0];
  const close = (made?: number) => {
    dialog.value = null;
    if (!made) return;
    chosen.value = made;
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
        onChosen={(version) => (chosen.value = version)}
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
      onRestore={() => (dialog.value = "restore")}
      onLabels={() => (dialog.value = "labels")}
    />
  );
  return (
    <>
      {!detail ? (
        list
      ) : !narrow.value ? (
        <Split
          name="versions"
          panes={[
            { id: "pane-versions", label: "Versions", share: 0.27, least: 0.2, child: list },
            { id: "pane-version", label: "Changes", share: 0.73, least: 0.4, child: detail },
          ]}
        />
      ) : opened.value ? (
        <>
          <h1 class="sr">Versions</h1>
          <p class="back">
            <Button kind="quiet" small id="versions-back" onClick={() => (opened.value = false)}>
              ‹ All versions
            </Button>
          </p>
          {detail}
        </>
      ) : (
        list
      )}
      {dialog.value === "restore" && info && <RestoreDialog history={history} version={info.version} close={close} />}
      {dialog.value === "labels" && info && <LabelsDialog history={history} version={info.version} close={() => close()} />}
    </>
  );
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
