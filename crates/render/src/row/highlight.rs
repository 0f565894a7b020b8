//! Marks in the texts of a row what was searched for.

use tidings_ipc::Span;

use super::super::plain::{fold, hits};

/// Splits spans where a highlighted word or phrase begins and ends. Letter case is ignored.
pub(super) fn highlight(spans: Vec<Span>, highlights: &[String]) -> Vec<Span> {
    let highlights: Vec<Vec<char>> = highlights
        .iter()
        .map(|highlight| highlight.trim().chars().map(fold).collect())
        .filter(|highlight: &Vec<char>| !highlight.is_empty())
        .collect();
    spans.into_iter().flat_map(|span| split(&span, &highlights)).collect()
}

fn split(span: &Span, highlights: &[Vec<char>]) -> Vec<Span> {
    let letters: Vec<char> = span.text.chars().collect();
    let folded: Vec<char> = letters.iter().copied().map(fold).collect();
    let mut hit = vec![false; letters.len()];
    for highlight in highlights {
        for at in hits(&folded, highlight) {
            hit.iter_mut().skip(at).take(highlight.len()).for_each(|h| *h = true);
        }
    }
    let mut out: Vec<Span> = Vec::new();
    for (letter, is_hit) in letters.into_iter().zip(hit) {
        match out.last_mut() {
            Some(last) if last.found == is_hit => last.text.push(letter),
            _ => out.push(Span { text: letter.to_string(), strong: span.strong, found: is_hit }),
        }
    }
    out
}
