// The screen to write a template in.
import type { Route } from "../route";

export default function EditScreen({ route }: { route: Route }) {
  return <h1>{route.name}</h1>;
}
