// An overview of the service and its store, one card per metric.
import type { ComponentChildren } from "preact";
import { amount } from "../amount";
import { Shown } from "../shown";
import { IconButton } from "../ui/button";
import { Icon } from "../ui/icon";
import { figures, look, standing } from "./service";

const STORES: Record<string, string> = {
  sqlite: "SQLite",
  postgres: "PostgreSQL",
  memory: "In memory; lost when the service stops",
};

export function ServicePanel() {
  const now = standing.value;
  const numbers = figures.value;
  return (
    <section class="panel service" aria-labelledby="service-title">
      <div class="panel-head">
        <h1 id="service-title">Status</h1>
        <p class="soft small" role="status">
          {now ? verdict(now) : "Loading…"}
        </p>
        <IconButton label="Reload" icon="again" onClick={() => void look()} />
      </div>
      {now && (
        <ul class="vitals">
          <Vital title="Service" tone={now.alive ? "good" : "bad"} value={now.alive ? "Up" : "Down"}>
            {!now.alive ? <Shown text={now.trouble} most={300} /> : numbers && `Version ${numbers.version}${since(numbers.startedAt)}.`}
          </Vital>
          <Vital title="Store" tone={now.ready ? "good" : "bad"} value={now.ready ? "Up" : "Down"}>
            {now.ready ? now.store && `${STORES[now.store] ?? now.store}.` : <Shown text={away(now.degraded, now.trouble)} most={400} />}
          </Vital>
          {numbers && (
            <>
              <Vital title="Prompts built" value={total(numbers.built).toLocaleString("en")} tone={numbers.built.failed ? "warning" : "plain"}>
                {outcomes(numbers.built)}
              </Vital>
              <Vital title="Requests" value={numbers.requests.toLocaleString("en")} tone={numbers.failed > 0 ? "warning" : "plain"}>
                {numbers.failed > 0 ? `${numbers.failed.toLocaleString("en")} failed. ` : "None failed. "}
                {numbers.half !== null && `Median ${time(numbers.half)}, 95th percentile ${time(numbers.most)}.`}
              </Vital>
              <Vital title="Cache hit rate" value={share(numbers.hits, numbers.misses)} tone="plain">
                {numbers.hits + numbers.misses === 0
                  ? "No stored prompt has been requested yet."
                  : "of requests for stored prompts; the others were read from the store."}
              </Vital>
              <Vital title="Store errors" value={numbers.storeErrors.toLocaleString("en")} tone={numbers.storeErrors > 0 ? "warning" : "plain"}>
                Failed store operations since the start.
              </Vital>
            </>
          )}
        </ul>
      )}
    </section>
  );
}

type Tone = "good" | "bad" | "warning" | "plain";

function Vital({ title, value, tone, children }: { title: string; value: string; tone: Tone; children: ComponentChildren }) {
  return (
    <li class={`vital ${tone}`}>
      <h2>{title}</h2>
      <p class="vital-value">
        {tone === "good" && <Icon name="check" size={18} />}
        {(tone === "bad" || tone === "warning") && <Icon name="warning" size={18} />}
        {value}
      </p>
      <p class="soft small">{children}</p>
    </li>
  );
}

function verdict({ alive, ready }: { alive: boolean; ready: boolean }): string {
  if (!alive) return "The service is not responding.";
  return ready ? "Service and store are up." : "The store is unavailable; the service reconnects automatically.";
}

function away(degraded: boolean, trouble: string): string {
  const meanwhile = degraded ? " New prompts cannot be stored; the editor shows the built-in default, read-only." : "";
  return `${trouble}${meanwhile}`;
}

function since(startedAt: number | null): string {
  if (startedAt === null) return "";
  const minutes = Math.max(0, Math.round((Date.now() / 1000 - startedAt) / 60));
  if (minutes < 1) return ", just started";
  if (minutes < 120) return `, up for ${amount(minutes, "minute")}`;
  const hours = Math.round(minutes / 60);
  return `, up for ${hours < 48 ? amount(hours, "hour") : amount(Math.round(hours / 24), "day")}`;
}

const OUTCOMES: [string, string][] = [
  ["created", "on a first turn"],
  ["compacted", "at a compaction"],
  ["refreshed", "by a refresh"],
  ["raced", "built concurrently and discarded"],
  ["failed", "failed"],
];

const total = (built: Record<string, number>): number => (built.created ?? 0) + (built.compacted ?? 0) + (built.refreshed ?? 0);

function outcomes(built: Record<string, number>): string {
  const parts = OUTCOMES.filter(([name]) => built[name]).map(([name, words]) => `${built[name]!.toLocaleString("en")} ${words}`);
  return parts.length > 0 ? `${parts.join(", ")}.` : "None since the start.";
}

function share(hits: number, misses: number): string {
  return hits + misses === 0 ? "–" : `${Math.round((100 * hits) / (hits + misses))} %`;
}

function time(seconds: number | null): string {
  if (seconds === null) return "–";
  if (seconds === Infinity) return "more than 8 s";
  return seconds < 1 ? `${Number((seconds * 1000).toPrecision(2))} ms` : `${seconds} s`;
}
