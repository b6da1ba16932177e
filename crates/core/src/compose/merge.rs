//! Merging: the text of one section stands in another one's, where that has the tag `[section:<id>]`. No text is said
//! twice: the merged section is absent, and `explain` says where its bytes went.

use super::Composer;
use crate::{
    draft::AbsentReason,
    origin::Piece,
    section::{Language, Section, SectionBody, SectionId},
};

impl Composer<'_> {
    /// Merges what is to be merged. A section whose tag is not there, because somebody replaced the text that had it, speaks
    /// in its own place.
    pub(super) fn merge(&mut self) {
        let asked: Vec<(SectionId, SectionId)> = self
            .slots
            .iter()
            .filter_map(|slot| Some((slot.section.id.clone(), slot.section.merge_into.clone()?)))
            .collect();
        for (id, into) in asked {
            let (Some(at), Some(target)) = (self.position(id.as_str()), self.position(into.as_str())) else {
                continue;
            };
            let (Some(inner), Some(text)) =
                (text_of(&self.slots[at].section), text_of(&self.slots[target].section))
            else {
                continue;
            };
            let Some(merged) = spliced(text, &format!("[section:{id}]"), inner) else { continue };
            self.slots[target].section.to_mut().body = SectionBody::Text(merged);
            self.slots.remove(at);
            self.leave(id, AbsentReason::Merged, format!("its text is in `{into}`"));
        }
        self.remove_dead_tags();
    }

    /// No prompt of a catalog is said twice: one that stands in another section's text, or that an earlier section says, is
    /// merged.
    pub(super) fn merge_prompts(&mut self) {
        let mut at = 0;
        while let Some(slot) = self.slots.get(at) {
            let own = match &slot.section.body {
                SectionBody::Catalog(body) => body.prompts.first(),
                _ => None,
            };
            let said_in = own.and_then(|own| {
                let others = self.slots.iter().enumerate().filter(|(other, slot)| {
                    *other != at && slot.section.when.is_none() && slot.section.place.is_none()
                });
                others.into_iter().find_map(|(other, slot)| {
                    let SectionBody::Catalog(body) = &slot.section.body else { return None };
                    let place = body.prompts.iter().position(|prompt| prompt == own)?;
                    (place > 0 || other < at).then(|| slot.section.id.clone())
                })
            });
            match said_in {
                Some(into) => {
                    let gone = self.slots.remove(at).section.id.clone();
                    self.leave(gone, AbsentReason::Merged, format!("its text is in `{into}`"));
                }
                None => at += 1,
            }
        }
    }

    /// Takes away the tags of sections that somebody switched off.
    fn remove_dead_tags(&mut self) {
        let profile = &self.snapshot.profile;
        for section in &profile.sections {
            let Some(into) = &section.merge_into else { continue };
            if self.position(section.id.as_str()).is_some() {
                continue;
            }
            let Some(target) = self.position(into.as_str()) else { continue };
            let tag = format!("[section:{}]", section.id);
            let cleared = text_of(&self.slots[target].section).and_then(|text| spliced(text, &tag, &[]));
            if let Some(cleared) = cleared {
                self.slots[target].section.to_mut().body = SectionBody::Text(cleared);
            }
        }
    }
}

/// The text of a section that always speaks.
fn text_of(section: &Section) -> Option<&[Piece]> {
    match &section.body {
        SectionBody::Text(pieces) if section.when.is_none() && section.language == Language::Template => {
            Some(pieces)
        }
        _ => None,
    }
}

/// Puts `inner`, without the line ends behind it, in the place of the tag; with nothing to say, the line ends before the tag
/// go, too. `None` where there is no tag.
fn spliced(text: &[Piece], tag: &str, inner: &[Piece]) -> Option<Vec<Piece>> {
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
