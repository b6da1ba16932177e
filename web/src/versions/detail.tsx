// One version: author, time, note, changes and actions.
import { useEffect, useState } from "preact/hooks";
import { ago, instant, size } from "../amount";
import { messageOf } from "../api/problem";
import type { VersionInfo } from "../api/types";
import { directory, model } from "../edit/context";
import { address, href } from "../route";
import { escaped, head, Shown } from "../shown";
import { Button } from "../ui/button";
import { CopyIcon } from "../ui/copy";
import { PaperText, usePaper } from "../ui/paper";
import { BuiltChoice, BuiltVersions } from "./built-versions";
import { choices, inOrder, pairOf, placeOf, read, START, texts, type Against, type Places } from "./chosen";
import type { Side } from "./compare";
import { CompareView } from "./compare-view";
import type { History } from "./history";
import { LabelPill } from "./list";

interface DetailProps {
  history: History;
  info: VersionInfo;
  against: Against;
  /** Where prompts are built; null to compare the templates. */
  places: Places;
  onShow: (version: number, against: Against, places: Places) => void;
  onRestore: () => void;
  onLabels: () => void;
}

export function Detail({ history, info, against, places, onShow, onRestore, onLabels }: DetailProps) {
  const { version, author, at, note, labels, bytes, reset } = info;
  const [pair, setPair] = useState<[Side, Side] | null>(null);
  const [trouble, setTrouble] = useState("");
  const current = history.current;
  const offered = choices(history, version);
  const others = history.items.value.filter((one) => one.version !== version);
  // An option selected for another version may not exist for this one.
  const fits = typeof against === "number" ? against !== version || places !== null : offered.some(({ value }) => value === against);
  const effective = fits ? against : "before";
  const isBuilt = places !== null;

  useEffect(() => {
    let gone = false;
    setTrouble("");
    const sides = pairOf(history, version, effective);
    texts(history, isBuilt ? sides : inOrder(sides)).then(
      (both) => !gone && setPair(both),
      (error: unknown) => !gone && (setPair(null), setTrouble(messageOf(error))),
    );
    return () => {
      gone = true;
    };
  }, [history, version, effective, current, isBuilt]);

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
        <CopyIcon what="link" text={() => address("versions", history.name, placeOf(version, effective, places))} />
        <Button small onClick={onLabels}>
          Labels…
        </Button>
        <Button small kind={version === current ? "plain" : "main"} disabled={version === current} onClick={onRestore}>
          {version === current ? "Current" : "Restore as new version…"}
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
        <div class="version-against">
          {!places && (
            <>
              <label class="label" for="against">
                Compare with
              </label>
              <select class="field" id="against" value={String(effective)} onChange={(event) => onShow(version, read(event.currentTarget.value), null)}>
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
            </>
          )}
          <div class="segments" role="group" aria-label="What is compared">
            <button type="button" aria-pressed={!isBuilt} onClick={() => onShow(version, typeof against === "number" && against === version ? "before" : effective, null)}>
              Template
            </button>
            <button type="button" aria-pressed={isBuilt} onClick={() => onShow(version, effective, places ?? here())}>
              Built prompt
            </button>
          </div>
          <a href={href("edit", history.name, version === current ? "" : String(version))}>Open in the editor</a>
        </div>
        {places && <BuiltChoice history={history} version={version} against={effective} places={places} onShow={onShow} />}
      </div>
      {trouble ? (
        <p class="empty" role="alert">
          {trouble}
        </p>
      ) : pair && places ? (
        <BuiltVersions pair={pair} places={places} />
      ) : pair ? (
        <CompareView left={pair[0]} right={pair[1]} />
      ) : (
        <p class="waiting">Loading…</p>
      )}
    </section>
  );
}

/** Both sides, where the editor builds its preview. */
function here(): Places {
  const place = { cwd: directory.peek().trim(), model: model.peek().trim() };
  return { from: place, to: place };
}
