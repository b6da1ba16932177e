// What mdBook's scripts leave out for the keyboard and for screen readers.
(() => {
  // The contents are shown and hidden by a checkbox that is never displayed; the button works it.
  const checkbox = document.getElementById("mdbook-sidebar-toggle-anchor");
  const toggle = document.getElementById("mdbook-sidebar-toggle");
  toggle.setAttribute("aria-expanded", checkbox.checked);
  toggle.addEventListener("click", () => checkbox.click());

  // On a narrow window they cover the page: a link within it closes them.
  document.getElementById("mdbook-sidebar").addEventListener("click", (event) => {
    if (event.target.closest(".header-in-summary") && innerWidth < 620) toggle.click();
  });

  // A box that scrolls sideways can be focused, and then the arrow keys scroll it instead of turning the page.
  const boxes = document.querySelectorAll("main pre > code, main .table-wrapper");
  const measure = () => {
    for (const box of boxes) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  for (const box of boxes) box.addEventListener("keydown", (event) => event.key.startsWith("Arrow") && event.stopPropagation());
  addEventListener("resize", measure);
  document.fonts.ready.then(measure);
  measure();

  // The corner of a table may be empty, but no cell is the head of nothing.
  for (const head of document.querySelectorAll("main th:empty")) head.replaceWith(document.createElement("td"));

  // Pictures are enlarged by a checkbox around them.
  for (const box of document.querySelectorAll("main .checkbox-img")) {
    box.setAttribute("aria-label", `Enlarge: ${box.nextElementSibling.alt || "picture"}`);
  }
})();
