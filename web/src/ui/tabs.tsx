// Tabs: arrow keys go along them, and the chosen one is the only one that Tab stops at.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

export interface Tab<Id extends string> {
  id: Id;
  label: string;
  /** A small number or mark beside the label. */
  badge?: string | undefined;
}

interface TabsProps<Id extends string> {
  /** What the tabs are about; also makes their ids, so no two on a page may have the same. */
  label: string;
  tabs: readonly Tab<Id>[];
  current: Id;
  onChange: (id: Id) => void;
}

const slug = (label: string, id: string): string => `${label.toLowerCase().replace(/[^a-z]+/g, "-")}-${id}`;

export function Tabs<Id extends string>({ label, tabs, current, onChange }: TabsProps<Id>) {
  const bar = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChange(next.id);
    bar.current?.querySelector<HTMLElement>(`#${CSS.escape(`tab-${slug(label, next.id)}`)}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={bar} onKeyDown={onKeyDown}>
      {tabs.map(({ id, label: name, badge }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${slug(label, id)}`}
          aria-controls={`panel-${slug(label, id)}`}
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChange(id)}
        >
          {name}
          {badge && <span class="badge">{badge}</span>}
        </button>
      ))}
    </div>
  );
}

/** What belongs to a tab. `label` is that of its `Tabs`. Hidden panels keep their state. */
export function TabPanel({ label, id, current, children }: { label: string; id: string; current: string; children: ComponentChildren }) {
  return (
    <div class="tab-panel" role="tabpanel" id={`panel-${slug(label, id)}`} aria-labelledby={`tab-${slug(label, id)}`} hidden={id !== current}>
      {children}
    </div>
  );
}
