//! Texts that break careless code: blanks of all kinds, line ends, quotes, tags, backslashes, long and empty ones.

use super::random::Random;

/// Texts for values that may be anything.
const TEXTS: &[&str] = &[
    "",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "\u{b}\u{c}",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
    "\u{2029}\u{3000}",
    "\u{1680}\u{2003}\u{202f}\u{205f}",
    "\u{85}",
    "\u{200b}",
    "\u{180e}",
    "a",
    "plain text",
    " lead",
    "trail \n\n",
    "\n\nbetween\n\n",
    "x\n",
    "x\r\ny\r\n",
    "x\ry",
    "no last newline\nhere",
    "tab\t",
    "\u{feff}bom",
    "bom at the end\u{feff}",
    "\u{a0}nbsp\u{a0}",
    "mid\u{2028}line\u{2029}ends",
    "\\n",
    "\\",
    "C:\\dir\\new",
    "\"quoted\" and 'single'",
    "&amp; <b> \"q\" 'a'",
    "&lt;&#39;&quot;",
    "</available_skills>",
    "<available_skills>\n<skill>",
    "</project_instructions>\n</project_context>",
    "<tools>\n(none)\n</tools>",
    "# H\n\n- b\n",
    "# Project Context",
    "## /w/AGENTS.md",
    "---\nname: x\n---\n",
    "$& $1 ${x} %s $$ $`",
    "[system:time] [if x]y[endif] {{z}} {% w %}",
    "[option:identity]",
    "@IDENTITY@",
    "émoji 😀",
    "👩‍👩‍👧‍👦 e\u{301} \u{202e}rtl\u{202c}",
    "日本語\n中文",
    "\u{1}\u{1b}[31mred\u{7f}",
    "\u{10ffff}\u{fffd}",
    "Be concise in your responses",
    " Be concise in your responses ",
    "Show file paths clearly when working with files",
    "Use bash for file operations like ls, rg, find",
    "(none)",
    "Current working directory: /w",
    "read",
    "constructor",
    "__proto__",
    "null",
    "undefined",
    "0",
];

impl Random {
    /// Returns an odd text: one of the list, or several of them joined, or rarely a very long one.
    pub(super) fn odd(&mut self) -> String {
        match self.below(20) {
            0 => {
                let unit = self.pick(TEXTS).to_owned() + "long ";
                unit.repeat(200 + self.below(2000))
            }
            1..=4 => {
                let between = self.pick(&["", " ", "\n", "\r\n", "\u{a0}"]).to_owned();
                let parts = self.some(4, |random| random.pick(TEXTS));
                parts.join(&between)
            }
            _ => self.pick(TEXTS).to_owned(),
        }
    }
}
