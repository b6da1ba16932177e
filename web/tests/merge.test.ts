// The three-way merge of lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { merge } from "../src/edit/merge";

test("changes of different lines are merged, also of neighbouring ones", () => {
  assert.deepEqual(merge("1\n2\n3\n", "1\n2\n3\nmine", "theirs\n2\n3\n"), { text: "theirs\n2\n3\nmine", overlaps: 0 });
  assert.deepEqual(merge("1\n2\n3\n", "1\nmine\n3\n", "theirs\n2\n3\n"), { text: "theirs\nmine\n3\n", overlaps: 0 });
  assert.deepEqual(merge("1\n2\n3\n4\n", "2\n3\n4\n", "1\n2\n3\n"), { text: "2\n3\n", overlaps: 0 });
});

test("where both changed the same lines, both variants are there, theirs first", () => {
  assert.deepEqual(merge("1\n2\n3\n", "1\nmine\n3\n", "1\ntheirs\n3\n"), { text: "1\ntheirs\nmine\n3\n", overlaps: 1 });
  assert.deepEqual(merge("1\n2\n", "1\nmine\n2\n", "1\ntheirs\n2\n"), { text: "1\ntheirs\nmine\n2\n", overlaps: 1 });
  assert.deepEqual(merge("1\n2\n3\n", "1\n3\n", "1\n2, theirs\n3\n"), { text: "1\n2, theirs\n3\n", overlaps: 1 }, "a line that one deleted and the other changed stays");
});

test("what both changed alike is there once, and a merge can be merged again", () => {
  assert.deepEqual(merge("1\n2\n", "1\nsame\n", "1\nsame\n"), { text: "1\nsame\n", overlaps: 0 });
  const once = merge("1\n2\n3", "1\nmine\n3", "1\ntheirs\n3").text;
  assert.deepEqual(merge("1\n2\n3", once, "1\ntheirs\n3"), { text: once, overlaps: 0 });
});

test("a change of one side that reaches over several of the other is one place", () => {
  assert.deepEqual(merge("1\n2\n3\n4\n5", "1\nA\n5", "1\nx\n3\ny\n5"), { text: "1\nx\n3\ny\nA\n5", overlaps: 1 });
});

test("line ends and the end of the text are kept", () => {
  assert.deepEqual(merge("a\r\nb\r\nc", "a\r\nb\r\nc\n", "A\r\nb\r\nc"), { text: "A\r\nb\r\nc\n", overlaps: 0 });
});

test("no line is lost in random merges", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 300; round++) {
    const base = Array.from({ length: 12 }, () => String(random(6)));
    const edit = (who: string) => base.flatMap((line, at) => [[line], [line], [], [`${who}${at}`], [line, `${who}${at}`]][random(5)]!);
    const [mine, theirs] = [edit("m"), edit("t")];
    const { text } = merge(base.join("\n"), mine.join("\n"), theirs.join("\n"));
    const lines = new Set(text.split("\n"));
    for (const line of [...mine, ...theirs].filter((one) => /[mt]/.test(one))) assert.ok(lines.has(line), `${line} of ${base} / ${mine} / ${theirs}`);
  }
});
