// The source of a rule, by its name.
import type { Completion } from '../../../components/forms/completion-list.svelte';
import type { RuleWhen } from '../../../generated/RuleWhen';
import type { SourceRow } from '../../../generated/SourceRow';
import { i18n } from '../../../i18n/all';
import { nameOf } from '../../../state/sources/sync-text';

const MOST = 8;
const fold = (text: string) => text.trim().toLowerCase();

/** The name of a rule's source as its field has it; empty for any source. */
export function sourceText({ source: id }: RuleWhen, sources: readonly SourceRow[]): string {
  if (id === null) return '';
  const source = sources.find((one) => one.id === id);
  return source ? nameOf(source, i18n.t) : i18n.t.ruleSourceGone;
}

/** The source with exactly this name. */
export function sourceCalled(text: string, sources: readonly SourceRow[]): SourceRow | undefined {
  return sources.find((one) => fold(nameOf(one, i18n.t)) === fold(text));
}

/** The sources of which the name, or a word of it, begins like the text. */
export function sourcesFor(text: string, sources: readonly SourceRow[]): Completion[] {
  const names = sources.map((one) => nameOf(one, i18n.t));
  const fits = (name: string) => [name, ...name.split(/\s+/)].some((word) => fold(word).startsWith(fold(text)));
  return names
    .filter(fits)
    .slice(0, MOST)
    .map((value) => ({ value, name: '' }));
}
