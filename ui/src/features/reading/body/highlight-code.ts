// Highlights code by its grammar. Tokens become elements one by one: no text is ever parsed as HTML here.
import { createLowlight } from 'lowlight';
import type { Language } from './languages';

const known = createLowlight();
type Part = ReturnType<typeof known.highlight>['children'][number];

/** The highlighted code, with classes that begin with `hl-`. */
export async function coloured(code: string, { name, grammar }: Language): Promise<Node[]> {
  if (!known.registered(name)) known.register(name, (await grammar()).default);
  return known.highlight(name, code, { prefix: 'hl-' }).children.flatMap(nodeOf);
}

function nodeOf(part: Part): Node[] {
  if (part.type === 'text') return [document.createTextNode(part.value)];
  if (part.type !== 'element') return [];
  const span = document.createElement('span');
  const { className } = part.properties;
  if (Array.isArray(className)) span.className = className.join(' ');
  span.append(...part.children.flatMap(nodeOf));
  return [span];
}
