// Screens whose code is loaded when they are first opened.
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Route } from "./route";
import { Button } from "./ui/button";

type ScreenComponent = FunctionComponent<{ route: Route }>;

/** Returns a screen that loads itself, with a retry button on failure. */
export function lazy(load: () => Promise<{ default: ScreenComponent }>): ScreenComponent {
  let loaded: ScreenComponent | null = null;
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
