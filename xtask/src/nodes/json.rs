//! As much of JSON as the chore reads and writes.

use std::{iter::Peekable, str::Chars};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Reads a document.
    pub fn parse(text: &str) -> Result<Value, String> {
        let mut reader = Reader(text.chars().peekable());
        let value = reader.value()?;
        reader.blank();
        match reader.0.next() {
            None => Ok(value),
            Some(more) => Err(format!("`{more}` after the end")),
        }
    }

    /// Returns a field; null where there is none.
    pub fn get(&self, key: &str) -> &Value {
        match self {
            Value::Object(fields) => {
                fields.iter().find(|(name, _)| name == key).map_or(&Value::Null, |(_, value)| value)
            }
            _ => &Value::Null,
        }
    }

    /// Returns a text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a number that counts something.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn count(&self) -> Option<u64> {
        match self {
            Value::Number(number) if *number >= 0.0 && number.fract() == 0.0 => Some(*number as u64),
            _ => None,
        }
    }

    /// Returns the entries of a list; none where it is something else.
    pub fn list(&self) -> &[Value] {
        match self {
            Value::List(entries) => entries,
            _ => &[],
        }
    }
}

/// Writes a text as JSON.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted += "\\n",
            char if char < ' ' => quoted += &format!("\\u{:04x}", char as u32),
            char => quoted.push(char),
        }
    }
    quoted + "\""
}

struct Reader<'t>(Peekable<Chars<'t>>);

impl Reader<'_> {
    fn blank(&mut self) {
        while self.0.next_if(|char| matches!(char, ' ' | '\t' | '\r' | '\n')).is_some() {}
    }

    /// Takes this character, after blanks.
    fn takes(&mut self, wanted: char) -> bool {
        self.blank();
        self.0.next_if_eq(&wanted).is_some()
    }

    fn must(&mut self, wanted: char) -> Result<(), String> {
        match self.takes(wanted) {
            true => Ok(()),
            false => Err(format!("`{wanted}` is missing before {:?}", self.0.peek())),
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        self.blank();
        match self.0.peek().copied() {
            Some('{') => self.object(),
            Some('[') => self.many('[', ']', Reader::value).map(Value::List),
            Some('"') => self.string().map(Value::Text),
            Some(_) => self.word(),
            None => Err("it ends too early".to_owned()),
        }
    }

    fn object(&mut self) -> Result<Value, String> {
        let field = |reader: &mut Self| {
            reader.blank();
            let name = reader.string()?;
            reader.must(':')?;
            Ok((name, reader.value()?))
        };
        self.many('{', '}', field).map(Value::Object)
    }

    fn many<T>(
        &mut self,
        open: char,
        close: char,
        one: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.must(open)?;
        let mut all = Vec::new();
        if self.takes(close) {
            return Ok(all);
        }
        loop {
            all.push(one(self)?);
            if self.takes(close) {
                return Ok(all);
            }
            self.must(',')?;
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.must('"')?;
        let mut text = String::new();
        loop {
            match self.0.next().ok_or("a text does not end")? {
                '"' => return Ok(text),
                '\\' => text.push(self.escaped()?),
                char => text.push(char),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        Ok(match self.0.next().ok_or("a text does not end")? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let digits: String = self.0.by_ref().take(4).collect();
                // Halves of a pair do not come up in what the chore writes.
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                code.ok_or_else(|| format!("no character: \\u{digits}"))?
            }
            char => char,
        })
    }

    fn word(&mut self) -> Result<Value, String> {
        let mut word = String::new();
        while let Some(char) = self.0.next_if(|char| char.is_ascii_alphanumeric() || "+-.".contains(*char)) {
            word.push(char);
        }
        Ok(match word.as_str() {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::Number(word.parse().map_err(|_| format!("not a value: `{word}`"))?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_json_is_read_back() {
        let text = "a \"b\" \\ c\nd\u{1} é";
        let document = format!("{{ \"text\": {}, \"list\": [1, true, null, {{}}, []] }}", quoted(text));
        let value = Value::parse(&document).unwrap();
        assert_eq!(value.get("text").text(), Some(text));
        assert_eq!(value.get("list").list()[0].count(), Some(1));
        assert_eq!(value.get("list").list().len(), 5);
        assert_eq!(value.get("none"), &Value::Null);
    }

    #[test]
    fn half_a_document_is_refused() {
        let whole = r#"{"a":[1,"b\n",{"c":null}],"d":true}"#;
        assert!(Value::parse(whole).is_ok());
        for end in 0..whole.len() {
            assert!(Value::parse(&whole[..end]).is_err(), "{}", &whole[..end]);
        }
        assert!(Value::parse("{} {}").is_err());
    }
}
