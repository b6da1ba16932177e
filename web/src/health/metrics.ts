// Some metrics of the service, read from the Prometheus text format.

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Numbers {
  version: string;
  startedAt: number | null;
  requests: number;
  /** Responses with a 5xx status. */
  failed: number;
  inFlight: number;
  /** The median and the 95th percentile of response times in seconds; null without requests. */
  half: number | null;
  most: number | null;
  /** The number of built prompts by outcome. */
  built: Record<string, number>;
  /** Hits and misses of the prompt cache. */
  hits: number;
  misses: number;
  storeErrors: number;
}

/** Reads the metrics that the page shows; missing ones are 0 or null. */
export function numbers(text: string): Numbers {
  const samples = parsed(text);
  const sum = (name: string, fits: (labels: Sample["labels"]) => boolean = () => true) =>
    samples.reduce((total, one) => (one.name === name && fits(one.labels) ? total + one.value : total), 0);
  const one = (name: string) => samples.find((sample) => sample.name === name);
  const built: Record<string, number> = {};
  for (const { name, labels, value } of samples) {
    if (name === "preface_constructs_total") built[(labels.outcome ?? "").toLowerCase()] = value;
  }
  const buckets = bucketsOf(samples);
  return {
    version: one("preface_build_info")?.labels.version ?? "",
    startedAt: one("process_start_time_seconds")?.value ?? null,
    requests: sum("http_requests_total"),
    failed: sum("http_requests_total", ({ status }) => status?.startsWith("5") === true),
    inFlight: sum("http_requests_in_flight"),
    half: quantile(buckets, 0.5),
    most: quantile(buckets, 0.95),
    built,
    hits: sum("preface_conversation_cache_total", ({ answer }) => answer?.toLowerCase() === "hit"),
    misses: sum("preface_conversation_cache_total", ({ answer }) => answer?.toLowerCase() === "miss"),
    storeErrors: sum("preface_store_errors_total"),
  };
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

function parsed(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const found = LINE.exec(line);
    if (!found || line.startsWith("#")) continue;
    const labels = Object.fromEntries([...(found[2] ?? "").matchAll(LABEL)].map(([, name, value]) => [name!, value!]));
    samples.push({ name: found[1]!, labels, value: Number(found[3]) });
  }
  return samples;
}

/** The cumulative buckets of all routes. */
function bucketsOf(samples: readonly Sample[]): [number, number][] {
  const within = new Map<number, number>();
  for (const { name, labels, value } of samples) {
    if (name !== "http_request_duration_seconds_bucket") continue;
    const le = labels.le === "+Inf" ? Infinity : Number(labels.le);
    within.set(le, (within.get(le) ?? 0) + value);
  }
  return [...within].sort(([a], [b]) => a - b);
}

function quantile(buckets: readonly [number, number][], share: number): number | null {
  const all = buckets.at(-1)?.[1] ?? 0;
  return all === 0 ? null : (buckets.find(([, count]) => count >= all * share)?.[0] ?? null);
}
