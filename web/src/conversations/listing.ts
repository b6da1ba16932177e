// The conversations of the service that were loaded, filtered by id prefix and template.
import { effect, signal } from "@preact/signals";
import { request } from "../api/client";
import { isAborted, messageOf } from "../api/problem";
import { readNames } from "../versions/names";
import type { ConversationItem } from "../api/types";

const PAGE = 100;
const WAIT = 160;

export const prefix = signal("");
export const template = signal("");
export const items = signal<readonly ConversationItem[]>([]);
export const phase = signal<"loading" | "ready" | "failed">("loading");
export const trouble = signal("");

let next: string | null = null;
let running: AbortController | null = null;

/** Reloads the list when a filter changes; returns the function that stops this. */
export function follow(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = true;
  const stop = effect(() => {
    void prefix.value;
    void template.value;
    clearTimeout(timer);
    timer = setTimeout(() => void load(), first ? 0 : WAIT);
    first = false;
  });
  const again = () => {
    if (document.visibilityState !== "visible") return;
    void load();
    void readNames();
  };
  document.addEventListener("visibilitychange", again);
  return () => {
    stop();
    clearTimeout(timer);
    running?.abort();
    document.removeEventListener("visibilitychange", again);
  };
}

/** Reloads the entries that are already loaded. */
export function load(): Promise<void> {
  return page(null, Math.max(PAGE, Math.min(500, items.peek().length)));
}

export function loadMore(): void {
  if (next !== null && !running) void page(next, PAGE);
}

async function page(after: string | null, limit: number): Promise<void> {
  running?.abort();
  const mine = (running = new AbortController());
  try {
    const query = { limit, prefix: prefix.peek(), template: template.peek(), ...(after !== null && { after }) };
    const { data } = await request("get", "/conversations", { query, signal: mine.signal });
    const before = after === null ? [] : items.peek();
    const known = new Set(before.map((one) => one.conversation_id));
    items.value = [...before, ...data.items.filter((one) => !known.has(one.conversation_id))];
    next = data.next;
    phase.value = "ready";
    trouble.value = "";
  } catch (error) {
    if (isAborted(error)) return;
    trouble.value = messageOf(error);
    if (phase.peek() === "loading") phase.value = "failed";
  } finally {
    if (running === mine) running = null;
  }
}
