// Tests in a made-up language, with longer texts in brackets, that only what the program said stands outside of brackets.
import { expect, test, vi } from 'vitest';
import { allEn as en } from '../src/i18n/all';
import { i18n } from '../src/i18n/i18n.svelte';
import type { Scripted } from '../src/platform/scripted/scripted';
import { tauri } from '../src/platform/tauri';
import type { SettingsSection, SettingsTab } from '../src/state/navigation/navigation.svelte';
import { clickOn, open, press, there } from './support/page';
import { openSection, settings, tabOf } from './support/settings';

const LETTER = /\p{L}/u;
const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** A table with each text 30 % longer and in brackets. Figures alone stay as they are. */
function pseudo(of: unknown): unknown {
  if (typeof of === 'string') return LETTER.test(of) ? `⟦${of}${'~'.repeat(Math.ceil(0.3 * of.length))}⟧` : of;
  if (typeof of === 'function') return (...args: unknown[]) => pseudo(of(...args));
  if (typeof of !== 'object' || of === null) return of;
  if (Array.isArray(of)) return of.map(pseudo);
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, pseudo(value)]));
}

/** What the program said, each text with its parts: words between tags, and parts of addresses. */
const said = new Set<string>();
function kept(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(kept);
  const parts = typeof value === 'string' ? [value, ...value.split(/<[^>]*>|[/"]+/)] : [];
  for (const part of parts) if (LETTER.test(part)) said.add(plain(part));
  return value;
}

/** Puts the page into the made-up language, and keeps what its program answers. */
function prepare(platform: Scripted): void {
  vi.spyOn(i18n, 't', 'get').mockReturnValue(pseudo(en) as typeof en);
  const all = platform as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const name of Object.keys(tauri)) {
    const command = all[name]?.bind(platform);
    if (command) all[name] = (...args) => command(...args).then(kept);
  }
}

/** What is left of texts without what is in brackets, which may begin in one text and end in a later one. */
function outside(texts: readonly string[]): string[] {
  let depth = 0;
  const isOutside = (char: string) => {
    depth += char === '⟦' ? 1 : char === '⟧' ? -1 : 0;
    return depth === 0 && char !== '⟧';
  };
  const left = texts.map((text) => [...text].filter(isOutside).join(''));
  expect(depth, `a text is cut in: ${texts.join(' ')}`).toBe(0);
  return left;
}

/** What is the same in each language: keys, sizes, names of languages; and times, which `Intl` writes. */
const NEUTRAL = [
  /\((?:(?:Ctrl|Shift|Alt)\+)*(?:\S|[a-z] \w|Esc|Enter|Home|End|F\d+)\)/gu,
  /\b\d+(?:\.\d+)? (?:[KMG]i?B|bytes?)\b|English|简体中文/g,
  /\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\b(?:Mon?|Tue?|Wed?|Thu?|Fri?|Sat?|Sun?)\b|\d at \d|\d UTC\b/g,
  /\b\d+ (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\bNovember 2026\b/g,
];

/** The texts and names on the page that neither the table has nor the program said. */
function untranslated(): string[] {
  const texts: string[] = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode())
    if (!node.parentElement?.closest('kbd, code, pre, .avatar, style')) texts.push(node.nodeValue ?? '');
  const names = ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt'].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].flatMap((one) => outside([one.getAttribute(name) ?? ''])),
  );
  const longest = [...said].sort((a, b) => b.length - a.length);
  const isForeign = (text: string) => {
    const known = longest.filter((one) => text.includes(one)).join('\n');
    const pattern = known.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\n', '|') || '$';
    const data = new RegExp(`(?<!\\p{L})(?:${pattern})(?!\\p{L})`, 'gu');
    return LETTER.test([/https?:\/\/\S*/g, data, ...NEUTRAL].reduce((rest, one) => rest.replaceAll(one, ' '), text));
  };
  return [...new Set([...outside(texts), ...names])].map(plain).filter(isForeign);
}

// Keys are pressed (`^k` is Ctrl+K), and what is there is clicked; the last step is there in the end.
test.each([
  ['', '.rows .thread'],
  ['offline&quiet', '[data-testid="sync"]'],
  ['first-run', '.welcome-foot'],
  ['open=2', '.sheet'],
  ['open=1', '.attachment'],
  ['open=5', '[data-receipt]', '.popover time'],
  ['open=5', '[data-members]', '.popover li'],
  ['open=2', '.reading-pane [data-snooze]', '[data-calendar]', '.calendar td'],
  ['', '[data-filters]', '[data-command="group-day"]'],
  ['', 'j', 'x', '[data-testid="selected"]'],
  ['', '^k', '.palette [role="option"]'],
  ['', '?', '[role="dialog"]'],
  ['', 'c', '[role="dialog"]'],
])('the_window_has_no_text_of_its_own: "%s" %s %s', async (query, ...steps) => {
  await open(query, prepare);
  for (const step of steps.slice(0, -1))
    if (step.length > 2) await clickOn(step);
    else press(step.slice(-1), { ctrlKey: step.startsWith('^') });
  await there(steps.at(-1) ?? '');
  expect(untranslated()).toEqual([]);
});

test.each<[SettingsTab | SettingsSection, add?: string]>([
  ['general'],
  ...[...new Set(Object.values(tabOf))].map((tab): [SettingsTab] => [tab]),
  ['sources', '[data-add-source]'],
  ['rules', '[data-add-rule]'],
  ['topics', '[data-add-topic]'],
  ['tokens', '[data-make-token]'],
  ['people', '[data-add-user]'],
  ['quiet-hours', '[data-add-quiet]'],
])('settings_%s_have_no_text_of_their_own %s', async (page, add) => {
  await settings(page, '', prepare);
  for (const [section, tab] of Object.entries(tabOf)) if (tab === page) await openSection(section as SettingsSection);
  if (add) await clickOn(add).then(() => there('[role="dialog"], .quiet-form'));
  expect(untranslated()).toEqual([]);
});
