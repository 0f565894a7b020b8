// The documents of the project, as tests compare them with the page.
import { readFileSync } from 'node:fs';

/** The text of a document in docs/. Tests run in ui/. */
export const documentOf = (name: string): string => readFileSync(`../docs/${name}.md`, 'utf8');
