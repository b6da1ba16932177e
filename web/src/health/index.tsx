// The health screen: how the service and its store are, and what is active in a directory.
import "../shell"; // Part of the first load already; the import keeps that in one chunk.
import { useEffect } from "preact/hooks";
import { ScopesPanel } from "./scopes-panel";
import { follow } from "./service";
import { ServicePanel } from "./service-panel";

export default function Health() {
  useEffect(follow, []);
  return (
    <div class="health">
      <ServicePanel />
      <ScopesPanel />
    </div>
  );
}
