// The page of the template: a text field, a button for each variable, a preview. Everything that is shown is inserted as
// text, never as markup: file contents and branch names are whoever wrote them.
"use strict";

const $ = (id) => document.getElementById(id);
const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;
const field = $("template");
const mac = /Mac|iPhone|iPad/.test(navigator.platform);

/** What is stored, as far as this page knows. */
const stored = { text: "", tag: null, version: null };
let saving = false;

// ---- asking -----------------------------------------------------------------------------------------------------------

/** Asks the service. Throws what a person may read. */
async function ask(method, path, { body, tag, signal } = {}) {
  const headers = { "X-Preface-Token": meta("preface-token") };
  const access = sessionStorage.getItem("preface-access");
  if (access) headers.Authorization = `Bearer ${access}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (tag) headers["If-Match"] = tag;
  let response;
  try {
    response = await fetch(path, {
      method, headers, signal, cache: "no-store", body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The service does not answer. Is it still running?");
  }
  if (response.ok) return response;
  if (response.status === 401 && (await door())) return ask(method, path, { body, tag, signal });
  const problem = await response.json().catch(() => ({}));
  const error = new Error(sentence(problem.detail || `The service says ${response.status}`, problem.hint));
  error.status = response.status;
  error.problem = problem;
  throw error;
}

function sentence(text, hint) {
  const capital = (part) => part.charAt(0).toUpperCase() + part.slice(1).replace(/([.?!])?$/, (end) => end || ".");
  return hint ? `${capital(text)} ${capital(hint)}` : capital(text);
}

/** Asks for an access token; false where none is given. */
async function door() {
  await choose($("door"));
  const token = $("access").value.trim();
  $("access").value = "";
  if (token) sessionStorage.setItem("preface-access", token);
  return Boolean(token);
}

/** Shows a dialog and returns the button that closed it. */
function choose(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue), { once: true }));
}

// ---- telling ----------------------------------------------------------------------------------------------------------

function tell(text, kind = "") {
  $("status").replaceChildren(spoken("", text));
  $("status").className = kind;
}

/** Shows a text whose names stand in backticks. */
function spoken(className, text) {
  const element = make("span", className);
  text.split("`").forEach((part, at) => element.append(at % 2 ? make("code", "", part) : part));
  return element;
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const changed = () => field.value !== stored.text;

function showState() {
  const state = $("state");
  const version = stored.version === null ? "Not stored: the service cannot reach its store"
    : stored.version === 0 ? "Default template" : `Version ${stored.version}`;
  state.textContent = changed() ? `${version} · unsaved changes` : version;
  state.classList.toggle("changed", changed());
  $("save").disabled = saving || field.disabled || field.readOnly || !changed();
  $("reset").disabled = saving || field.disabled;
  document.title = `${changed() ? "• " : ""}System prompt – preface`;
}

// ---- reading and writing ----------------------------------------------------------------------------------------------

// A text field knows one kind of line end; a template keeps its own.
let lineEnd = "\n";
/** False where it has several kinds of line end, which the text field would make one. */
let keepsLineEnds = true;

function take(response, text) {
  lineEnd = /\r\n/.test(text) ? "\r\n" : "\n";
  keepsLineEnds = text.replace(/\r\n?/g, "\n").replace(/\n/g, lineEnd) === text;
  field.readOnly = !keepsLineEnds;
  stored.tag = response.headers.get("ETag");
  const version = response.headers.get("Preface-Version");
  stored.version = version === null ? null : Number(version);
}

function written() {
  return lineEnd === "\n" ? field.value : field.value.replace(/\n/g, lineEnd);
}

async function load() {
  const response = await ask("GET", "system-prompt");
  const { template } = await response.json();
  take(response, template);
  field.value = template;
  stored.text = field.value;
  field.disabled = false;
  if (response.headers.get("Preface-Degraded")) {
    tell("The store does not answer: this is the default template, and nothing can be saved.", "bad");
  } else if (!keepsLineEnds) {
    tell("This template has several kinds of line ends, which this page would change: it is read only here. The editor keeps them.", "bad");
  }
  showState();
  analyze();
}

async function save(over = false) {
  if (saving || field.disabled || field.readOnly || (!over && !changed())) return;
  saving = true;
  showState();
  tell("Saving…");
  const sent = field.value;
  try {
    const response = await ask("PUT", "system-prompt", { body: { template: written() }, tag: over ? null : stored.tag });
    take(response, (await response.json()).template);
    stored.text = sent;
    tell(`Saved as version ${stored.version}. New conversations start with it.`, "good");
  } catch (error) {
    if (error.status === 412) await settle(error);
    else tell(error.message, "bad");
  } finally {
    saving = false;
    showState();
  }
}

/** Somebody else saved. Nothing is lost without a choice. */
async function settle(error) {
  tell("Not saved: somebody else saved meanwhile.", "bad");
  const detail = sentence(error.problem.detail || "another version is current");
  $("conflict-text").replaceChildren(
    spoken("", `${detail} Every text that was saved stays in the list of versions.`),
  );
  const choice = await choose($("conflict"));
  saving = false;
  if (choice === "mine") await save(true);
  if (choice === "theirs") {
    await load();
    tell(`This is version ${stored.version}.`, "good");
  }
  field.focus();
}

async function reset() {
  if ((await choose($("sure"))) !== "yes") return;
  try {
    const response = await ask("DELETE", "system-prompt", { tag: stored.tag });
    const { template } = await response.json();
    field.readOnly = false;
    replace(0, field.value.length, template);
    take(response, template);
    stored.text = field.value;
    tell("New conversations start with the default template.", "good");
  } catch (error) {
    if (error.status === 412) await settle(error);
    else tell(error.message, "bad");
  }
  showState();
}

// ---- the text field ---------------------------------------------------------------------------------------------------

/** Puts a text in the place of another, so that undo brings it back. */
function replace(start, end, text) {
  field.focus();
  if (field.readOnly) return;
  field.setSelectionRange(start, end);
  const done = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (!done && start !== end + text.length) {
    field.setRangeText(text, start, end, "end");
    field.dispatchEvent(new Event("input"));
  }
}

/** Inserts a variable at the caret; within the head of an `if`, its key alone. */
function insert(key) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const inHead = /\[if\s+!?$/.test(value.slice(0, start)) && /^\s*\]/.test(value.slice(end));
  replace(start, end, inHead ? key : `[${key}]`);
  if (!inHead) return;
  // What the condition is about comes next.
  const close = field.value.indexOf("]", start) + 1;
  const [gap] = /^\n?…?/.exec(field.value.slice(close));
  field.setSelectionRange(close + (gap.startsWith("\n") ? 1 : 0), close + gap.length);
}

/** Puts a condition around the selection, and selects its key for the next button. */
function condition({ negated, otherwise }) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const head = `[if ${negated ? "!" : ""}`;
  const inner = value.slice(start, end) || "…";
  replace(start, end, `${head}type:name]\n${inner}\n${otherwise ? "[else]\n…\n" : ""}[endif]`);
  field.setSelectionRange(start + head.length, start + head.length + "type:name".length);
  $("about").textContent = "Now choose the variable that it asks for.";
}

/** Shows a range: selected, and scrolled to. */
function jump([start, end]) {
  field.focus();
  field.setSelectionRange(start, end);
  const lines = field.value.slice(0, start).split("\n").length - 1;
  field.scrollTop = Math.max(0, lines * parseFloat(getComputedStyle(field).lineHeight) - field.clientHeight / 3);
}

// ---- the buttons ------------------------------------------------------------------------------------------------------

const GROUPS = { system: "Machine", prompt: "Conversation", git: "Git", file: "File" };
/** How many of the catalogue stand in front: those of the language itself. */
const FIRST = 10;

function chip(label, about, code, act, word) {
  const button = make("button", word ? "chip word" : "chip", label);
  button.type = "button";
  const show = () => {
    $("about").replaceChildren(make("code", "", code), ` ${about}`);
  };
  button.title = about;
  button.addEventListener("pointerenter", show);
  button.addEventListener("focus", show);
  // The caret stays where it is.
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", act);
  return button;
}

function groups(variables) {
  const made = new Map();
  for (const one of variables) {
    if (!made.has(one.type)) {
      const group = make("div", "group");
      group.setAttribute("role", "group");
      const name = GROUPS[one.type] || one.type;
      group.setAttribute("aria-label", name);
      group.append(make("span", "name", name));
      made.set(one.type, group);
    }
    const key = `${one.type}:${one.name}`;
    const example = one.example && !one.dynamic ? `, such as ${one.example.trim()}` : "";
    const act = one.dynamic ? () => askName(one) : () => insert(key);
    const label = one.dynamic ? `${one.name.replace(/[<>]/g, "")}…` : one.name;
    made.get(one.type).append(chip(label, `${one.description}${example}`, `[${key}]`, act));
  }
  return [...made.values()];
}

let asked = null;

/** Asks for the name of a type of which any name is good. */
function askName(variable) {
  asked = variable;
  const file = variable.type === "file";
  document.querySelector('label[for="path"]').textContent =
    file ? "File, relative to the directory of the conversation" : `Name for ${variable.type}:`;
  $("path").placeholder = variable.example || "";
  $("file").hidden = false;
  $("path").focus();
}

function closeName() {
  $("file").hidden = true;
  $("path").value = "";
  field.focus();
}

async function showVariables() {
  const { variables } = await (await ask("GET", "system-prompt/variables")).json();
  const conditions = make("div", "group");
  conditions.setAttribute("role", "group");
  conditions.setAttribute("aria-label", "Conditions");
  conditions.append(
    make("span", "name", "If"),
    chip("exists", "Text that is there only if something exists", "[if …] … [endif]", () => condition({}), true),
    chip("is missing", "Text that is there only if something does not exist", "[if !…] … [endif]",
      () => condition({ negated: true }), true),
    chip("either or", "One text if something exists, another if not", "[if …] … [else] … [endif]",
      () => condition({ otherwise: true }), true),
  );
  const more = make("details");
  more.id = "more";
  const rest = make("div", "groups");
  rest.append(...groups(variables.slice(FIRST)));
  more.append(make("summary", "", "More variables"), rest);
  $("variables").replaceChildren(...groups(variables.slice(0, FIRST)), conditions);
  if (variables.length > FIRST) $("variables").append(more);
}

// ---- the preview ------------------------------------------------------------------------------------------------------

let timer = 0;
let running = null;

function analyzeSoon() {
  clearTimeout(timer);
  timer = setTimeout(analyze, 250);
}

async function analyze() {
  clearTimeout(timer);
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const body = { template: field.value };
  if ($("cwd").value.trim()) body.cwd = $("cwd").value.trim();
  if ($("model").value.trim()) body.model = $("model").value.trim();
  $("preview").classList.add("stale");
  try {
    const analysis = await (await askAnalysis(body, signal)).json();
    showPreview(analysis);
    showNotes(analysis.diagnostics, analysis.left.diagnostics);
    showValues(analysis.variables);
    $("preview").classList.remove("stale");
  } catch (error) {
    if (error.name !== "AbortError") trouble(error.message);
  }
}

/** Asks for the analysis; where the directory is refused, for one without a directory. */
async function askAnalysis(body, signal) {
  try {
    const response = await ask("POST", "system-prompt/analyze", { body, signal });
    trouble("");
    return response;
  } catch (error) {
    if (!body.cwd || !String(error.problem?.code).startsWith("cwd")) throw error;
    trouble(`${error.message} This preview is of no directory.`);
    return ask("POST", "system-prompt/analyze", { body: { ...body, cwd: undefined }, signal });
  }
}

function trouble(text) {
  $("trouble").replaceChildren(spoken("", text));
  $("trouble").hidden = !text;
}

const amount = (count, one, many) => `${count.toLocaleString()} ${count === 1 ? one : many}`;

function showPreview({ preview, left }) {
  const box = $("preview");
  box.replaceChildren();
  if (!preview) {
    $("count").textContent = "";
    box.append(make("span", "nothing", "There is no preview: the findings say why."));
    return;
  }
  $("count").textContent =
    `${amount(preview.bytes, "byte", "bytes")}, about ${amount(preview.tokens, "token", "tokens")}`;
  if (!preview.text) {
    box.append(make("span", "nothing", "Empty: no system prompt is sent."));
    return;
  }
  let end = 0;
  for (const { utf16, origin } of preview.spans) {
    const text = preview.text.slice(...utf16);
    end = utf16[1];
    if (origin.kind === "variable") {
      const mark = make("mark", "", text);
      mark.title = `[${origin.key}] – ${origin.source}`;
      box.append(mark);
    } else {
      box.append(text);
    }
  }
  if (left.spans) box.append(preview.text.slice(end));
}

function showNotes(notes, left) {
  const list = $("notes");
  list.replaceChildren();
  for (const note of notes) {
    const item = make("li");
    const to = make("button", "jump");
    to.type = "button";
    to.append(
      make("span", `severity ${note.severity}`, note.severity),
      make("span", "at", `${note.line}:${note.column}`),
      spoken("what", sentence(note.message, note.help)),
    );
    to.addEventListener("click", () => jump(note.utf16));
    item.append(to);
    if (note.edit) {
      const fix = make("button", "fix", "Fix");
      fix.type = "button";
      fix.title = `Write ${note.edit.replacement}`;
      fix.addEventListener("click", () => replace(...note.edit.utf16, note.edit.replacement));
      item.append(fix);
    }
    list.append(item);
  }
  if (left) list.append(make("li", "none", `and ${left.toLocaleString()} more`));
  if (!notes.length) list.append(make("li", "none", "Nothing to say about this template."));
  $("notes-title").textContent = notes.length ? `Findings (${notes.length + left})` : "Findings";
}

const LASTS = { static: "always the same", conversation: "fixed for a conversation", turn: "changes with every build" };

function showValues(variables) {
  const list = $("values");
  list.replaceChildren();
  for (const one of variables) {
    const item = make("li");
    const absent = one.exists === null ? "not asked for" : one.source || "does not exist";
    const value = one.exists
      ? make("span", "value", one.value === "" ? "(empty)" : one.value.replace(/\s+/g, " "))
      : make("span", "value absent", absent);
    item.append(make("code", "", one.key), value, make("span", "lasts", (one.registered && LASTS[one.stability]) || ""));
    list.append(item);
  }
  $("values-count").textContent = `(${variables.length})`;
  $("values-box").hidden = !variables.length;
}

// ---- beginning --------------------------------------------------------------------------------------------------------

field.addEventListener("input", () => {
  if ($("status").className === "good") tell("");
  showState();
  analyzeSoon();
});
$("cwd").value = meta("preface-root");
for (const id of ["cwd", "model"]) $(id).addEventListener("input", analyzeSoon);
$("save").addEventListener("click", () => save());
$("reset").addEventListener("click", reset);
$("file").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = $("path").value.trim();
  closeName();
  if (name) insert(`${asked.type}:${name}`);
});
$("file-close").addEventListener("click", closeName);
$("file").addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeName();
});
document.addEventListener("keydown", (event) => {
  if ((mac ? event.metaKey : event.ctrlKey) && !event.altKey && event.key.toLowerCase() === "s") {
    event.preventDefault();
    save();
  }
});
addEventListener("beforeunload", (event) => {
  if (changed()) event.preventDefault();
});
if (mac) $("save-key").textContent = "⌘ S";
$("values-box").open = innerHeight > 800;

showVariables().catch((error) => tell(error.message, "bad"));
load().catch((error) => tell(error.message, "bad"));
