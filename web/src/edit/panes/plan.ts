// The note and the labels that a review gives to the version it saves. A save that meets a conflict keeps them for the version that resolves it.
import { forgetField } from "../../ui/kept-field";
import { escaped } from "../../shown";
import type { Plan, Session } from "../session";
import { labelsOf, setLabel } from "./labels";

export const noteField = (name: string): string => `note:${name}`;
export const labelsField = (name: string): string => `labels:${name}`;

/** Saves with `save`, then sets the labels of the plan on the new version. What could not be used is there for the next save. */
export async function saveWith(session: Session, plan: Plan | null, save: (note: string) => Promise<boolean>): Promise<void> {
  session.plan = plan;
  const saved = await save(plan?.note ?? "");
  if (!saved) return void (session.plan = plan);
  session.plan = null;
  if (!plan) return;
  forgetField(noteField(session.name));
  const { version } = session.base.peek()!;
  const done = await Promise.all(plan.labels.map((label) => setLabel(session.name, label, version)));
  if (done.every(Boolean)) forgetField(labelsField(session.name));
}

/** Returns which labels move to the new version, and which it gets; empty for none. */
export function moves(name: string, labels: readonly string[]): string {
  const known = labelsOf(name);
  const words = labels.map((label) => {
    const on = known.find((one) => one.label === label);
    return on ? `${escaped(label)} moves from version ${on.version} to the new version.` : `${escaped(label)} is set on the new version.`;
  });
  return words.join(" ");
}
