// Each change between two built prompts has its reason: what the service attributes the differing bytes to.
import { Chunk } from "@codemirror/merge";
import { Text } from "@codemirror/state";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Analysis } from "../src/api/types";
import { pack } from "../src/edit/analysis/pack";
import { reasonsOf, type Built, type Reason } from "../src/versions/reasons";
import { send } from "./screens";
import { startService, write, type Service } from "./service";

let service: Service;
before(async () => {
  service = await startService();
  await write(service.root, "a/rules.md", "Be brief.\n");
  await write(service.root, "b/rules.md", "Be brief.\nBe kind.\n");
  await write(service.root, "b/extra.md", "More.\n");
});
after(() => service?.end());

async function build(template: string, inputs: object = {}): Promise<Built> {
  const body = { template, options: { directory: `${service.root}/a`, now: "2031-02-03T09:30:00Z", ...inputs } };
  const packed = pack((await send(service, "POST", "/system-prompt/analyze", body)) as unknown as Analysis, template);
  return { name: "a version", template, packed, preview: packed.preview! };
}

/** The reasons of each change, in short. */
async function reasons(from: Built, to: Built): Promise<string[][]> {
  const document = ({ preview }: Built) => Text.of(preview.text.split("\n"));
  const find = reasonsOf(from, to);
  return Chunk.build(document(from), document(to)).map((change) => find(change).map(words));
}

function words(reason: Reason): string {
  switch (reason.kind) {
    case "variable":
      return `${reason.key}: ${reason.from.value} -> ${reason.to.value}`;
    case "condition":
      return `if ${reason.negated ? "!" : ""}${reason.key}: ${reason.from} -> ${reason.to}`;
    case "template":
      return `template: ${reason.from?.join("-") ?? "none"} -> ${reason.to?.join("-") ?? "none"}`;
    case "profile":
      return reason.name;
  }
}

const far = "\nthe same\n\n\nthe same\n\n";

test("a file, a value and a condition that differ between two directories", async () => {
  const template = `In [prompt:cwd].${far}[file:rules.md]${far}[if file:extra.md]There is more: [file:extra.md][else]There is no more.[endif]`;
  const found = await reasons(await build(template), await build(template, { directory: `${service.root}/b` }));
  assert.deepEqual(found, [
    [`prompt:cwd: ${service.root}/a -> ${service.root}/b`],
    ["file:rules.md: Be brief.\n -> Be brief.\nBe kind.\n"],
    ["if file:extra.md: false -> true"],
  ]);
});

test("two models, one of which is not named", async () => {
  const template = "You are [prompt:model].[if !prompt:model] Nobody.[endif]";
  const found = await reasons(await build(template, { model: "one" }), await build(template, { model: "two" }));
  assert.deepEqual(found, [["prompt:model: one -> two"]]);
  const none = await reasons(await build(template, { model: "one" }), await build(template));
  assert.deepEqual(none, [["prompt:model: one -> null", "if !prompt:model: false -> true"]]);
});

test("a template that differs is the reason, with its lines", async () => {
  const found = await reasons(await build(`first\n${far}second\n`), await build(`first\nadded [file:rules.md]${far}changed\n`));
  assert.deepEqual(found.flat().every((one) => one.startsWith("template: ")), true, JSON.stringify(found));
  assert.match(found[0]![0]!, /^template: none -> 2-2$/);
});

test("what both templates have is no reason, where a value differs beside a change of the template", async () => {
  const found = await reasons(
    await build(`Model [prompt:model].${far}one\n`, { model: "x" }),
    await build(`Model [prompt:model].${far}two\n`, { model: "y" }),
  );
  assert.deepEqual(found[0], ["prompt:model: x -> y"]);
  assert.match(found[1]!.join(), /^template: /);
});

test("a long value that differs behind what the analysis shows of it", async () => {
  const long = "x".repeat(9_000);
  const template = "[git:branch]";
  const found = await reasons(
    await build(template, { variables: { "git:branch": `${long}a` } }),
    await build(template, { variables: { "git:branch": `${long}b` } }),
  );
  assert.equal(found.length, 1);
  assert.match(found[0]![0]!, /^git:branch: /);
});

test("the outer of two conditions is the reason", async () => {
  const template = "[if file:extra.md][if git:branch]inner[else]other[endif][endif]";
  const found = await reasons(await build(template), await build(template, { directory: `${service.root}/b` }));
  assert.deepEqual(found, [["if file:extra.md: false -> true"]]);
});

test("equal prompts have no changes", async () => {
  const built = await build("[file:rules.md]");
  assert.deepEqual(await reasons(built, built), []);
});
