// Puts the page on the screen.
import "./style/index.css";
import { render } from "preact";
import { Shell } from "./shell";

render(<Shell />, document.getElementById("app")!);
