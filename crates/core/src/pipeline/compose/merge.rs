//! Merging: the text of one section is put into another one's, in place of the tag `[section:<id>]`. The merged section is
//! absent, and `explain` shows where its bytes are.

use super::Composer;
use crate::{
    origin::Piece,
    pipeline::draft::AbsentReason,
    section::{Language, Section, SectionBody, SectionId},
};

impl Composer<'_> {
    /// Merges the sections with a `merge_into`. One whose tag is missing, because the text with it was replaced, stays in its
    /// own place.
    pub(super) fn merge(&mut self) {
        let merges: Vec<(SectionId, SectionId)> = self
            .slots
            .iter()
            .filter_map(|slot| Some((slot.section.id.clone(), slot.section.merge_into.clone()?)))
            .collect();
        for (id, into) in merges {
            let (Some(at), Some(target)) = (self.position(id.as_str()), self.position(into.as_str())) else {
                continue;
            };
            let (Some(inner), Some(text)) =
                (literal_text(&self.slots[at].section), literal_text(&self.slots[target].section))
            else {
                continue;
            };
            let Some(merged) = replace_tag(text, &format!("[section:{id}]"), inner) else { continue };
            self.slots[target].section.body = SectionBody::Text(merged);
            self.slots.remove(at);
            self.leave(id, AbsentReason::Merged, format!("its text is in `{into}`"));
        }
        self.remove_dead_tags();
    }

    /// Removes the tags of disabled sections.
    fn remove_dead_tags(&mut self) {
        let profile = &self.snapshot.profile;
        for section in &profile.sections {
            let Some(into) = &section.merge_into else { continue };
            if self.position(section.id.as_str()).is_some() {
                continue;
            }
            let Some(target) = self.position(into.as_str()) else { continue };
            let tag = format!("[section:{}]", section.id);
            let cleared =
                literal_text(&self.slots[target].section).and_then(|text| replace_tag(text, &tag, &[]));
            if let Some(cleared) = cleared {
                self.slots[target].section.body = SectionBody::Text(cleared);
            }
        }
    }
}

/// Returns the text of a section that is always included.
fn literal_text(section: &Section) -> Option<&[Piece]> {
    match &section.body {
        SectionBody::Text(pieces) if section.when.is_none() && section.language != Language::Verbatim => {
            Some(pieces)
        }
        _ => None,
    }
}

/// Replaces the tag by `inner` without the line ends after it; if that is empty, the line ends before the tag go, too.
/// `None` if there is no tag.
fn replace_tag(text: &[Piece], tag: &str, inner: &[Piece]) -> Option<Vec<Piece>> {
    let (at, start) = text.iter().enumerate().find_map(|(at, piece)| Some((at, piece.text.find(tag)?)))?;
    let holder = &text[at];
    let part = |range: std::ops::Range<usize>| Piece {
        text: holder.text[range.clone()].to_owned(),
        origin: holder.origin.part(&range),
    };
    let mut merged = text[..at].to_vec();
    merged.push(part(0..start));
    merged.extend(inner.iter().cloned());
    if let Some(last) = merged.last_mut() {
        let kept = last.text.trim_end_matches(['\n', '\r']).len();
        last.text.truncate(kept);
        last.origin = last.origin.part(&(0..kept));
    }
    merged.push(part(start + tag.len()..holder.text.len()));
    merged.extend_from_slice(&text[at + 1..]);
    merged.retain(|piece| !piece.text.is_empty());
    Some(merged)
}
