// The page's few pictures, drawn with lines so that they take the colour of the text around them.

const PATHS = {
  edit: "M4 20h4L19 9l-4-4L4 16v4M13 7l4 4",
  versions: "M12 7v5l3 2M4.5 12a7.5 7.5 0 1 0 2.2-5.3L4.5 9M4.5 4.5V9H9",
  conversations: "M5 5h14v10H11l-4 4v-4H5zM9 9h6M9 12h3",
  health: "M3 12h4l2.5-6 5 12 2.5-6h4",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4",
  dark: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  help: "M9.2 9.2a2.9 2.9 0 1 1 4.3 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.4M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18",
  search: "M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15 15l5 5",
  close: "M6 6l12 12M18 6L6 18",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  plus: "M12 5v14M5 12h14",
  print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z",
  check: "M5 12.5l4.5 4.5L19 7",
  warning: "M12 4L2.8 20h18.4zM12 10v5M12 17.4v.2",
  again: "M19 12a7 7 0 1 1-2.1-5L19 9M19 4.5V9h-4.5",
  copy: "M9 9h10v11H9zM5 15V4h10",
  commands: "M4 6h16v12H4zM7.5 10l2.5 2-2.5 2M12.5 14.5h4",
  more: "M12 5v.1M12 12v.1M12 19v.1",
  folder: "M3.5 6h6l2 2.5h9V19h-17z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
