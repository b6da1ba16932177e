// The health of the service and its store, and its metrics; polled while the page is visible.
import { signal } from "@preact/signals";
import { request, read } from "../api/client";
import { messageOf } from "../api/problem";
import { numbers, type Numbers } from "./metrics";

const EVERY = 10_000;

export interface Standing {
  /** True if the process responds. */
  alive: boolean;
  /** True if its store responds. */
  ready: boolean;
  store: string;
  /** True if only the built-in default is available. */
  degraded: boolean;
  trouble: string;
  at: number;
}

export const standing = signal<Standing | null>(null);
export const figures = signal<Numbers | null>(null);

/** Reads the health now. */
export async function look(): Promise<void> {
  const [alive, ready, template, metrics] = await Promise.allSettled([
    request("get", "/healthz"),
    request("get", "/readyz"),
    request("get", "/system-prompt"),
    read("/metrics").then((response) => response.text()),
  ]);
  const store = ready.status === "fulfilled" ? (ready.value.data.store ?? "") : (standing.peek()?.store ?? "");
  standing.value = {
    alive: alive.status === "fulfilled",
    ready: ready.status === "fulfilled",
    store,
    degraded: template.status === "fulfilled" && template.value.degraded,
    trouble: alive.status === "rejected" ? messageOf(alive.reason) : ready.status === "rejected" ? messageOf(ready.reason) : "",
    at: Date.now(),
  };
  figures.value = metrics.status === "fulfilled" ? numbers(metrics.value) : null;
}

/** Polls; returns the function that stops it. */
export function follow(): () => void {
  const again = () => document.visibilityState === "visible" && void look();
  void look();
  const timer = setInterval(again, EVERY);
  document.addEventListener("visibilitychange", again);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", again);
  };
}
