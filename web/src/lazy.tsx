// Screens whose code is loaded when they are first opened.
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Route } from "./route";
import { Button } from "./ui/button";

/** Loads code once the page has nothing else to do; what fails is loaded when it is needed. */
export function whenIdle(load: () => Promise<unknown>): void {
  const begin = () => (window.requestIdleCallback ?? setTimeout)(() => void load().catch(() => {}));
  setTimeout(begin, 1500);
}

type ScreenComponent = FunctionComponent<{ route: Route }>;

/** Returns a screen that loads itself, with a retry button on failure. */
export function lazy(load: () => Promise<{ default: ScreenComponent }>): ScreenComponent {
  let loaded: ScreenComponent | null = null;
  // A service that is away cannot deliver what one opens then.
  whenIdle(() => load().then((module) => (loaded ??= module.default)));
  return function Lazy({ route }) {
    const [ready, setReady] = useState(loaded !== null);
    const [failed, setFailed] = useState(false);
    const fetch = () => {
      setFailed(false);
      load().then(
        (module) => {
          loaded = module.default;
          setReady(true);
        },
        () => setFailed(true),
      );
    };
    useEffect(() => {
      if (!loaded) fetch();
    }, []);
    if (ready && loaded) {
      const Loaded = loaded;
      return <Loaded route={route} />;
    }
    if (!failed) return <p class="waiting">Loading…</p>;
    return (
      <div class="empty" role="alert">
        <p>This screen could not be loaded. The service may be down, or may have been upgraded since this page was opened.</p>
        <Button onClick={fetch}>Try again</Button>
      </div>
    );
  };
}
