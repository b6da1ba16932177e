// The story of a template and a conversation, through `openapi-fetch` and the types of the service's own description.
//
//     node story.js URL ROOT
//
// The compiler holds every field that is named here to the description, and the asserts every answer to the story.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./preface.js";

type Problem = components["schemas"]["Problem"];
type Origin = components["schemas"]["Origin"];

const [url, root] = process.argv.slice(2);
assert(url !== undefined && root !== undefined, "story URL ROOT");
const client = createClient<paths>({ baseUrl: url });

function report(what: string): void {
  console.log(`TypeScript: ${what}`);
}

function tagOf(response: Response): string {
  const tag = response.headers.get("ETag");
  assert(tag !== null, "the answer has a tag");
  return tag;
}

function origins(all: readonly Origin[]): string[] {
  return all.map((origin) => {
    switch (origin.kind) {
      case "source":
        return `${origin.scope} ${origin.path}`;
      case "variable":
        return origin.key;
      case "stored":
        return `${origin.template}@${origin.version ?? 0}`;
      case "literal":
        return origin.key;
      case "caller":
        return origin.flag;
      case "hook":
        return origin.hook;
    }
  });
}

// The template.
const first = await client.GET("/system-prompt");
assert(first.data);
assert(first.data.template.includes("[prompt:cwd]"));
assert.equal(first.response.headers.get("Preface-Version"), "0");
const known = tagOf(first.response);
const again = await client.GET("/system-prompt", { params: { header: { "If-None-Match": known } } });
assert.equal(again.response.status, 304);
report("read the default template");

const text = "In [prompt:cwd] for [prompt:model].";
const put = await client.PUT("/system-prompt", {
  params: { header: { "If-Match": known } },
  body: { template: text, note: "shorter" },
});
assert.equal(put.data?.template, text);
assert.equal(put.response.headers.get("Preface-Version"), "1");
const stale = await client.PUT("/system-prompt", {
  params: { header: { "If-Match": known } },
  body: { template: "lost" },
});
assert.equal(stale.response.status, 412);
assert(stale.error);
const problem: Problem = stale.error;
assert.equal(problem.type, "urn:preface:problem:stale");
assert.equal(problem.request_id, stale.response.headers.get("X-Request-Id"));
report("wrote one with If-Match; an older tag is answered 412 with a problem document");

const variables = await client.GET("/system-prompt/variables", { params: { query: { cwd: root } } });
assert(variables.data);
assert.deepEqual(
  variables.data.variables.slice(0, 2).map(({ type, name }) => `${type}:${name}`),
  ["system:time", "system:date"],
);
const cwd = variables.data.variables.find(({ type, name }) => type === "prompt" && name === "cwd");
assert.deepEqual([cwd?.value, cwd?.stability], [root, "conversation"]);
report("listed the variables");

const analysis = await client.POST("/system-prompt/analyze", { body: { template: "[if prompt:model]a[endif]" } });
assert.deepEqual(analysis.data?.tokens.map(({ kind }) => kind), ["if", "text", "endif"]);
report("analyzed a template");

// The conversation.
const path = { id: "story/1 ü" };
const turn = await client.POST("/conversations/{id}/turns", { params: { path }, body: { options: { directory: root, model: "m-1" } } });
assert.equal(turn.response.status, 201);
assert.equal(turn.data?.system_prompt, `In ${root} for m-1.`);
assert.deepEqual([turn.data.constructed, turn.data.revision, turn.data.reason], [true, 1, "first-turn"]);
const later = await client.POST("/conversations/{id}/turns", { params: { path } });
assert.equal(later.response.status, 200);
assert.equal(later.data?.system_prompt, turn.data.system_prompt);
assert.equal(later.data.constructed, false);
report("a first turn (201), and a later one (200) with the same bytes");

const compacted = await client.POST("/conversations/{id}/compactions", {
  params: { path },
  body: { instructions: "Sum it up." },
});
assert(compacted.data?.system_prompt);
assert(compacted.data.system_prompt.startsWith(`In ${root} for m-1.`));
assert(compacted.data.system_prompt.endsWith("Sum it up."));
assert.deepEqual([compacted.data.revision, compacted.data.reason], [2, "compaction"]);
report("a compaction");

const explained = await client.GET("/conversations/{id}/explain", { params: { path } });
assert(explained.data);
const document = explained.data.document;
assert.equal(document.text, `In ${root} for m-1.`);
const found = document.parts.flatMap((part) => origins(part.origins));
assert(found.includes("prompt:cwd") && found.includes("main@1"), String(found));
assert(explained.data.variables.some(({ variable, exists }) => variable === "prompt:model" && exists));
report("explained where it came from");

const state = tagOf(explained.response);
const refreshed = await client.POST("/conversations/{id}/refresh", {
  params: { path, query: { dry_run: false }, header: { "If-Match": state } },
  body: { options: { model: "m-2" } },
});
assert(refreshed.data);
const { difference } = refreshed.data;
assert.equal(difference.same, false);
assert.equal(difference.parts[0]?.change, "changed");
assert.equal(difference.first_difference?.offset, `In ${root} for m-`.length);
assert.equal(refreshed.data.revision, 3);
report("a refresh with the difference");

const late = await client.DELETE("/conversations/{id}", { params: { path, header: { "If-Match": state } } });
assert.equal(late.response.status, 412);
assert.equal(late.error?.code, "stale");
const gone = await client.DELETE("/conversations/{id}", { params: { path } });
assert.equal(gone.response.status, 204);
const unknown = await client.GET("/conversations/{id}/system-prompt", { params: { path } });
assert.equal(unknown.error?.code, "unknown-conversation");
report("forgot the conversation");
