// The list of versions, newest first.
import { ago, instant, size } from "../amount";
import type { VersionInfo } from "../api/types";
import { narrow } from "../edit/layout";
import { Shown } from "../shown";
import { VirtualList } from "../ui/virtual-list";
import type { History } from "./history";

const ROW = 74;

interface ListProps {
  history: History;
  chosen: number;
  onChosen: (version: number) => void;
  /** Called when the selected version is opened. */
  onOpen: () => void;
}

export function VersionList({ history, chosen, onChosen, onOpen }: ListProps) {
  const items = history.items.value;
  return (
    // On a wide screen, a click shows the version beside the list and the focus stays in the list.
    <div class="list-box" onClick={() => narrow.value && onOpen()}>
      <VirtualList
        label="Versions"
        items={items}
        rowHeight={ROW}
        current={items.findIndex(({ version }) => version === chosen)}
        onCurrent={(at) => onChosen(items[at]!.version)}
        onOpen={onOpen}
        onEnd={() => void history.loadMore()}
        row={(info) => <Row info={info} current={info.version === history.current} />}
      />
    </div>
  );
}

function Row({ info, current }: { info: VersionInfo; current: boolean }) {
  const { version, author, at, note, labels, bytes, reset } = info;
  return (
    <div class="list-row">
      <p class="list-head">
        <strong>Version {version}</strong>
        {current && <span class="pill good">current</span>}
        {reset && <span class="pill condition">reset to default</span>}
        {labels.slice(0, 2).map((label) => (
          <LabelPill key={label} label={label} />
        ))}
        {labels.length > 2 && <span class="soft small">+{labels.length - 2}</span>}
      </p>
      <p class="list-line">{note ? <Shown text={note} most={200} /> : <span class="soft">No note</span>}</p>
      <p class="list-line soft small">
        <time dateTime={at} title={instant(at)}>
          {ago(at)}
        </time>
        {" · "}
        <Shown text={author} most={40} />
        {" · "}
        {reset ? "default text" : size(bytes)}
      </p>
    </div>
  );
}

export function LabelPill({ label }: { label: string }) {
  return (
    <span class="pill static label-pill" title={label}>
      <Shown text={label} most={64} />
    </span>
  );
}
