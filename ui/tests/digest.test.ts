// Tests of the digest: the offer after an absence, the page, its keys, and archiving what it shows.
import { expect, test, vi } from 'vitest';
import { violations } from './support/axe';
import { asked, button, clickOn, find, hasButton, open, press, snackbar, there, until } from './support/page';
import { styleOf } from './support/styles';

const banner = () => document.querySelector('[data-testid="away"]')?.textContent?.replace(/\s+/g, ' ').trim();
const lead = () => document.querySelector('[data-testid="digest-lead"]')?.textContent?.trim() ?? '';
const lines = () => [...document.querySelectorAll<HTMLElement>('[data-digest-thread]')];
const threads = () => lines().map((line) => Number(line.dataset.digestThread));
const focused = () => Number((document.activeElement as HTMLElement).dataset.digestThread);

/** The page with the focus of the desktop, on which presence depends. */
function openHere(query = '', prepare?: Parameters<typeof open>[1]) {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  return open(query, prepare);
}

async function digest(query = '') {
  const opened = await openHere(query);
  press('g');
  press('w');
  await until(() => lines().length > 0);
  await until(() => document.activeElement === lines()[0]);
  return opened;
}

test('after_a_night_a_digest_is_offered_and_opened', async () => {
  const { platform } = await openHere('away');
  await until(() => banner()?.startsWith('While you were away: 214 new since yesterday 18:20'));
  button('Open digest').click();
  await until(() => lines().length > 0);
  expect(lead()).toMatch(/^\d+ notifications in \d+ threads from \d+ sources since yesterday 18:20$/);
  expect(banner()).toBeUndefined();
  expect(asked(platform, 'closeAway').length).toBe(1);
  expect(asked(platform, 'digest')).toEqual([['digest', { since: null, last_item: null }]]);
});

test('the_offer_can_be_dismissed_and_nothing_is_forced', async () => {
  const { platform } = await openHere('away&lang=zh');
  await until(() => banner()?.includes('离开期间：昨天 18:20 以来有 214 条新通知'));
  expect(document.querySelector('.digest')).toBeNull();
  find('[data-testid="away"] .icon-btn').click();
  await until(() => banner() === undefined);
  expect(asked(platform, 'closeAway').length).toBe(1);
});

test('being_at_the_window_is_reported_once_a_minute_at_most_and_only_with_its_focus', async () => {
  const { platform } = await openHere();
  await until(() => asked(platform, 'here').length === 1);
  for (const key of ['j', 'k', 'j']) press(key);
  expect(asked(platform, 'here').length).toBe(1);
});

test('a_window_without_the_focus_is_no_presence_and_one_that_gets_it_is', async () => {
  const focus = vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  const { platform } = await open();
  press('j');
  window.dispatchEvent(new FocusEvent('focus'));
  platform.emit({ event: 'sync', sync: { ...platform.sync, up_to_date: false }, sources: platform.sources });
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
  expect(asked(platform, 'here')).toEqual([]);
  focus.mockReturnValue(true);
  window.dispatchEvent(new FocusEvent('focus'));
  expect(asked(platform, 'here').length).toBe(1);
});

test('what_a_pull_brings_after_an_absence_is_asked_for_again', async () => {
  const { platform } = await openHere('offline');
  await until(() => asked(platform, 'here').length === 1);
  platform.digests.away = { since: new Date(2026, 10, 19, 18, 20).getTime(), items: 40 };
  platform.emit({ event: 'sync', sync: { ...platform.sync, up_to_date: true }, sources: platform.sources });
  await until(() => banner()?.includes('40 new'));
});

test('the_lines_are_moved_along_opened_and_archived_by_keys_and_that_is_undone', async () => {
  const { platform } = await digest();
  const [first, second, third] = threads();
  press('j');
  await until(() => focused() === second);
  press('ArrowDown');
  await until(() => focused() === third);
  press('k');
  await until(() => focused() === second);
  expect(lines().filter((line) => line.tabIndex === 0).length).toBe(1);
  press('e');
  await until(() => !threads().includes(second ?? 0));
  expect(asked(platform, 'archiveDigest')[0]?.[1]).toMatchObject({ thread: second, source: null, last_item: 1 });
  await until(() => focused() === third);
  await until(() => /notifications? archived/.test(snackbar()));
  press('z');
  await until(() => threads().includes(second ?? 0));
  await until(() => /(is|are) back/.test(snackbar()));
  lines()[0]?.click();
  await until(() => document.querySelector('.sheet') !== null);
  expect(find(`[data-thread-id="${first}"]`).getAttribute('aria-selected')).toBe('true');
});

test('letters_of_the_list_mark_nothing_behind_the_digest', async () => {
  const { platform } = await digest();
  for (const key of ['u', 'p', 's', 'h', 'x', 'I']) press(key);
  // What was on screen for a moment is seen, whatever is pressed.
  const marked = asked(platform, 'mark').filter(([, , mark]) => (mark as { op: string }).op !== 'seen');
  expect(marked).toEqual([]);
  expect(asked(platform, 'markAllRead')).toEqual([]);
  expect(document.querySelector('.snooze')).toBeNull();
  press('Escape');
  await until(() => document.querySelector('.digest') === null && document.querySelector('.list') !== null);
});

test('a_source_or_everything_that_is_shown_is_archived_and_comes_back', async () => {
  const { platform } = await digest();
  const all = lead();
  await clickOn('[data-archive-source="2"]');
  await until(() => document.querySelector('[data-archive-source="2"]') === null);
  press('z');
  await until(() => lead() === all);
  button('Archive all').click();
  await until(() => document.querySelector('.digest .empty')?.textContent?.includes('All archived'));
  expect(asked(platform, 'archiveDigest').at(-1)?.[1]).toMatchObject({ thread: null, source: null, last_item: 1 });
  // Made again as it was, not with what arrived since.
  expect(asked(platform, 'digest').at(-1)?.[1]).toMatchObject({ last_item: 1 });
  press('z');
  await until(() => lead() === all);
});

test('another_span_is_chosen_and_an_empty_one_says_so', async () => {
  const { platform } = await digest();
  const select = find<HTMLSelectElement>('.digest select');
  const choose = (value: string) => {
    select.value = value;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  };
  choose('week');
  await until(() => asked(platform, 'digest').length === 2);
  const now = new Date(2026, 10, 20, 9, 42).getTime();
  expect(asked(platform, 'digest')[1]?.[1]).toEqual({ since: now - 7 * 86_400_000, last_item: null });
  await until(() => document.querySelector('.digest-chart figcaption')?.textContent?.includes('By day'));
  choose('time');
  await there('.calendar td');
  find('.popover form [type="submit"]').click();
  await until(() => asked(platform, 'digest').length === 3);
  platform.inbox = [];
  choose('night');
  await until(() => document.querySelector('.digest .empty')?.textContent?.includes('Nothing new'));
  expect(hasButton('Archive all')).toBe(false);
});

test('a_thread_that_does_not_count_has_no_dot_of_the_accent_and_says_that_it_is_quiet', async () => {
  const { platform } = await digest();
  const counted = platform.inbox.filter(({ row }) => row.unread > 0 && row.counts).map(({ row }) => row.id);
  const unread = lines().filter((line) => line.matches('.is-unread'));
  const shown = unread.filter((line) => !line.matches('.is-uncounted'));
  expect(shown.map((line) => counted.includes(Number(line.dataset.digestThread)))).not.toContain(false);
  expect(shown.length).toBeLessThan(unread.length);
  expect(styleOf('.digest-line.is-uncounted.is-unread .digest-dot', 'background')).toBe('none');
});

test('the_ring_of_a_line_is_whole_in_a_narrow_window_too_and_as_far_out_on_both_sides', () => {
  expect(styleOf('.digest-line:is(:focus-visible, :where(.by-key) :focus)', 'outline-offset')).toBe('-2px');
  const out = Number(/^-(\d+)px$/.exec(styleOf('.digest-line', 'margin-inline') ?? '')?.[1]);
  expect(styleOf('.digest-line', 'width')).toBe(`calc(100% + ${2 * out}px)`);
  expect(styleOf('.digest-line', 'padding-inline'), 'the time ends where the column does').toBe(`0 ${out}px`);
  expect([styleOf('.prefs', 'padding'), styleOf(':root', '--s4')], 'the edge of a narrow page').toEqual([
    'var(--s4)',
    '16px',
  ]);
  expect(out).toBeLessThanOrEqual(14);
});

test('the_chart_is_a_table_for_whoever_cannot_see_it', async () => {
  await digest();
  const bars = document.querySelectorAll('.digest-plot rect').length;
  expect(bars).toBe(16);
  expect(find('.digest-plot').getAttribute('aria-hidden')).toBe('true');
  expect(find('.digest-chart caption').textContent).toBe('By hour');
  expect(find('.digest-plot > span').textContent).toMatch(/^Most in an hour: \d+$/);
  expect(document.querySelectorAll('.digest-chart tbody tr').length).toBeGreaterThan(0);
});

test.each(['', 'lang=zh&theme=dark'])('axe_finds_nothing_in_the_digest %s', async (query) => {
  await digest(query);
  expect(await violations()).toEqual([]);
});

test('axe_finds_nothing_in_the_offer', async () => {
  await openHere('away');
  await until(() => banner());
  expect(await violations()).toEqual([]);
});
