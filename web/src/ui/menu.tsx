// A button that opens a list of actions. Escape and leaving it close it.
import { useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon";

export interface MenuItem {
  what: string;
  run: () => void;
}

export function Menu({ label, icon, items, class: name }: { label: string; icon: IconName; items: readonly MenuItem[]; class?: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (back: boolean) => {
    if (!menu.current?.open) return;
    menu.current.open = false;
    if (back) menu.current.querySelector("summary")!.focus();
  };
  return (
    <details
      ref={menu}
      class={name ? `menu ${name}` : "menu"}
      onFocusOut={({ relatedTarget }) => !menu.current!.contains(relatedTarget as Node | null) && close(false)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !menu.current?.open) return;
        event.preventDefault();
        close(true);
      }}
    >
      <summary class="icon-button" aria-label={label} title={label}>
        <Icon name={icon} size={icon === "down" ? 15 : 18} />
      </summary>
      <ul>
        {items.map(({ what, run }) => (
          <li key={what}>
            <button type="button" onClick={() => (close(true), run())}>
              {what}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
