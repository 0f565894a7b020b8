// Tests that foreign text has the direction of its own letters, and turns round nothing beside it.
import { expect, test } from 'vitest';
import type { ThreadRow } from '../src/generated/ThreadRow';
import type { Scripted } from '../src/platform/scripted/scripted';
import { openArticle } from './support/article';
import { find, known, open, row, sendThreads, until } from './support/page';

const directionOf = (element: Element | null | undefined) => element?.getAttribute('dir');

/** Changes the first row for good: the program sends it again with each mark. */
function change(platform: Scripted, part: Partial<ThreadRow>): void {
  const thread = known(platform, 1);
  thread.row = { ...thread.row, ...part };
  sendThreads(platform, thread.row);
}

test('each_text_of_a_row_is_read_in_its_own_direction', async () => {
  const { platform } = await open();
  const hebrew = [{ text: 'שלום עולם', strong: true, found: false }];
  change(platform, { who: 'תמונות', what: hebrew, snippet: '14.2 GB' });
  await until(() => row(1).textContent?.includes('שלום'));
  for (const part of ['.thread-who', '.thread-what', '.thread-preview']) {
    expect(directionOf(row(1).querySelector(part)), part).toBe('auto');
  }
  expect(directionOf(row(1).querySelector('.thread-what b')), 'it decides for its line').toBeNull();
  expect(directionOf(find('[data-place="inbox"] .ellipsis'))).toBe('auto');
});

test('the_target_of_a_sentence_stands_apart_and_stays_in_one_piece_where_a_part_was_found', async () => {
  const { platform } = await open();
  const what = [
    { text: 'commented on ', strong: false, found: false },
    { text: 'שלום', strong: true, found: true },
    { text: ' עולם', strong: true, found: false },
  ];
  change(platform, { what });
  await until(() => row(1).textContent?.includes('שלום'));
  const strong = [...row(1).querySelectorAll('.thread-what b')];
  expect(strong.map((one) => [directionOf(one), one.textContent])).toEqual([['auto', 'שלום עולם']]);
  expect(strong[0]?.querySelector('mark')?.textContent).toBe('שלום');
});

test('title_actor_and_body_in_the_pane_are_read_in_their_own_direction', async () => {
  await openArticle();
  for (const part of ['.sheet-title', '.item-head b', '.md']) {
    expect(directionOf(find(`.reading-pane ${part}`)), part).toBe('auto');
  }
});
