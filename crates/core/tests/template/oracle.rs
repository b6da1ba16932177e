//! The template language once more, the slow and obvious way, straight from the rules: no scanner state, no jumps.

/// A character of text or a tag.
#[derive(Clone, Debug)]
enum Item {
    Text(char),
    Variable(String),
    If {
        source: String,
        key: String,
        negated: bool,
    },
    Else(String),
    Endif(String),
    /// A working `[raw]` or `[endraw]`.
    Gone,
    /// A tag that turned out to be text.
    Stray(String),
}

fn white(c: char) -> bool {
    "\t\n\u{b}\u{c}\r \u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\
     \u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}"
        .contains(c)
}

fn key(text: &str) -> Option<String> {
    let (kind, name) = text.split_once(':')?;
    let typed = !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (typed && !name.contains(['\n', '\r', '\u{2028}', '\u{2029}'])).then(|| text.to_owned())
}

fn condition(text: &str) -> Option<(String, bool)> {
    let rest = text.strip_prefix("if")?;
    let inner = rest.trim_start_matches(white);
    if inner.len() == rest.len() {
        return None;
    }
    match inner.strip_prefix('!') {
        Some(negated) => Some((key(negated)?, true)),
        None => Some((key(inner)?, false)),
    }
}

fn bracket(text: &str) -> Option<(&str, &str)> {
    let end = text.find(']')?;
    Some((text[1..end].trim_matches(white), &text[..=end]))
}

fn items(text: &str, raw: bool) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = text;
    'text: while let Some(c) = rest.chars().next() {
        if c == '['
            && let Some((inner, source)) = bracket(rest)
        {
            let after = &rest[source.len()..];
            let owned = source.to_owned();
            let item = match (inner, condition(inner), key(inner)) {
                ("raw", ..) if raw => {
                    for (at, _) in after.match_indices('[') {
                        if let Some(("endraw", end)) = bracket(&after[at..]) {
                            items.push(Item::Gone);
                            items.extend(after[..at].chars().map(Item::Text));
                            items.push(Item::Gone);
                            rest = &after[at + end.len()..];
                            continue 'text;
                        }
                    }
                    Some(Item::Stray(owned))
                }
                ("endraw", ..) if raw => Some(Item::Stray(owned)),
                ("else", ..) => Some(Item::Else(owned)),
                ("endif", ..) => Some(Item::Endif(owned)),
                (_, Some((key, negated)), _) => Some(Item::If { source: owned, key, negated }),
                (_, None, Some(key)) => Some(Item::Variable(key)),
                (_, None, None) => None,
            };
            if let Some(item) = item {
                items.push(item);
                rest = after;
                continue;
            }
        }
        items.push(Item::Text(c));
        rest = &rest[c.len_utf8()..];
    }
    items
}

/// Returns the `endif` of the `if` at `at`: where as many were closed as opened.
fn endif(items: &[Item], at: usize) -> Option<usize> {
    let mut open = 0;
    for (number, item) in items.iter().enumerate().skip(at) {
        match item {
            Item::If { .. } => open += 1,
            Item::Endif(_) => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(number);
        }
    }
    None
}

/// Returns the first `else` of the block `at..end` that is in no block inside it.
fn first_else(items: &[Item], at: usize, end: usize) -> Option<usize> {
    let mut open = 0;
    (at..end).find(|number| {
        match items[*number] {
            Item::If { .. } => open += 1,
            Item::Endif(_) => open -= 1,
            _ => {}
        }
        open == 1 && matches!(items[*number], Item::Else(_))
    })
}

/// Turns control tags that pair with nothing into [`Item::Stray`].
fn mark(items: &mut [Item]) {
    let mut works = vec![false; items.len()];
    for at in 0..items.len() {
        if matches!(items[at], Item::If { .. })
            && let Some(end) = endif(items, at)
        {
            works[at] = true;
            works[end] = true;
            if let Some(middle) = first_else(items, at, end) {
                works[middle] = true;
            }
        }
    }
    for (item, works) in items.iter_mut().zip(works) {
        if let (Item::If { source, .. } | Item::Else(source) | Item::Endif(source), false) = (&*item, works) {
            *item = Item::Stray(source.clone());
        }
    }
}

/// Drops the text of lines that hold only working control tags and blanks.
fn trim_lines(items: Vec<Item>) -> Vec<Item> {
    let mut kept = Vec::new();
    for line in items.split_inclusive(|item| matches!(item, Item::Text('\n'))) {
        let control = |item: &Item| !matches!(item, Item::Text(_) | Item::Stray(_) | Item::Variable(_));
        let inner = match line {
            [inner @ .., Item::Text('\r'), Item::Text('\n')] | [inner @ .., Item::Text('\n')] => inner,
            inner => inner,
        };
        let bare = inner.iter().all(|item| control(item) || matches!(item, Item::Text(' ' | '\t')));
        if bare && inner.iter().any(control) {
            kept.extend(line.iter().filter(|item| control(item)).cloned());
        } else {
            kept.extend(line.iter().cloned());
        }
    }
    kept
}

fn render_items(items: &[Item], value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < items.len() {
        match &items[at] {
            Item::Text(c) => text.push(*c),
            Item::Stray(source) => text += source,
            Item::Variable(key) => text += &value(key).unwrap_or_default(),
            Item::If { key, negated, .. } => {
                let end = endif(items, at).expect("only working tags are left");
                let middle = first_else(items, at, end);
                let taken = if value(key).is_some() != *negated {
                    &items[at + 1..middle.unwrap_or(end)]
                } else {
                    &items[middle.unwrap_or(end - 1) + 1..end]
                };
                text += &render_items(taken, value);
                at = end;
            }
            Item::Else(_) | Item::Endif(_) | Item::Gone => {}
        }
        at += 1;
    }
    text
}

/// Renders `template`; `value` answers for every key.
pub fn render(template: &str, raw: bool, trim: bool, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut items = items(template, raw);
    mark(&mut items);
    if trim {
        items = trim_lines(items);
    }
    render_items(&items, value)
}
