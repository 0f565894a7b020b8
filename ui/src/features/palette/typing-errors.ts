// Whether a typed word is a word of a text with a typing error: a letter left out, doubled, exchanged, or mistaken.

/** The number of errors that are forgiven in a word of this length. */
const forgiven = (length: number) => (length < 4 ? 0 : length < 8 ? 1 : 2);

/** The least number of errors in `typed`, if it is meant as the beginning of `word`. */
function errors(typed: string, word: string): number {
  let before: number[] = [];
  let row = Array.from({ length: word.length + 1 }, (_, at) => at);
  for (let i = 1; i <= typed.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= word.length; j += 1) {
      const same = typed[i - 1] === word[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      // Two letters in the wrong order are one error.
      if (i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return Math.min(...row);
}

/** Whether a word of the text begins like the typed one, but for typing errors. */
export function isNearly(text: string, typed: string): boolean {
  const most = forgiven(typed.length);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return most > 0 && words.some((word) => word.length + most >= typed.length && errors(typed, word) <= most);
}
