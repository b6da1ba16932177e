// The service sends differences; the page makes both texts of them again, to the byte.
import assert from "node:assert/strict";
import { after, before as first, test } from "node:test";
import type { components } from "../src/api/schema";
import { patched } from "../src/conversations/patch";
import { before } from "../src/versions/undo-hunks";
import { send } from "./screens";
import { startService, type Service } from "./service";

const lines = (count: number, change: (at: number) => string | null = () => null) =>
  Array.from({ length: count }, (_, at) => change(at) ?? `line ${at}`).join("\n");

/** From one to the next, and back round: ends without a line end, nothing at all, lines that look like a difference. */
const TEXTS = [
  "",
  "a",
  "a\n",
  "\n\n",
  "a\r\nb\rc\u2028d\n",
  "-a\n+b\n\\ No newline at end of file\n@@ -1 +1 @@\n",
  "@@ -1 +1 @@",
  lines(60),
  lines(60, (at) => (at % 17 === 3 ? "other" : null)),
  `ahead\n${lines(60)}\nbehind`,
  lines(60, (at) => (at > 20 && at < 40 ? "" : null)),
];

let service: Service;
first(async () => {
  service = await startService();
});
after(() => service?.end());

test("from a version and its hunks comes the text before", async () => {
  for (const text of TEXTS) await service.put("texts", text);
  const last = TEXTS.length;
  for (let from = 1; from <= last; from++) {
    for (const to of [from % last + 1, last - from + 1]) {
      const { hunks } = (await send(service, "GET", `/templates/texts/diff?from=${from}&to=${to}`)) as components["schemas"]["Diff"];
      assert.equal(before(TEXTS[to - 1]!, hunks), TEXTS[from - 1], `${from} to ${to}`);
    }
  }
});

test("from a prompt and the difference of a refresh comes the text after", async () => {
  for (const [at, text] of TEXTS.entries()) await service.put(`t${at}`, text);
  for (const [at, text] of TEXTS.entries()) {
    await send(service, "POST", `/conversations/c${at}/turns`, { options: { directory: service.root, template: `t${at}` } });
    for (const [to, other] of TEXTS.entries()) {
      const body = { options: { template: `t${to}` } };
      const { difference } = (await send(service, "POST", `/conversations/c${at}/refresh?dry_run=true`, body)) as components["schemas"]["RefreshReply"];
      assert.equal(patched(text, difference.text), other, `${at} to ${to}: ${difference.text}`);
    }
  }
});

test("a difference of another text is refused", () => {
  assert.equal(patched("b\n", "@@ -1 +1 @@\n-a\n+c\n"), null);
  assert.equal(patched("b\n", "@@ nonsense"), "b\n");
});
