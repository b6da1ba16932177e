// A list of any length of which only the rows in sight are on the page. One row is current; arrow keys move it, Enter opens it.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps<Item> {
  label: string;
  items: readonly Item[];
  /** Every row is this high, in pixels. */
  rowHeight: number;
  /** Which row is current; -1 for none. */
  current: number;
  onCurrent: (at: number) => void;
  /** Enter or a double click on the current row. */
  onOpen?: (item: Item) => void;
  row: (item: Item, at: number) => ComponentChildren;
  /** Called when the end comes near, for the next page. */
  onEnd?: () => void;
}

const AHEAD = 6;

export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, items, rowHeight, current, onCurrent, onOpen, row, onEnd } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  // A key may come before the move of the last one is drawn.
  const at = useRef(current);
  useLayoutEffect(() => void (at.current = current), [current, items]);
  const look = () => {
    const { scrollTop, clientHeight } = box.current!;
    setView({ top: scrollTop, height: clientHeight });
    if (onEnd && scrollTop + clientHeight > (items.length - AHEAD) * rowHeight) onEnd();
  };
  useLayoutEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, [items.length]);

  const start = Math.max(0, Math.floor(view.top / rowHeight) - AHEAD);
  const end = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + AHEAD);
  const id = (at: number) => `${label.toLowerCase().replace(/[^a-z]+/g, "-")}-row-${at}`;

  const to = (wanted: number) => {
    const next = Math.min(Math.max(wanted, 0), items.length - 1);
    if (next < 0) return;
    at.current = next;
    onCurrent(next);
    const { scrollTop, clientHeight } = box.current!;
    if (next * rowHeight < scrollTop) box.current!.scrollTop = next * rowHeight;
    else if ((next + 1) * rowHeight > scrollTop + clientHeight) box.current!.scrollTop = (next + 1) * rowHeight - clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: at.current + 1,
      ArrowUp: at.current - 1,
      PageDown: at.current + page,
      PageUp: at.current - page,
      Home: 0,
      End: items.length - 1,
    };
    const item = items[at.current];
    if (event.key in moves) to(moves[event.key]!);
    else if (event.key === "Enter" && item !== undefined) onOpen?.(item);
    else return;
    event.preventDefault();
  };

  return (
    <div
      class="virtual-list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      ref={box}
      aria-activedescendant={current >= start && current < end ? id(current) : undefined}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" class="virtual-all" style={{ height: `${items.length * rowHeight}px` }}>
        {items.slice(start, end).map((item, near) => {
          const at = start + near;
          return (
            <div
              key={at}
              id={id(at)}
              role="option"
              aria-selected={at === current}
              aria-posinset={at + 1}
              aria-setsize={items.length}
              class="virtual-row"
              style={{ top: `${at * rowHeight}px`, height: `${rowHeight}px` }}
              onClick={() => onCurrent(at)}
              onDblClick={() => onOpen?.(item)}
            >
              {row(item, at)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
