// Sentences of the service, in which names stand in backticks: here they stand as code.
import { Fragment, render } from "preact";

export function Spoken({ text }: { text: string }) {
  const pieces = text.split("`");
  // An open backtick is a backtick.
  if (pieces.length % 2 === 0) return <>{text}</>;
  return (
    <>
      {pieces.map((piece, at) => (at % 2 === 1 ? <code key={at}>{piece}</code> : <Fragment key={at}>{piece}</Fragment>))}
    </>
  );
}

/** The same for places that want an element. */
export function spoken(tag: "p" | "span", text: string): HTMLElement {
  const box = document.createElement(tag);
  render(<Spoken text={text} />, box);
  return box;
}
