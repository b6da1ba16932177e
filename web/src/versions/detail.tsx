// One version: author, time, note, changes and actions.
import { useEffect, useState } from "preact/hooks";
import { ago, instant, size } from "../amount";
import { told } from "../api/problem";
import type { VersionInfo } from "../api/types";
import { href } from "../route";
import { escaped, head, Shown } from "../shown";
import { Button } from "../ui/button";
import { PaperText, usePaper } from "../ui/paper";
import { choices, sides, START, type Against } from "./chosen";
import type { Side } from "./compare";
import { CompareView } from "./compare-view";
import type { History } from "./history";
import { LabelPill } from "./list";

interface DetailProps {
  history: History;
  info: VersionInfo;
  onRestore: () => void;
  onLabels: () => void;
}

export function Detail({ history, info, onRestore, onLabels }: DetailProps) {
  const { version, author, at, note, labels, bytes, reset } = info;
  const [against, setAgainst] = useState<Against>("before");
  const [pair, setPair] = useState<[Side, Side] | null>(null);
  const [trouble, setTrouble] = useState("");
  const current = history.current;
  const offered = choices(history, version);
  const others = history.items.value.filter((one) => one.version !== version);
  // An option selected for another version may not exist for this one.
  const fits = typeof against === "number" ? against !== version : offered.some(({ value }) => value === against);
  const effective = fits ? against : "before";

  useEffect(() => {
    let gone = false;
    setTrouble("");
    sides(history, version, effective).then(
      (both) => !gone && setPair(both),
      (error: unknown) => !gone && (setPair(null), setTrouble(told(error))),
    );
    return () => {
      gone = true;
    };
  }, [history, version, effective, current]);

  usePaper(() => {
    const shown = pair?.find(({ label }) => label.startsWith(`Version ${version}`)) ?? pair?.[1];
    return shown ? (
      <>
        <header>
          <h1>
            {escaped(head(history.name, 64))}: {escaped(head(shown.label, 80))}
          </h1>
          <p>
            {instant(at)} by {escaped(head(author, 80))}
            {note !== "" && `: ${escaped(head(note, 400))}`}
          </p>
        </header>
        <PaperText text={shown.text} />
      </>
    ) : null;
  });

  return (
    <section class="panel" aria-labelledby="version-title">
      <div class="panel-head version-head">
        <h2 id="version-title">Version {version}</h2>
        <Button small onClick={onLabels}>
          Labels…
        </Button>
        <Button small kind={version === current ? "plain" : "main"} disabled={version === current} onClick={onRestore}>
          {version === current ? "Current" : "Restore…"}
        </Button>
      </div>
      <div class="version-about">
        {note !== "" && (
          // A long note scrolls, also by keyboard.
          <p class="version-note" {...(note.length > 240 && { tabIndex: 0, role: "group", "aria-label": "Note" })}>
            <Shown text={note} most={2000} />
          </p>
        )}
        <p class="soft small">
          <time dateTime={at}>
            {instant(at)} ({ago(at)})
          </time>{" "}
          by <Shown text={author} most={80} />, {reset ? "reset to the default" : size(bytes)}{" "}
          {labels.map((label) => (
            <LabelPill key={label} label={label} />
          ))}
        </p>
        <p class="version-against">
          <label class="label" for="against">
            Compare with
          </label>
          <select class="field" id="against" value={String(effective)} onChange={(event) => setAgainst(read(event.currentTarget.value))}>
            {offered.map(({ value, label }) => (
              <option key={value} value={String(value)}>
                {label}
              </option>
            ))}
            <optgroup label="Any version">
              {others.map((one) => (
                <option key={one.version} value={String(one.version)}>
                  Version {one.version}
                  {one.version === current ? " (current)" : ""}
                </option>
              ))}
              {history.name === "main" && <option value={String(START)}>Built-in default</option>}
            </optgroup>
          </select>
          <a href={href("edit", history.name)}>Open in the editor</a>
        </p>
      </div>
      {trouble ? (
        <p class="empty" role="alert">
          {trouble}
        </p>
      ) : pair ? (
        <CompareView left={pair[0]} right={pair[1]} />
      ) : (
        <p class="waiting">Loading…</p>
      )}
    </section>
  );
}

function read(value: string): Against {
  const version = Number(value);
  return Number.isInteger(version) ? version : (value as Against);
}
