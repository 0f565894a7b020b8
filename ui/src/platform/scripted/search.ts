// Completions of queries and saved searches of the scripted program.
import type { SavedSearch } from '../../generated/SavedSearch';
import type { Suggestion } from '../../generated/Suggestion';
import { lastToken, tokens } from '../../text/query-text';
import { ScriptedLists } from './lists';
import { impossible } from './refusals';

const MOST = 6;
const NEXT = ['is:unread', 'source:work', 'before:2026-11-01', 'type:activity', 'has:attachment'];
const quoted = (value: string) => (/\s/.test(value) ? `"${value}"` : value);
const KEYS = ['from:', 'is:', 'type:', 'source:', 'reason:', 'before:', 'after:', 'priority:', 'has:', 'tag:', 'in:'];
const DATES = ['2026-11-01', '2026-11', '2026'];
const VALUES: Record<string, readonly string[]> = {
  is: ['unread', 'read', 'pinned', 'snoozed', 'done', 'muted', 'quiet', 'merged', 'closed', 'bot'],
  type: ['announcement', 'activity', 'message'],
  reason: ['comment', 'review-requested'],
  has: ['attachment', 'link'],
  priority: ['4', '5'],
  before: DATES,
  after: DATES,
};

export class ScriptedSearch extends ScriptedLists {
  async suggest(query: string): Promise<Suggestion[]> {
    this.asked.push(['suggest', query]);
    const last = lastToken(query).toLowerCase();
    const used = new Set(tokens(query).map((token) => token.split(':')[0]));
    const found = [...this.#all()].filter(({ token }) => token.startsWith(last) && token !== last);
    if (last !== '' && found.length > 0) return found.slice(0, MOST);
    return NEXT.filter((token) => !used.has(token.split(':')[0]))
      .slice(0, 3)
      .map((token) => ({ token, label: '', completes: false }));
  }

  *#all(): Generator<Suggestion> {
    for (const token of KEYS) yield { token, label: '', completes: true };
    for (const [key, values] of Object.entries(VALUES))
      for (const value of values) yield { token: `${key}:${value}`, label: '', completes: true };
    for (const { name } of this.sources)
      if (name) yield { token: `source:${quoted(name.toLowerCase())}`, label: name, completes: true };
    const people = new Set(this.inbox.flatMap(({ items }) => items.map((item) => item.actor)));
    for (const name of people)
      yield { token: `from:${name.split(' ')[0]?.toLowerCase()}`, label: name, completes: true };
  }

  async saveSearch(search: SavedSearch): Promise<SavedSearch[]> {
    this.asked.push(['saveSearch', search]);
    const id = search.id || Math.max(0, ...this.saved.map((one) => one.id)) + 1;
    const query = search.query.trim();
    if (query === '') throw impossible(this.now.lang_now);
    const whole = { ...search, id, query, name: search.name.trim() || query };
    const known = this.saved.some((one) => one.id === id);
    return this.#keep(
      known ? this.saved.map((one) => (one.id === id ? { ...one, ...whole } : one)) : [...this.saved, whole],
    );
  }

  async removeSearch(id: number): Promise<SavedSearch[]> {
    this.asked.push(['removeSearch', id]);
    return this.#keep(this.saved.filter((one) => one.id !== id));
  }

  async orderSearches(ids: number[]): Promise<SavedSearch[]> {
    this.asked.push(['orderSearches', ids]);
    const named = ids.flatMap((id) => this.saved.filter((one) => one.id === id));
    return this.#keep([...named, ...this.saved.filter((one) => !named.includes(one))]);
  }

  #keep(saved: SavedSearch[]): SavedSearch[] {
    this.saved = saved;
    return saved;
  }
}
