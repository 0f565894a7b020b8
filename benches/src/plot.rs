//! Plots of growth as SVG: how figures change while an inbox grows, both axes in powers of ten.

use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 45.0;
/// Colours that differ clearly on white and on black.
const COLOURS: [&str; 6] = ["#2d6cdf", "#d9822b", "#2f9e63", "#b5479d", "#8a7a2f", "#7a6ff0"];

/// A line of a plot: its name, and its points as items and values.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A range in powers of ten that holds all these values.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (v.min(low), v.max(high)));
    let (low, high) = (low.log10().floor(), high.log10().ceil());
    (low, if high > low { high } else { low + 1.0 })
}

/// Draws the lines as an SVG file's text, with the name of the plot and of its horizontal axis. `label` names a value.
pub(crate) fn draw(lines: &[Line], [title, axis]: [&str; 2], label: fn(f64) -> String) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let ((x_low, x_high), (y_low, y_high)) =
        (decades(points().map(|(x, _)| *x)), decades(points().map(|(_, y)| *y)));
    let x = |items: f64| LEFT + (items.log10() - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
    let y =
        |value: f64| HEIGHT - BOTTOM - (value.log10() - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" fill=\"#888\">\n<title>{title}</title>\n"
    );
    let (mut power, bottom) = (y_low, HEIGHT - BOTTOM);
    while power <= y_high {
        let value = 10_f64.powf(power);
        let (at, label) = (y(value), label(value));
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#8884\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0
        );
        power += 1.0;
    }
    let mut power = x_low;
    while power <= x_high {
        let items = 10_f64.powf(power);
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{items:.0}</text>",
            x(items),
            bottom + 18.0
        );
        power += 1.0;
    }
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{:.1}\">{axis}</text>", bottom + 36.0);
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let path: Vec<String> =
            line.points.iter().map(|(items, value)| format!("{:.1} {:.1}", x(*items), y(*value))).collect();
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join("L")
        );
        if let Some((items, value)) = line.points.last() {
            let name = line.name.replace('&', "&amp;").replace('<', "&lt;");
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
                x(*items) + 8.0,
                y(*value) + 4.0
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}
