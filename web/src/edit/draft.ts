// Drafts: unsaved text is stored in the browser, so that a reload, a crash or a closed tab loses nothing. Each tab has a slot of its own and holds a lock with that name as long as it lives. A slot whose lock nobody holds was
// left behind: the next tab that opens its template takes the draft over.
import { keep, kept } from "../keep";

export interface Draft {
  text: string;
  /** What it is based on, as the service names it; null where nothing was stored. */
  etag: string | null;
  version: number;
  /** The stored text that it is based on; null where the browser had no room for it. */
  base: string | null;
}

/** Two of a template at most: what is being written, and a text of one's own that was given up for somebody else's. */
export type Kind = "draft" | "aside";

const PREFIX = "preface-draft";
const SLOT = "preface-slot";
/** So many drafts of tabs that are gone stay, of so many characters in all; older ones make room. */
const MOST_LEFT = 8;
const MOST_LEFT_CHARACTERS = 2_500_000;
/** A reload asks for its lock while the page before may still hold it; a copied tab asks for one that stays held. */
const PATIENCE = 250;

const lockOf = (slot: string): string => `${PREFIX}:${slot}`;
const keyOf = (slot: string, kind: Kind, template: string): string => `${PREFIX}:${slot}:${kind}:${template}`;

let slot = "";
const claimed = claim();

/** Finds the draft of a template: this tab's own, or the newest that a closed tab has left. */
export async function findDraft(template: string): Promise<Draft | null> {
  await claimed;
  for (const kind of ["draft", "aside"] as const) {
    const own = read(keyOf(slot, kind, template));
    if (own) return own;
  }
  const held = await heldSlots();
  const left = entries().filter((one) => one.template === template && one.slot !== slot && !held.has(one.slot));
  for (const one of left) {
    const draft = await withLock(one.slot, () => takeOver(one.key, template));
    if (draft) return draft;
  }
  return null;
}

/** What this tab has not stored of a template. */
export const ownDraft = (template: string): Draft | null => (slot === "" ? null : read(keyOf(slot, "draft", template)));

/** Keeps a draft, or forgets it; false where the browser has no room for it. */
export function keepDraft(template: string, draft: Draft | null, kind: Kind = "draft"): boolean {
  if (slot === "") return true;
  const key = keyOf(slot, kind, template);
  if (draft === null) return keep("local", key, null);
  const entry = (base: string | null) => JSON.stringify({ ...draft, base, at: Date.now() });
  if (keep("local", key, entry(draft.base)) || keep("local", key, entry(null))) return true;
  // What others left makes room for what is being written.
  prune(0);
  return keep("local", key, entry(null));
}

/** Holds the lock of this tab's slot for as long as the tab lives. */
async function claim(): Promise<void> {
  const known = kept("session", SLOT);
  const mine = known !== null && /^[\w-]{8,64}$/.test(known) && (await hold(known)) ? known : "";
  if (mine === "") {
    const fresh = Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-");
    await hold(fresh);
    slot = fresh;
  } else slot = mine;
  keep("session", SLOT, slot);
  prune(MOST_LEFT, await heldSlots());
}

/** True where the lock is ours now. A page that came over plain HTTP from afar has no locks: there, every slot is free. */
function hold(wanted: string): Promise<boolean> {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((done) => {
    const forGood = () => (done(true), new Promise<void>(() => {}));
    navigator.locks.request(lockOf(wanted), { signal: AbortSignal.timeout(PATIENCE) }, forGood).catch(() => done(false));
  });
}

async function heldSlots(): Promise<ReadonlySet<string>> {
  const all = (await navigator.locks?.query().catch(() => null))?.held ?? [];
  return new Set(all.flatMap(({ name }) => (name?.startsWith(`${PREFIX}:`) ? [name.slice(PREFIX.length + 1)] : [])));
}

/** Does something while no other tab can do the same; null where one is at it. */
async function withLock<T>(of: string, act: () => T): Promise<T | null> {
  if (!navigator.locks) return act();
  return (await navigator.locks.request(lockOf(of), { ifAvailable: true }, (lock) => (lock ? act() : null))) ?? null;
}

function takeOver(key: string, template: string): Draft | null {
  const draft = read(key);
  keep("local", key, null);
  if (draft) keepDraft(template, draft);
  return draft;
}

interface Left {
  key: string;
  slot: string;
  template: string;
  at: number;
  characters: number;
}

/** All drafts of this browser, the newest first. */
function entries(): Left[] {
  const found: Left[] = [];
  for (const key of keys()) {
    const [prefix, of, kind, ...template] = key.split(":");
    if (prefix !== PREFIX || (kind !== "draft" && kind !== "aside")) continue;
    const value = kept("local", key) ?? "";
    found.push({ key, slot: of!, template: template.join(":"), at: Number(/"at":(\d+)\}$/.exec(value)?.[1] ?? 0), characters: value.length });
  }
  return found.sort((one, other) => other.at - one.at);
}

function keys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

/** Lets go of what tabs have left behind, but for the newest. */
function prune(most: number, held: ReadonlySet<string> | null = null): void {
  let room = MOST_LEFT_CHARACTERS;
  let count = 0;
  for (const { key, slot: of, characters, at } of entries()) {
    // Without a look at the locks, what was written to a while ago was left.
    const alive = of === slot || (held ? held.has(of) : Date.now() - at < 3_600_000);
    if (alive) continue;
    room -= characters;
    if (++count > most || room < 0) keep("local", key, null);
  }
}

function read(key: string): Draft | null {
  const text = kept("local", key);
  if (text === null) return null;
  try {
    const { text: written, base, etag, version } = JSON.parse(text) as Partial<Draft>;
    if (typeof written !== "string") return null;
    return { text: written, base: typeof base === "string" ? base : null, etag: etag ?? null, version: version ?? 0 };
  } catch {
    return null;
  }
}
