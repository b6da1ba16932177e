// Numbers, sizes and times as people read them.

/** `1 byte`, `2 bytes`. */
export function amount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** `7 tokens`, or `about 7 tokens` of an estimate. */
export const tokenAmount = (count: number, exact: boolean): string => `${exact ? "" : "about "}${amount(count, "token")}`;

/** `812 B`, `4.1 KB`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, "KB"] : [bytes / 1_000_000, "MB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en")} ${unit}`;
}

/** `just now`, `5 minutes ago`, `yesterday`, then the day. */
export function ago(time: string, now = Date.now()): string {
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (seconds < 45) return "just now";
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (seconds < 3300) return format.format(-Math.max(1, Math.round(seconds / 60)), "minute");
  if (seconds < 79_200) return format.format(-Math.round(seconds / 3600), "hour");
  if (seconds < 6 * 86_400) return format.format(-Math.max(1, Math.round(seconds / 86_400)), "day");
  return new Intl.DateTimeFormat("en", { dateStyle: "medium" }).format(Date.parse(time));
}

/** The whole instant, in this machine's zone. */
export function instant(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? "" : new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" }).format(at);
}
