// The built prompts of two versions, directories or models: what is chosen for each side, and their comparison.
import { PLACEHOLDER_ID } from "../edit/context";
import { escaped, head } from "../shown";
import { BuiltView, useBuilt, type ToBuild } from "./built";
import { named, pairOf, read, START, type Against, type Place, type Places } from "./chosen";
import type { Side } from "./compare";
import type { History } from "./history";

type Chosen = NonNullable<Places>;

interface BuiltChoiceProps {
  history: History;
  version: number;
  against: Against;
  places: Chosen;
  onShow: (version: number, against: Against, places: Places) => void;
}

export function BuiltChoice({ history, version, against, places, onShow }: BuiltChoiceProps) {
  const [from] = pairOf(history, version, against);
  const versions = history.items.value.map((one) => one.version);
  return (
    <div class="built-choice">
      <PlaceFields
        side="From"
        id="against"
        value={String(from)}
        options={[
          ...(against === "editor" ? [{ value: "editor", label: "Unsaved text in the editor" }] : []),
          ...options(history, typeof from === "number" ? [from, ...versions, START] : [...versions, START]),
        ]}
        onVersion={(value) => onShow(version, read(value), places)}
        place={places.from}
        onPlace={(place) => onShow(version, against, { ...places, from: place })}
      />
      <PlaceFields
        side="To"
        value={String(version)}
        options={options(history, [version, ...versions])}
        onVersion={(value) => onShow(Number(value), against === "before" && typeof from === "number" ? from : against, places)}
        place={places.to}
        onPlace={(place) => onShow(version, against, { ...places, to: place })}
      />
    </div>
  );
}

function options(history: History, versions: readonly number[]): { value: string; label: string }[] {
  const distinct = [...new Set(versions)].sort((a, b) => b - a);
  return distinct.map((one) => ({ value: String(one), label: named(history, one) }));
}

interface PlaceFieldsProps {
  side: string;
  /** The id of the version's field. */
  id?: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onVersion: (value: string) => void;
  place: Place;
  onPlace: (place: Place) => void;
}

/** One side. A text is taken when it was entered, not at each key: it is in the address. */
function PlaceFields({ side, id, value, options: offered, onVersion, place, onPlace }: PlaceFieldsProps) {
  const field = (label: string, text: string, onText: (text: string) => void) => (
    <label class="label">
      {label}
      <input
        class="field block"
        value={text}
        placeholder="none"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onChange={(event) => onText(event.currentTarget.value.trim())}
      />
    </label>
  );
  return (
    <fieldset class="built-side">
      <legend class="label">{side}</legend>
      <label class="label">
        Version
        <select class="field block" id={id} value={value} onChange={(event) => onVersion(event.currentTarget.value)}>
          {offered.map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      {field("Directory", place.cwd, (cwd) => onPlace({ ...place, cwd }))}
      {field("Model", place.model, (model) => onPlace({ ...place, model }))}
    </fieldset>
  );
}

/** Compares what is built of two texts. */
export function BuiltVersions({ pair, places }: { pair: readonly [Side, Side]; places: Chosen }) {
  const elsewhere = places.from.cwd !== places.to.cwd;
  const [from, to] = [toBuild(pair[0], places.from, elsewhere), toBuild(pair[1], places.to, elsewhere)];
  return <BuiltView from={from} to={to} built={useBuilt(from, to)} />;
}

/** The end of a path is what differs. */
function ending(cwd: string): string {
  if (cwd === "") return "no directory";
  const names = cwd.split("/");
  return escaped(head(names.length > 3 ? `…/${names.slice(-2).join("/")}` : cwd, 60));
}

function toBuild({ label, text }: Side, { cwd, model }: Place, elsewhere: boolean): ToBuild {
  const options = { ...(cwd && { directory: cwd }), ...(model && { model }), conversation: PLACEHOLDER_ID };
  const name = label.charAt(0).toLowerCase() + label.slice(1).replace(/ \(current\)$/, "");
  return { label: elsewhere ? `${label} in ${ending(cwd)}` : label, name, template: text, options };
}
