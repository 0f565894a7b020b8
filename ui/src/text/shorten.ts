// Shortening of texts that stand inside a sentence.

/** The text with at most `most` characters, the last one an ellipsis if something is left out. */
export function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length > most
    ? `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
    : text;
}
