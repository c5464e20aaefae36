//! Draws a card: text on a light ground at the left, a grid of tiles at the right, as a PNG with a palette.

use std::collections::HashMap;

use png::{BitDepth, ColorType, DeflateCompression, Encoder, Filter};
use tiny_skia::{
    Color, FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke, Transform,
};

use super::lettering::{Face, MEDIUM, REGULAR, Style};
use crate::http::site::cards::{Card, DateTile, HEIGHT, WIDTH};
use crate::http::site::layout::tiles;

/// Red, green and blue.
type Rgb = [u8; 3];

// the colours of the pages by day
const PAPER: Rgb = [0xf6, 0xf4, 0xee];
const TILE: Rgb = [0xfb, 0xfa, 0xf6];
const DEEP: Rgb = [0x0b, 0x4f, 0x9e];
const SKY: Rgb = [0x8f, 0xb8, 0xe6];
const SUN: Rgb = [0xe5, 0xa5, 0x0a];
const INK: Rgb = [0x16, 0x20, 0x2a];
const SOFT: Rgb = [0x56, 0x61, 0x6c];
const LINE: Rgb = [0xdc, 0xd7, 0xca];
const WHITE: Rgb = [0xff, 0xff, 0xff];
const ON_SUN: Rgb = [0x20, 0x16, 0x00];

/// The grounds and what is drawn on each, between which edges are smooth.
const EDGES: [(Rgb, Rgb); 10] = [
    (PAPER, INK),
    (PAPER, SOFT),
    (PAPER, DEEP),
    (PAPER, LINE),
    (TILE, DEEP),
    (TILE, SKY),
    (TILE, SUN),
    (DEEP, WHITE),
    (DEEP, SKY),
    (SUN, ON_SUN),
];

/// The most bytes of a card.
const MOST: usize = 25_000;

/// The steps of a smooth edge: as many as the size allows.
const STEPS: [u16; 4] = [6, 4, 2, 1];

/// The side of a tile.
const CELL: f32 = 126.0;

const COLUMNS: u16 = 4;
const ROWS: u16 = 5;

/// Where the wall begins.
const WALL: f32 = 696.0;

/// Where the words begin.
const LEFT: f32 = 64.0;

/// The width of the words.
const MEASURE: f32 = WALL - LEFT - 48.0;

/// The baseline of the last line.
const LAST_LINE: f32 = 566.0;

/// From a line to the next.
const LINE_HEIGHT: f32 = 42.0;

/// The sizes of titles; the largest that fits is taken.
const TITLE_SIZES: [f32; 7] = [92.0, 82.0, 73.0, 65.0, 58.0, 52.0, 46.0];

/// The room for a title.
const TITLE_HEIGHT: f32 = 270.0;

/// From a line of a title to the next, in ems.
const TITLE_LINE: f32 = 1.06;

const TITLE_SPACING: f32 = -0.025;

const LINES: Style = Style { size: 31.0, spacing: -0.005 };
const KIND: Style = Style { size: 27.0, spacing: 0.0 };
const SERVICE: Style = Style { size: 34.0, spacing: -0.02 };

/// A picture being drawn.
struct Sheet {
    pixels: Pixmap,
    regular: &'static Face,
    medium: &'static Face,
}

/// The PNG of a card; none only if a font or a picture cannot be made, which memory permitting does not happen.
pub(crate) fn png(card: &Card) -> Option<Vec<u8>> {
    let pixels = Pixmap::new(u32::from(WIDTH), u32::from(HEIGHT))?;
    let mut sheet = Sheet { pixels, regular: REGULAR.as_ref()?, medium: MEDIUM.as_ref()? };
    sheet.draw(card);
    let mut made = STEPS.iter().map(|steps| encoded(&sheet.pixels, &palette(*steps)));
    made.find(|png| png.as_ref().is_none_or(|png| png.len() <= MOST)).flatten()
}

impl Sheet {
    fn draw(&mut self, card: &Card) {
        let (width, height) = (f32::from(WIDTH), f32::from(HEIGHT));
        self.rectangle((0.0, 0.0), (width, height), PAPER);
        self.wall(card.seed);
        if let Some(date) = &card.date {
            self.date(date);
        }
        self.rectangle((WALL - 1.0, 0.0), (1.0, height), LINE);
        self.brand(&card.service);
        let top = self.lines(card);
        self.title(card, top);
    }

    fn rectangle(&mut self, (x, y): (f32, f32), (width, height): (f32, f32), colour: Rgb) {
        if let Some(area) = Rect::from_xywh(x, y, width, height) {
            let mut paint = paint(colour);
            paint.anti_alias = false;
            self.pixels.fill_rect(area, &paint, Transform::identity(), None);
        }
    }

    fn fill(&mut self, path: Option<Path>, colour: Rgb, at: Transform) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &paint(colour), FillRule::Winding, at, None);
        }
    }

    fn text(&mut self, face: &Face, text: &str, style: Style, at: (f32, f32), colour: Rgb) {
        self.fill(face.outline(text, style, at), colour, Transform::identity());
    }

    /// The tiles of the site, at another size.
    fn wall(&mut self, seed: u64) {
        self.rectangle((WALL, 0.0), (CELL * f32::from(COLUMNS), CELL * f32::from(ROWS)), TILE);
        for tile in tiles(COLUMNS, ROWS, seed) {
            let at = (WALL + CELL * f32::from(tile.column), CELL * f32::from(tile.row));
            let turned = Transform::from_translate(at.0, at.1)
                .pre_scale(CELL / 48.0, CELL / 48.0)
                .pre_concat(Transform::from_rotate_at(90.0 * f32::from(tile.turns), 24.0, 24.0));
            for (path, colour) in shapes(tile.shape) {
                self.fill(path, colour, turned);
            }
        }
    }

    /// The date on a tile of four, at the foot of the wall.
    fn date(&mut self, date: &DateTile) {
        let (x, y, side) = (WALL, CELL * 3.0, CELL * 2.0);
        self.rectangle((x, y), (side, side), DEEP);
        let small = Style { size: 31.0, spacing: 0.0 };
        let sizes = [132.0, 100.0, 80.0, 70.0].map(|size| Style { size, spacing: -0.04 });
        let fits = |style: &&Style| self.medium.width(&date.day, **style) <= side - 44.0;
        let large = sizes.iter().find(fits).copied().unwrap_or(small);
        let middle = |face: &Face, text: &str, style: Style| x + (side - face.width(text, style)) / 2.0;
        let texts = [
            (self.regular, &date.weekday, small, y + 54.0),
            (self.medium, &date.day, large, y + 126.0 + large.size * 0.36),
            (self.regular, &date.month, small, y + side - 30.0),
        ];
        for (face, text, style, baseline) in texts {
            let text = face.shortened(text, style, side - 24.0);
            self.text(face, &text, style, (middle(face, &text, style), baseline), WHITE);
        }
    }

    /// The mark and the name of the service.
    fn brand(&mut self, service: &str) {
        let (x, y, side) = (LEFT, 56.0, 56.0);
        self.rectangle((x, y), (side, side), DEEP);
        let mut lines = PathBuilder::new();
        lines.move_to(16.0, 5.0);
        lines.line_to(16.0, 27.0);
        lines.move_to(4.5, 11.5);
        lines.cubic_to(9.0, 18.0, 23.0, 18.0, 27.5, 11.5);
        let stroke = Stroke { width: 3.0, line_cap: LineCap::Butt, ..Stroke::default() };
        let at = Transform::from_translate(x, y).pre_scale(side / 32.0, side / 32.0);
        if let Some(lines) = lines.finish() {
            self.pixels.stroke_path(&lines, &paint(WHITE), &stroke, at, None);
        }
        let face = self.medium;
        let service = face.shortened(&face.readable(service), SERVICE, MEASURE - side - 18.0);
        self.text(face, &service, SERVICE, (x + side + 18.0, y + 40.0), INK);
    }

    /// The lines below the rule; returns where the rule is.
    fn lines(&mut self, card: &Card) -> f32 {
        let face = self.regular;
        let lines = card.lines.iter().map(|line| face.readable(line)).filter(|line| !line.is_empty());
        let lines: Vec<String> = lines.map(|line| shortened(face, &line)).collect();
        let mut baseline = LAST_LINE;
        for line in lines.iter().rev() {
            self.text(face, line, LINES, (LEFT, baseline), SOFT);
            baseline -= LINE_HEIGHT;
        }
        let rule = if lines.is_empty() { LAST_LINE } else { baseline - 10.0 };
        self.rectangle((LEFT, rule.round()), (MEASURE, 3.0), INK);
        rule
    }

    /// The title above the rule, and what kind of page it is above the title.
    fn title(&mut self, card: &Card, rule: f32) {
        let face = self.medium;
        let title = face.readable(&card.title);
        let style = |size: f32| Style { size, spacing: TITLE_SPACING };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number of lines, rounded down"
        )]
        let most = |size: f32| (TITLE_HEIGHT / (size * TITLE_LINE)) as usize;
        let fitting = TITLE_SIZES
            .iter()
            .find_map(|size| Some((*size, face.lines(&title, style(*size), MEASURE, most(*size))?)));
        let (size, lines) = fitting.unwrap_or_else(|| {
            let size = TITLE_SIZES[TITLE_SIZES.len() - 1];
            (size, face.cut(&title, style(size), MEASURE, most(size)))
        });
        let mut baseline = rule - 30.0 - size * 0.16;
        for line in lines.iter().rev() {
            self.text(face, line, style(size), (LEFT - size * 0.03, baseline), INK);
            baseline -= size * TITLE_LINE;
        }
        let mut x = LEFT;
        let baseline = baseline + size * (TITLE_LINE - 0.74) - 26.0;
        if card.is_uau {
            let badge = Style { size: 24.0, spacing: 0.04 };
            let width = face.width("UAU", badge) + 22.0;
            self.rectangle((x, (baseline - 27.0).round()), (width.round(), 36.0), SUN);
            self.text(face, "UAU", badge, (x + 11.0, baseline), ON_SUN);
            x += width + 16.0;
        }
        let face = self.regular;
        let kind = face.shortened(&face.readable(&card.kind), KIND, LEFT + MEASURE - x);
        self.text(face, &kind, KIND, (x, baseline), SOFT);
    }
}

/// A line that fits: of its parts all but the last are shortened first, because the last is the area.
fn shortened(face: &Face, line: &str) -> String {
    if let Some((parts, last)) = line.rsplit_once(" · ") {
        let last = format!(" · {last}");
        let room = MEASURE - face.width(&last, LINES);
        if room > MEASURE / 2.0 && face.width(line, LINES) > MEASURE {
            return face.shortened(parts, LINES, room) + &last;
        }
    }
    face.shortened(line, LINES, MEASURE)
}

fn paint(colour: Rgb) -> Paint<'static> {
    let mut paint = Paint::default();
    let [red, green, blue] = colour;
    paint.set_color(Color::from_rgba8(red, green, blue, u8::MAX));
    paint.anti_alias = true;
    paint
}

/// The parts of a tile of 48 by 48, as `layout::wall` has them.
fn shapes(shape: u8) -> Vec<(Option<Path>, Rgb)> {
    match shape {
        0 => {
            let mut path = PathBuilder::new();
            path.move_to(0.0, 0.0);
            path.line_to(48.0, 0.0);
            path.line_to(48.0, 48.0);
            quarter(&mut path, (48.0, 48.0), (48.0, 0.0), (0.0, 0.0));
            path.close();
            vec![(path.finish(), DEEP)]
        }
        1 => vec![
            (wedge((0.0, 0.0), (24.0, 0.0), (0.0, 24.0)), DEEP),
            (wedge((48.0, 48.0), (24.0, 48.0), (48.0, 24.0)), SKY),
        ],
        2 => {
            let mut path = PathBuilder::new();
            path.move_to(0.0, 48.0);
            quarter(&mut path, (0.0, 48.0), (0.0, 0.0), (48.0, 0.0));
            path.line_to(48.0, 16.0);
            quarter(&mut path, (48.0, 16.0), (16.0, 16.0), (16.0, 48.0));
            path.close();
            vec![(path.finish(), SKY)]
        }
        _ => vec![(wedge((48.0, 0.0), (24.0, 0.0), (48.0, 24.0)), SUN)],
    }
}

/// A quarter of a disc around a corner.
fn wedge(centre: (f32, f32), from: (f32, f32), to: (f32, f32)) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(centre.0, centre.1);
    path.line_to(from.0, from.1);
    let corner = (from.0 + to.0 - centre.0, from.1 + to.1 - centre.1);
    quarter(&mut path, from, corner, to);
    path.close();
    path.finish()
}

/// A quarter of a circle whose tangents meet in `corner`.
fn quarter(path: &mut PathBuilder, from: (f32, f32), corner: (f32, f32), to: (f32, f32)) {
    /// How far the handles of a curve that is a quarter of a circle reach towards its corner.
    const REACH: f32 = 0.552_285;
    let handle = |end: (f32, f32)| (end.0 + (corner.0 - end.0) * REACH, end.1 + (corner.1 - end.1) * REACH);
    let (first, second) = (handle(from), handle(to));
    path.cubic_to(first.0, first.1, second.0, second.1, to.0, to.1);
}

/// The colours of all cards: those of the pages, and so many steps between those that touch.
fn palette(steps: u16) -> Vec<Rgb> {
    let mut palette: Vec<Rgb> = Vec::new();
    for (ground, figure) in EDGES {
        for step in 0..=steps {
            let mixed = |at: usize| {
                let sum = u16::from(ground[at]) * (steps - step) + u16::from(figure[at]) * step;
                u8::try_from((sum + steps / 2) / steps).unwrap_or(u8::MAX)
            };
            let colour = [mixed(0), mixed(1), mixed(2)];
            if !palette.contains(&colour) {
                palette.push(colour);
            }
        }
    }
    palette
}

/// The place in a palette of the colour that is nearest to one.
fn nearest(palette: &[Rgb], colour: Rgb) -> u8 {
    let distance = |other: &Rgb| -> u32 {
        other.iter().zip(colour).map(|(one, two)| u32::from(one.abs_diff(two)).pow(2)).sum()
    };
    let places = (0..=u8::MAX).zip(palette);
    places.min_by_key(|(_, other)| distance(other)).map_or(0, |(place, _)| place)
}

fn encoded(pixels: &Pixmap, palette: &[Rgb]) -> Option<Vec<u8>> {
    let mut known: HashMap<Rgb, u8> = HashMap::new();
    let place = |pixel: &PremultipliedColorU8| {
        let colour = [pixel.red(), pixel.green(), pixel.blue()];
        *known.entry(colour).or_insert_with(|| nearest(palette, colour))
    };
    let places: Vec<u8> = pixels.pixels().iter().map(place).collect();
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, pixels.width(), pixels.height());
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_deflate_compression(DeflateCompression::Level(9));
    encoder.set_filter(Filter::NoFilter);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&places).ok()?;
    writer.finish().ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(title: &str, line: &str) -> Card {
        Card {
            kind: "Casa de show · Cancelado".to_owned(),
            title: title.to_owned(),
            lines: vec![line.to_owned(), line.to_owned()],
            is_uau: true,
            date: Some(DateTile {
                weekday: "quarta".into(), day: "28–29".into(), month: "novembro".into()
            }),
            ..Card::of_page("/event/x", "Candango")
        }
    }

    fn pixels(png: &[u8]) -> Vec<Rgb> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut out = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut out).unwrap();
        out.chunks(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }

    #[test]
    fn words_stay_left_of_the_wall_and_inside_the_sheet() {
        let endless = "supercalifragilistic".repeat(20);
        let long =
            "Feira de artesanato, música, gastronomia e antiguidades da Torre de TV de Brasília ".repeat(4);
        for title in
            ["Bar", "Clube do Choro de Brasília", &long, &endless, "🎉 Ação — “Žižkov” 🎉", "日本", ""]
        {
            let png = png(&card(title, &long)).unwrap();
            assert!(png.len() <= MOST, "{title}: {}", png.len());
            let pixels = pixels(&png);
            let at = |x: usize, y: usize| pixels[y * usize::from(WIDTH) + x];
            for y in 0..usize::from(HEIGHT) {
                let is_free = (650..694).chain(0..56).all(|x| at(x, y) == PAPER);
                assert!(is_free, "{title}: nothing is drawn beside the words at {y}");
            }
            for x in 0..694 {
                assert!(
                    (0..50).chain(580..630).all(|y| at(x, y) == PAPER),
                    "{title}: nor above and below at {x}"
                );
            }
            // the name of the service, the title and the lines do not touch
            assert!((56..648).all(|x| at(x, 118) == PAPER), "{title}");
        }
    }

    #[test]
    fn a_title_is_broken_between_words_and_shortened_at_last() {
        let face = MEDIUM.as_ref().unwrap();
        let style = Style { size: 65.0, spacing: TITLE_SPACING };
        let lines = |text: &str, most: usize| face.lines(text, style, MEASURE, most);
        assert_eq!(lines("Clube do Choro", 1).unwrap(), ["Clube do Choro"]);
        let two = lines("Feira da Torre de TV de Brasília", 2).unwrap();
        assert_eq!((two.len(), two.join(" ").as_str()), (2, "Feira da Torre de TV de Brasília"));
        assert_eq!(lines("Feira da Torre de TV de Brasília", 1), None);
        assert_eq!(lines(&"a".repeat(80), 3), None, "a word is never broken");
        let cut = face.cut(&format!("Ver {} e mais", "a".repeat(80)), style, MEASURE, 2);
        assert_eq!((cut.len(), cut[0].as_str()), (2, "Ver"));
        assert!(cut[1].ends_with('…') && face.width(&cut[1], style) <= MEASURE, "{cut:?}");
        assert_eq!(face.readable("🎉 Ação\t \u{200d}日本 já"), "Ação já");
    }
}
