//! The letters of cards: measuring, breaking and shortening texts, and their outlines.

use std::sync::LazyLock;

use harfrust::{Buffer, Font, ShapeOptions, ShaperFont, shape};
use skrifa::outline::{DrawSettings, OutlineGlyphCollection, OutlinePen};
use skrifa::prelude::{LocationRef, Size};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use tiny_skia::{Path, PathBuilder};

/// The faces of cards. Arimo has the widths of the letters of the pages; only its Latin letters are compiled in.
pub(crate) static REGULAR: LazyLock<Option<Face>> =
    LazyLock::new(|| Face::new(include_bytes!("../assets/arimo/Arimo-Regular.ttf")));

/// For titles.
pub(crate) static MEDIUM: LazyLock<Option<Face>> =
    LazyLock::new(|| Face::new(include_bytes!("../assets/arimo/Arimo-Medium.ttf")));

/// What stands for the rest of a text.
const ELLIPSIS: char = '…';

/// A font.
pub(crate) struct Face {
    font: Font,
    outlines: OutlineGlyphCollection<'static>,
    units_per_em: f32,
}

/// How large letters are, in pixels, and how much room there is between them, in ems.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) size: f32,
    pub(crate) spacing: f32,
}

/// A letter, in units of the font.
struct Glyph {
    id: GlyphId,
    advance: f32,
    offset: (f32, f32),
}

impl Face {
    fn new(bytes: &'static [u8]) -> Option<Face> {
        let font = Font::new(bytes.to_vec(), 0)?;
        let units_per_em = f32::from(font.units_per_em());
        let outlines = FontRef::new(bytes).ok()?.outline_glyphs();
        Some(Face { font, outlines, units_per_em })
    }

    /// A text without the characters that the font lacks, such as emoji, and with single spaces.
    pub(crate) fn readable(&self, text: &str) -> String {
        let charmap = self.font.charmap();
        let is_known = |letter: &char| charmap.map_unicode(*letter).is_some();
        let known: String = text.chars().filter(is_known).collect();
        known.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    fn glyphs(&self, text: &str) -> Vec<Glyph> {
        let mut buffer = Buffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        if shape(&ShaperFont::new(&self.font), &mut buffer, ShapeOptions::new()).is_err() {
            return Vec::new();
        }
        let placed = buffer.glyph_infos().iter().zip(buffer.glyph_positions());
        let glyph = placed.map(|(info, at)| Glyph {
            id: GlyphId::new(info.glyph_id),
            advance: at.x_advance as f32,
            offset: (at.x_offset as f32, at.y_offset as f32),
        });
        glyph.collect()
    }

    /// The width of a text in pixels.
    pub(crate) fn width(&self, text: &str, style: Style) -> f32 {
        let advances = self.glyphs(text).iter().map(|glyph| self.advance(glyph, style)).sum::<f32>();
        advances - style.spacing * style.size
    }

    fn advance(&self, glyph: &Glyph, style: Style) -> f32 {
        (glyph.advance / self.units_per_em + style.spacing) * style.size
    }

    /// The outline of a text that begins at a point of its baseline; none if there is nothing to draw.
    pub(crate) fn outline(&self, text: &str, style: Style, (mut x, y): (f32, f32)) -> Option<Path> {
        let scale = style.size / self.units_per_em;
        let mut path = PathBuilder::new();
        for glyph in self.glyphs(text) {
            if let Some(outline) = self.outlines.get(glyph.id) {
                let at = (x + glyph.offset.0 * scale, y - glyph.offset.1 * scale);
                let settings = DrawSettings::unhinted(Size::new(style.size), LocationRef::default());
                outline.draw(settings, &mut Pen { path: &mut path, at }).ok()?;
            }
            x += self.advance(&glyph, style);
        }
        path.finish()
    }

    /// The lines of a text, of about equal length; none if it does not fit into so many of them.
    pub(crate) fn lines(&self, text: &str, style: Style, width: f32, most: usize) -> Option<Vec<String>> {
        /// What is tried narrower, of the width.
        const STEP: f32 = 0.06;
        let fits = |width: f32| {
            let lines = self.broken(text, style, width);
            let are_narrow = lines.iter().all(|line| self.width(line, style) <= width);
            (lines.len() <= most && are_narrow).then_some(lines)
        };
        let mut best = fits(width)?;
        let narrower = (1..10_u8).map(|step| width * (1.0 - STEP * f32::from(step)));
        for lines in
            narrower.map_while(fits).take_while(|lines| lines.len() <= best.len()).collect::<Vec<_>>()
        {
            best = lines;
        }
        Some(best)
    }

    /// The lines of a text with words kept whole.
    fn broken(&self, text: &str, style: Style, width: f32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if self.width(&format!("{line} {word}"), style) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }

    /// As many lines of a text as there is room for: the last is shortened, as are words that are too long.
    pub(crate) fn cut(&self, text: &str, style: Style, width: f32, most: usize) -> Vec<String> {
        let all = self.broken(text, style, width);
        let rest = all.get(most.saturating_sub(1)..).unwrap_or_default().join(" ");
        let whole = all.iter().take(most.saturating_sub(1)).cloned();
        let lines = whole.chain((!rest.is_empty()).then_some(rest));
        lines.map(|line| self.shortened(&line, style, width)).collect()
    }

    /// A text, or as much of it as fits, with an ellipsis.
    pub(crate) fn shortened(&self, text: &str, style: Style, width: f32) -> String {
        if self.width(text, style) <= width {
            return text.to_owned();
        }
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let short = |end: usize| format!("{}{ELLIPSIS}", text[..end].trim_end_matches([' ', ',', '·']));
        let fitting = ends.partition_point(|end| self.width(&short(*end), style) <= width);
        short(fitting.checked_sub(1).map_or(0, |last| ends[last]))
    }
}

/// Draws a glyph, whose upward axis points up, at a point.
struct Pen<'p> {
    path: &'p mut PathBuilder,
    at: (f32, f32),
}

impl Pen<'_> {
    fn point(&self, x: f32, y: f32) -> (f32, f32) {
        (self.at.0 + x, self.at.1 - y)
    }
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.point(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.point(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, bend_x: f32, bend_y: f32, x: f32, y: f32) {
        let ((bend_x, bend_y), (x, y)) = (self.point(bend_x, bend_y), self.point(x, y));
        self.path.quad_to(bend_x, bend_y, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.point(x1, y1), self.point(x2, y2), self.point(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
