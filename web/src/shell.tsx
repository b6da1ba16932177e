// The frame: the navigation bar and the current screen.
import { useEffect, useRef } from "preact/hooks";
import { wanted } from "./api/access";
import { AccessDialog } from "./access-dialog";
import EditScreen from "./edit/index";
import { isName } from "./edit/name";
import { unsaved } from "./edit/unsaved";
import { CommandDialogs, commandsShown, keysShown, mod } from "./keys";
import { lazy } from "./lazy";
import { NoTemplate } from "./no-template";
import { href, route, type Screen } from "./route";
import { nextTheme, theme } from "./theme";
import { IconButton } from "./ui/button";
import { Icon, type IconName } from "./ui/icon";
import { Paper } from "./ui/paper";
import { notify, Toasts } from "./ui/toast";

const SCREENS = {
  edit: EditScreen,
  versions: lazy(() => import("./versions/index")),
  conversations: lazy(() => import("./conversations/index")),
  health: lazy(() => import("./health/index")),
};

const NAV: readonly { screen: Screen & IconName; label: string }[] = [
  { screen: "edit", label: "Edit" },
  { screen: "versions", label: "Versions" },
  { screen: "conversations", label: "Conversations" },
  { screen: "health", label: "Status" },
];

const THEMES = { system: "system", light: "light", dark: "dark" };

export function Shell() {
  const { screen, name } = route.value;
  const Current = SCREENS[screen];
  const known = !ofTemplates(screen) || isName(name);
  const main = useRef<HTMLElement>(null);
  const opened = useRef(screen);
  const title = NAV.find((one) => one.screen === screen)!.label;
  useEffect(() => {
    document.title = `${unsaved.value.size > 0 ? "• " : ""}${title} – preface`;
  }, [title, unsaved.value]);
  useEffect(() => {
    if (route.value.lost) notify("No screen has this address. This is the editor.");
  }, [route.value]);
  useEffect(() => {
    // Keyboard and screen reader users start at the top of a new screen.
    if (opened.current !== screen) main.current?.focus();
    opened.current = screen;
  }, [screen]);

  return (
    <div class="shell">
      <a class="skip" href="#screen" onClick={(event) => (event.preventDefault(), skip(main.current))}>
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={href("edit", "main")}>
          <Brand />
          <span>preface</span>
        </a>
        <span class="spread" />
        <nav class="nav" aria-label="Screens">
          {NAV.map(({ screen: to, label }) => (
            <a key={to} href={href(to, linked(to, name))} aria-current={to === screen ? "page" : undefined}>
              <Icon name={to} size={17} />
              {label}
              {to === "edit" && unsaved.value.size > 0 && <Dot names={[...unsaved.value]} />}
            </a>
          ))}
        </nav>
        <IconButton label={`Commands (${mod} K)`} icon="commands" onClick={() => (commandsShown.value = true)} />
        <IconButton label={`Theme: ${THEMES[theme.value]}`} icon={theme.value} onClick={nextTheme} />
        <IconButton label="Keyboard shortcuts" icon="help" onClick={() => (keysShown.value = true)} />
      </header>
      <main class="screen" id="screen" tabIndex={-1} ref={main} aria-label={title}>
        {known ? <Current route={route.value} /> : <NoTemplate screen={screen} name={name} />}
      </main>
      <Toasts />
      <Paper />
      <CommandDialogs />
      {wanted.value && <AccessDialog done={wanted.value} />}
    </div>
  );
}

/** Moves the focus to the text field, else to the start of the screen. */
function skip(main: HTMLElement | null): void {
  const text = main?.querySelector<HTMLElement>(".text .cm-content");
  (text?.offsetParent ? text : main)?.focus();
}

const ofTemplates = (screen: Screen): boolean => screen === "edit" || screen === "versions";

/** The template stays selected between editor and versions. */
function linked(to: Screen, name: string): string {
  return ofTemplates(to) ? (ofTemplates(route.value.screen) && isName(name) ? name : "main") : "";
}

/** Marks that templates have unsaved text. */
function Dot({ names }: { names: readonly string[] }) {
  const which = `unsaved: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
  return <span class="dot" role="img" aria-label={which} title={which} />;
}

function Brand() {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? "";
  return <img src={icon} width={24} height={24} alt="" />;
}
