// Finds the tokens of code by its grammar. This runs in a worker: grammars are regular expressions, and code can be written
// so that they search it for as long as the square of its length.
import { createLowlight } from 'lowlight';
import { GRAMMARS } from './grammars';
import type { Language } from './languages';

/** A piece of code: text, or a token with its classes, which begin with `hl-`. */
export type Piece = string | { readonly classes: string; readonly pieces: readonly Piece[] };

/** What the worker is asked: code, and its language. */
export interface HighlightRequest {
  readonly language: Language;
  readonly code: string;
}

/** Its messages: the search begins, since its grammar is loaded; and at its end the pieces, null if there are none. */
export type HighlightAnswer = 'begins' | readonly Piece[] | null;

/** The deepest nesting of tokens; a token in deeper ones is text. Elements of the page are as deep. */
const DEEPEST = 12;

const known = createLowlight();
type Node = ReturnType<typeof known.highlight>['children'][number];

/** Answers a question of the page. */
export async function answer(
  { language, code }: HighlightRequest,
  tell: (answer: HighlightAnswer) => void,
): Promise<void> {
  try {
    if (!known.registered(language)) known.register(language, (await GRAMMARS[language]()).default);
    tell('begins');
    tell(piecesOf(known.highlight(language, code, { prefix: 'hl-' }).children, DEEPEST));
  } catch {
    tell(null);
  }
}

function piecesOf(nodes: readonly Node[], deepest: number): Piece[] {
  return nodes.flatMap((node) => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return [];
    if (deepest === 0) return textOf(node);
    const { className } = node.properties;
    const classes = Array.isArray(className) ? className.join(' ') : '';
    return { classes, pieces: piecesOf(node.children, deepest - 1) };
  });
}

/** The text of a token however deep it is. */
function textOf(token: Node): string {
  let text = '';
  const rest: Node[] = [token];
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (node.type === 'text') text += node.value;
    else if (node.type === 'element') rest.push(...node.children.toReversed());
  }
  return text;
}
