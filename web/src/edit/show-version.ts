// Puts the text of an earlier version into the editor, as a change that is not saved.
import { request } from "../api/client";
import { messageOf } from "../api/problem";
import { turnInto } from "../route";
import { notify } from "../ui/toast";
import { inField, session } from "./desk";
import { documentOf } from "./text/editor";

export async function showVersion(name: string, at: string): Promise<void> {
  // It is done once: a reload shows the text as it was left.
  turnInto("edit", name, "");
  const version = Number(at);
  if (!Number.isInteger(version)) return notify(`No version of ${name} has this address.`, "bad");
  let text: string;
  try {
    text = (await request("get", "/templates/{name}/versions/{version}", { path: { name, version } })).data.template;
  } catch (error) {
    return notify(messageOf(error), "bad");
  }
  const put = () =>
    inField((field) => {
      if (session.peek()?.name !== name) return;
      field.dispatch({ changes: { from: 0, to: field.state.doc.length, insert: documentOf(text) }, userEvent: "input.replace" });
      field.focus();
      notify(`The editor has the text of version ${version}, not saved. Undo restores the text before.`, "plain");
    });
  inField(() => {
    const current = session.peek();
    if (current?.name !== name || current.text === text) return;
    if (!current.dirty.peek()) return put();
    notify("The editor has unsaved text.", "bad", { label: `Replace by version ${version}`, act: put });
  });
}
