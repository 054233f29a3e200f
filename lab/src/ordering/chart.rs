//! The rows as SVG: for every variant a bar of its nodes, and beside it a bar of its Elo.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::row::ResultRow;

/// Height of a bar and the gap below it in pixels.
const LINE: u32 = 18;
/// Height of the space above and below the bars in pixels.
const FRAME: u32 = 100;
/// Width of a panel in pixels.
const PANEL: u32 = 420;
/// Approximate width of a letter in pixels.
const LETTER: u32 = 7;

/// Bars are cut at these differences, in percent of nodes and in Elo; the value of a cut bar is
/// written beside it.
const MOST: [f64; 2] = [60.0, 150.0];

struct Bar {
    /// Length of the bar, from 0.
    value: f64,
    /// 95% interval of the value.
    interval: (f64, f64),
}

/// Draws all variants as SVG, the one with the fewest nodes first.
///
/// # Errors
/// The reason why the numbers cannot be drawn.
pub fn svg(rows: &[ResultRow]) -> Result<String, String> {
    let mut rows: Vec<_> = rows.iter().filter(|row| !row.is_default()).collect();
    rows.sort_by(|a, b| a.mean_percent.total_cmp(&b.mean_percent));
    let mut text = String::new();
    draw(&rows, &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn draw(rows: &[&ResultRow], text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let longest = rows.iter().map(|row| row.full_name().len()).max();
    let names = LETTER * longest.unwrap_or(0) as u32 + 24;
    let played = rows.iter().any(|row| row.elo().is_some());
    let panels = if played { 2 * PANEL } else { PANEL };
    let size = (names + panels, FRAME + LINE * rows.len().max(1) as u32);
    let area = SVGBackend::with_string(text, size).into_drawing_area();
    area.fill(&WHITE)?;
    let area = area.titled(
        "Variant against default, with 95% intervals",
        ("sans-serif", 18),
    )?;
    // Without games the right part is empty.
    let (left, right) = area.split_horizontally(names + PANEL);
    let nodes = rows.iter().map(|row| {
        Some(Bar {
            value: row.mean_percent,
            interval: (row.mean_low, row.mean_high),
        })
    });
    let elo = rows.iter().map(|row| {
        let (elo, error) = row.elo()?;
        (elo.is_finite() && error.is_finite()).then_some(Bar {
            value: elo,
            interval: (elo - error, elo + error),
        })
    });
    let places = panel(
        &left,
        names,
        ("nodes, % (geometric mean)", MOST[0]),
        (BLUE, RED),
        &nodes.collect::<Vec<_>>(),
    )?;
    let style = ("sans-serif", 12)
        .into_text_style(&area)
        .pos(Pos::new(HPos::Right, VPos::Center));
    // The pixel coordinates of the panel are those of the whole image.
    let origin = left.get_pixel_range();
    for (row, (x, y)) in rows.iter().zip(places) {
        let at = (x - 8 - origin.0.start, y - origin.1.start);
        left.draw_text(&row.full_name(), &style, at)?;
    }
    if played {
        let axis = ("Elo", MOST[1]);
        panel(&right, 16, axis, (RED, BLUE), &elo.collect::<Vec<_>>())?;
    }
    area.present()?;
    Ok(())
}

/// Draws one panel with a color for values below 0 and one for values above. Returns the left end
/// of each line in pixels.
fn panel(
    area: &DrawingArea<SVGBackend, Shift>,
    margin: u32,
    (axis, most): (&str, f64),
    (below, above): (RGBColor, RGBColor),
    bars: &[Option<Bar>],
) -> Result<Vec<(i32, i32)>, Box<dyn std::error::Error>> {
    let ends = bars
        .iter()
        .flatten()
        .flat_map(|bar| [bar.interval.0, bar.interval.1]);
    let (low, high) = ends.fold((-1.0_f64, 1.0_f64), |(low, high), end| {
        (low.min(end), high.max(end))
    });
    let (low, high) = (1.1 * low.max(-most), 1.1 * high.min(most));
    // The first line is on top.
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(margin)
        .build_cartesian_2d(low..high, bars.len().max(1) as f64..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 12))
        .x_desc(axis)
        .draw()?;
    let inside = |value: f64| value.clamp(low, high);
    let is_inside = |value: f64| (low..=high).contains(&value);
    for (line, bar) in bars.iter().enumerate() {
        let (top, middle) = (line as f64 + 0.15, line as f64 + 0.5);
        let Some(bar) = bar else { continue };
        let color = if bar.value < 0.0 { below } else { above };
        let corners = [(0.0, top), (inside(bar.value), top + 0.7)];
        let (from, to) = bar.interval;
        let whisker = [(inside(from), middle), (inside(to), middle)];
        chart.draw_series([Rectangle::new(corners, color.mix(0.5).filled())])?;
        chart.draw_series([PathElement::new(whisker, BLACK)])?;
        for end in [from, to].into_iter().filter(|&end| is_inside(end)) {
            let tick = [(end, middle - 0.2), (end, middle + 0.2)];
            chart.draw_series([PathElement::new(tick, BLACK)])?;
        }
        if !is_inside(bar.value) {
            let side = if bar.value < 0.0 {
                HPos::Left
            } else {
                HPos::Right
            };
            let style = ("sans-serif", 11)
                .into_text_style(area)
                .pos(Pos::new(side, VPos::Center));
            let text = format!(" {:+.0} ", bar.value);
            chart.draw_series([Text::new(text, (inside(bar.value), middle), style)])?;
        }
    }
    chart.draw_series([PathElement::new(
        [(0.0, 0.0), (0.0, bars.len() as f64)],
        BLACK,
    )])?;
    let place = |line: usize| {
        chart
            .plotting_area()
            .map_coordinate(&(low, line as f64 + 0.5))
    };
    Ok((0..bars.len()).map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::records::tests::row;
    use crate::ordering::variants::DEFAULT;

    #[test]
    fn every_variant_has_a_name_and_a_bar() {
        let mut rows = vec![row(DEFAULT, "", 1000, 0)];
        for number in 0..60 {
            rows.push(row(
                "technique",
                &number.to_string(),
                950 + 2 * number,
                number,
            ));
        }
        rows.push(row("explosion", "", 9000, 0));
        let svg = svg(&rows).expect("a chart");
        for row in &rows[1..] {
            let name = format!("{}\n</text>", row.full_name());
            assert_eq!(svg.matches(&name).count(), 1, "{name}");
        }
        assert!(!svg.contains(&format!(">\n{DEFAULT}\n")), "{svg}");
        assert!(svg.contains("+800"), "{svg}");
    }

    #[test]
    fn a_panel_without_games_is_left_out() {
        assert!(svg(&[]).expect("a chart").starts_with("<svg"));
        let [without, with] = [0, 2].map(|games| svg(&[row("killers", "off", 1031, games)]));
        assert!(!without.expect("a chart").contains("\nElo\n"));
        assert!(with.expect("a chart").contains("\nElo\n"));
    }
}
