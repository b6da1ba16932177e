// A published MCP client uses `preface mcp serve`.
//
//     node story.js PREFACE ROOT

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

const [preface, root] = process.argv.slice(2);
const report = (what) => console.log(`TypeScript: ${what}`);

/** What `preface build` prints, on the day that the text names. */
function built(preset, cwd, text) {
  const day = text.match(/20\d\d-\d\d-\d\d/)?.[0];
  const now = day ? ["--now", `${day}T12:00:00Z`, "--tz", "UTC"] : [];
  return execFileSync(preface, ["build", "--quiet", "--preset", preset, ...now], { cwd, encoding: "utf8" });
}

const transport = new StdioClientTransport({
  command: preface,
  args: ["mcp", "serve"],
  cwd: root,
  env: { HOME: process.env.HOME, PATH: process.env.PATH, TZ: "UTC" },
});
const client = new Client({ name: "story", version: "1" });
const troubles = [];
client.onerror = (error) => troubles.push(error);
await client.connect(transport);
assert.equal(client.getServerVersion().name, "preface");
assert.match(client.getInstructions(), /explain/);

const { prompts } = await client.listPrompts();
assert.deepEqual(prompts.map((prompt) => prompt.name), ["additions", "claude-code", "default", "pi", "stud", "template"]);
for (const name of ["claude-code", "default", "template"]) {
  for (const [directory, cwd] of [[undefined, root], ["api", `${root}/api`]]) {
    const { messages } = await client.getPrompt({ name, arguments: directory ? { directory } : {} });
    assert.equal(messages.length, 1);
    assert.equal(messages[0].role, "user");
    const { text } = messages[0].content;
    assert.equal(text, built(name, cwd, text));
  }
}
report(`listed ${prompts.length} prompts, and got what \`preface build\` prints`);

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), ["build", "explain", "lint"]);
for (const { name, annotations } of tools) {
  assert.equal(annotations.readOnlyHint, true);
  // The client holds the answer against the tool's output schema.
  const answer = await client.callTool({ name, arguments: { directory: root, preset: "default" } });
  assert.ok(!answer.isError, JSON.stringify(answer));
  const { structuredContent, content } = answer;
  if (name === "build") {
    assert.equal(content[0].text, structuredContent.text);
    assert.ok(structuredContent.diagnostics.some((note) => note.code === "trust/untrusted" && note.help));
  } else {
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  }
}
const refused = await client.callTool({ name: "lint", arguments: { directory: "/" } });
assert.ok(refused.isError && refused.content[0].text.includes("help: "));
await assert.rejects(client.getPrompt({ name: "defalt" }), /did you mean `default`\?/);
// Many at once, each with an answer of its own.
const many = await Promise.all(prompts.map(({ name }) => client.getPrompt({ name })));
assert.equal(many.length, prompts.length);
report(`called ${tools.map((tool) => tool.name).join(", ")}, and was refused what lies outside`);

await client.close();
assert.deepEqual(troubles, []);
