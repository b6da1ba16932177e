// Messages of the service; text in backticks is shown as code.
import { Fragment, render } from "preact";

/** Code up to this length is not broken over lines. */
const SHORT = 24;

export function MessageText({ text }: { text: string }) {
  const pieces = text.split("`");
  // An unpaired backtick is shown as it is.
  if (pieces.length % 2 === 0) return <>{text}</>;
  return (
    <>
      {pieces.map((piece, at) => (at % 2 === 1 ? <code key={at} class={piece.length <= SHORT ? "short" : undefined}>{piece}</code> : <Fragment key={at}>{piece}</Fragment>))}
    </>
  );
}

/** Returns the same as a DOM element. */
export function messageElement(tag: "p" | "span", text: string): HTMLElement {
  const box = document.createElement(tag);
  render(<MessageText text={text} />, box);
  return box;
}
