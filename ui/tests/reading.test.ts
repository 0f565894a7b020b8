// Stories of reading: what stands where in a long thread, files, and what can be done with a single item.
import { expect, test } from 'vitest';
import type { ItemView } from '../src/generated/ItemView';
import type { MenuEntry } from '../src/generated/MenuEntry';
import type { Scripted } from '../src/platform/scripted/scripted';
import { chosen, find, open, press, row, said, snack, until } from './window';

const BACKUPS = 1;
const ARTICLE = 2;
const CREW = 5;
const LOG = `m${BACKUPS}`;

const asked = (platform: Scripted, what: string) => platform.asked.filter(([name]) => name === what);
const items = () =>
  [...document.querySelectorAll<HTMLElement>('[data-item-msgid]')].map((item) => item.dataset.itemMsgid);
const button = (within: string, words: string) => {
  const found = [...document.querySelectorAll<HTMLElement>(`${within} button`)].find(
    (one) => one.textContent?.trim() === words || one.getAttribute('aria-label') === words,
  );
  if (!found) throw new Error(`no button ${words}`);
  return found;
};
const facts = () =>
  [...document.querySelectorAll('.sheet-sub > span:not([aria-hidden])')].map((one) => one.textContent);

function known(platform: Scripted, id: number) {
  const found = platform.known.find((one) => one.row.id === id);
  if (!found) throw new Error(`no thread ${id}`);
  return found;
}

/** All of a thread in one answer, as the program gives a short one. */
const whole = (id: number) => (platform: Scripted) => {
  known(platform, id).earlier = 0;
};

/** A thread of `count` comments, of which the program gives fifty at a time. */
const long =
  (count: number, unread = 0) =>
  (platform: Scripted) => {
    const thread = known(platform, ARTICLE);
    const like = thread.items[0] as ItemView;
    thread.items = Array.from({ length: count }, (_, at) => ({
      ...like,
      msgid: `l${at}`,
      time: like.time + at * 60_000,
      body: `Comment ${at}`,
      unread: at >= count - unread,
    }));
    thread.since = null;
    thread.row = { ...thread.row, unread };
    const whole = platform.thread.bind(platform);
    platform.thread = async (id, before) => {
      const view = await whole(id, null);
      const end = before === null ? count : thread.items.findIndex((item) => item.msgid === before);
      const start = Math.max(0, end - 50);
      return { ...view, items: thread.items.slice(start, end), earlier: start };
    };
  };

async function openArticle(prepare: (platform: Scripted) => void = () => {}, query = '') {
  const opened = await open(`open=${ARTICLE}${query}`, prepare);
  await until(() => document.querySelector('.sheet'));
  return opened;
}

test('what_was_read_stands_behind_earlier_and_comes_at_once', async () => {
  const { platform } = await openArticle(whole(ARTICLE));
  expect(find('.earlier').textContent).toContain('4 earlier comments');
  expect(find('.earlier').textContent).toContain('EN');
  expect(items()).toEqual(['c5', 'c6', 'c7']);
  expect(find('.sheet').querySelector('.since')?.nextElementSibling).toBe(find('[data-item-msgid="c5"]'));
  find('.earlier').click();
  await until(() => items().length === 7);
  expect(document.querySelector('.earlier')).toBeNull();
  expect(find('.since').nextElementSibling).toBe(find('[data-item-msgid="c5"]'));
  expect(asked(platform, 'thread').filter(([, , before]) => before !== null)).toEqual([]);
});

test('earlier_pages_come_in_as_one_scrolls_up_once_the_first_was_asked_for', async () => {
  await openArticle(long(130));
  expect(find('.earlier').textContent).toContain('80 earlier comments');
  const box = find('.read .scroll');
  const scrollTo = (top: number) => {
    box.scrollTop = top;
    box.dispatchEvent(new Event('scroll'));
  };
  find('.earlier').click();
  await until(() => items().length === 100);
  Object.defineProperty(box, 'clientHeight', { value: 600, configurable: true });
  scrollTo(5000);
  expect(items().length).toBe(100);
  scrollTo(300);
  await until(() => items().length === 130);
  expect(new Set(items()).size).toBe(130);
  expect(document.querySelector('.earlier')).toBeNull();
});

test('with_more_new_items_than_a_page_holds_new_since_comes_with_the_last_read_one', async () => {
  await openArticle(long(80, 60));
  expect(document.querySelector('.since')).toBeNull();
  find('.earlier').click();
  await until(() => document.querySelector('.since'));
  expect(find('.since').nextElementSibling).toBe(find('[data-item-msgid="l20"]'));
});

test('a_thread_is_marked_read_only_after_it_was_told_what_is_new', async () => {
  let here = () => {};
  const { platform } = await open('', (early) => {
    const thread = early.thread.bind(early);
    early.thread = async (id, before) => {
      await new Promise<void>((done) => {
        here = done;
      });
      return thread(id, before);
    };
  });
  row(ARTICLE).click();
  await until(() => row(ARTICLE).textContent?.includes('unread') === false);
  expect(asked(platform, 'mark').filter(([, , mark]) => (mark as { op: string }).op === 'read')).toEqual([]);
  here();
  await until(() => asked(platform, 'mark').some(([, , mark]) => (mark as { op: string }).op === 'read'));
});

test('a_toast_leads_to_its_very_item_which_is_marked_for_a_moment', async () => {
  const { platform } = await open('', whole(ARTICLE));
  platform.tell({ event: 'open', thread: ARTICLE, item: 'c2' });
  await until(() => document.querySelector('[data-item-msgid="c2"].is-pointed'));
  expect(items()[0]).toBe('c2');
  platform.tell({ event: 'open', thread: ARTICLE, item: 'c6' });
  await until(() => document.querySelector('[data-item-msgid="c6"].is-pointed'));
});

test('an_item_far_up_is_brought_in', async () => {
  const { platform } = await open('', long(180));
  platform.tell({ event: 'open', thread: ARTICLE, item: 'l7' });
  await until(() => document.querySelector('[data-item-msgid="l7"].is-pointed'));
  expect(items()).toHaveLength(180);
});

test('a_search_says_how_many_comments_match_and_starts_at_the_first', async () => {
  const { page } = await open('', (platform) => {
    whole(ARTICLE)(platform);
    known(platform, ARTICLE).since = null;
  });
  page.search.follow('graph');
  await until(() => page.list.search === 'graph');
  await page.open(ARTICLE);
  await until(() => document.querySelector('.sheet'));
  expect(facts()).toEqual(['Your article', 'Work', '1 of 7 comments matches']);
  expect(items()[0]).toBe('c4');
  expect(find('.earlier').textContent).toContain('3 earlier comments');
});

const CODE = '[data-item-msgid="c5"] pre code';

/** The thread of a single item with this body. */
const saying = (html: string) => (platform: Scripted) => {
  const thread = known(platform, ARTICLE);
  thread.items = [{ ...(thread.items[4] as ItemView), body: html }];
  thread.earlier = 0;
};

test('code_is_coloured_by_its_language_and_reads_the_same', async () => {
  await openArticle(whole(ARTICLE));
  await until(() => document.querySelector(`${CODE} .hl-keyword`));
  expect(find(`${CODE} .hl-keyword`).textContent).toBe('let');
  expect(find(`${CODE} .hl-comment`).textContent).toBe('// one commit');
  expect(find(CODE).textContent).toContain('inbox.since(cursor).limit(500)\n};');
});

test('code_in_a_language_by_another_name_is_coloured_and_stays_text', async () => {
  const hostile = 'echo &quot;&lt;img src=x onerror=alert(1)&gt;&quot; # &lt;b&gt;';
  await openArticle(saying(`<pre><code data-language="SH">${hostile}</code></pre>`));
  await until(() => document.querySelector(`${CODE} .hl-string`));
  expect(find(CODE).textContent).toBe('echo "<img src=x onerror=alert(1)>" # <b>');
  expect(find(CODE).querySelectorAll('img, b').length).toBe(0);
});

test('code_that_names_no_language_or_a_strange_one_or_is_very_long_stays_plain', async () => {
  const code = (language: string, text: string) => `<pre><code data-language="${language}">${text}</code></pre>`;
  const plain = [
    '<pre><code>let a = 1;</code></pre>',
    code('constructor', 'a'),
    code('rust', 'let a = 1;'.repeat(9000)),
  ];
  await openArticle(saying([...plain, code('rust', 'let b = 2;')].join('')));
  await until(() => document.querySelector(`${CODE} .hl-keyword`));
  const blocks = [...document.querySelectorAll(CODE)];
  expect(blocks.map((block) => block.children.length > 0)).toEqual([false, false, false, true]);
});

test('what_was_searched_for_is_marked_in_coloured_code_too', async () => {
  const { page } = await open('', whole(ARTICLE));
  page.search.follow('commit');
  await until(() => page.list.search === 'commit');
  await page.open(ARTICLE);
  await until(() => document.querySelector(`${CODE} .hl-comment mark`));
  expect(find(`${CODE} .hl-comment mark`).textContent).toBe('commit');
});

const image = (host: string, name: string) =>
  `<span data-image="https://${host}/${name}.png" data-host="${host}">${name}</span>`;

test('images_from_elsewhere_come_one_by_one_or_all_at_once_and_say_when_none_came', async () => {
  await openArticle(saying(`<p>${image('a.example.org', 'one')} ${image('b.example.org', 'two')}</p>`));
  await until(() => document.querySelector('.remote-image'));
  const words = () => [...document.querySelectorAll('.remote-image .ell')].map((box) => box.textContent);
  const images = () => [...document.querySelectorAll<HTMLImageElement>('.md img')];
  expect(words()).toEqual(['Image from a.example.org', 'Image from b.example.org']);
  expect(images()).toEqual([]);
  button('.remote-image', 'Show all 2').click();
  expect(images().map((one) => [one.src, one.alt, one.referrerPolicy])).toEqual([
    ['https://a.example.org/one.png', 'one', 'no-referrer'],
    ['https://b.example.org/two.png', 'two', 'no-referrer'],
  ]);
  images()[1]?.dispatchEvent(new Event('error'));
  expect(words()).toEqual(['The image from b.example.org could not be loaded']);
  button('.remote-image', 'Show').click();
  expect(images().length).toBe(2);
});

test('a_link_says_where_it_leads_before_it_is_followed', async () => {
  const { platform } = await openArticle(whole(ARTICLE));
  const link = find<HTMLAnchorElement>('[data-item-msgid="c7"] .md a');
  expect(link.title).toBe('https://blog.example.org/s/1');
  link.click();
  await until(() => asked(platform, 'openLink').length === 1);
});

test('buttons_that_call_different_places_each_say_where', async () => {
  await openArticle((platform) => {
    whole(ARTICLE)(platform);
    const last = known(platform, ARTICLE).items.at(-1) as ItemView;
    last.actions = [
      { label: 'Merge', opens: false, host: 'git.example.org' },
      { label: 'Deploy', opens: false, host: 'ops.example.org' },
    ];
  });
  const said = () => [...document.querySelectorAll('.actions .where')].map((one) => one.textContent);
  expect(said()).toEqual(['calls git.example.org', 'calls ops.example.org']);
});

test('what_came_another_day_says_which', async () => {
  await openArticle();
  find('.earlier').click();
  await until(() => items()[0] === 'c1');
  const time = (msgid: string) => find(`[data-item-msgid="${msgid}"] time`).textContent;
  expect([time('c1'), time('c4')]).toEqual(['Thu 17:20', '08:15']);
});

test('what_comes_in_below_is_said_and_counted_until_one_is_there', async () => {
  const { platform } = await openArticle(whole(ARTICLE));
  expect(said()).toBe('');
  const box = find('.read .scroll');
  Object.defineProperties(box, {
    scrollHeight: { value: 2400, configurable: true },
    clientHeight: { value: 600, configurable: true },
  });
  const thread = known(platform, ARTICLE);
  const like = thread.items.at(-1) as ItemView;
  const arrive = (msgid: string) => {
    thread.items = [
      ...thread.items,
      { ...like, msgid, time: like.time + thread.items.length, body: `<p>So <b>${msgid}</b></p>` },
    ];
    platform.tell({ event: 'threads', rows: [thread.row], gone: [], refetch: false, places: platform.places() });
  };
  arrive('c8');
  await until(() => document.querySelector('[data-testid="below"]')?.textContent?.trim() === '1 new');
  await until(() => said() === 'Ana Ruiz: So c8');
  arrive('c9');
  await until(() => document.querySelector('[data-testid="below"]')?.textContent?.trim() === '2 new');
  box.scrollTop = 1800;
  box.dispatchEvent(new Event('scroll'));
  await until(() => document.querySelector('[data-testid="below"]') === null);
  box.scrollTop = 0;
  arrive('c10');
  await until(() => document.querySelector('[data-testid="below"]')?.textContent?.trim() === '1 new');
  find('[data-testid="below"]').click();
  await until(() => document.querySelector('[data-testid="below"]') === null);
});

test('a_file_is_fetched_and_shown_on_request', async () => {
  const { platform } = await open(`open=${BACKUPS}`);
  await until(() => document.querySelector('.attachment'));
  expect(find('.attachment').textContent?.replace(/\s+/g, ' ')).toContain('backup.log 18 KB · nas-01.home.arpa');
  expect(asked(platform, 'fetchFile')).toEqual([]);
  button('.attachment', 'Show').click();
  await until(() => document.querySelector('.attachment-text'));
  expect(find('.attachment-text').textContent).toContain('14.2 GB, no errors');
  expect(find('.attachment-note').textContent).toBe('Only the beginning is shown. Saving keeps all of it');
  button('.attachment', 'Hide').click();
  await until(() => document.querySelector('.attachment-text') === null);
});

test('a_picture_is_shown_as_one', async () => {
  await open('open=8');
  await until(() => document.querySelector('.attachment'));
  button('.attachment', 'Show').click();
  await until(() => document.querySelector('.attachment-image'));
  expect(find<HTMLImageElement>('.attachment-image').alt).toBe('door.jpg');
});

test('a_file_of_a_strange_kind_is_only_saved', async () => {
  const { platform } = await open(`open=${BACKUPS}`, (early) => {
    const file = known(early, BACKUPS).items[0] as ItemView;
    file.attachment = { name: 'disk.img', url: 'https://nas-01.home.arpa/disk.img', size: null, media: null };
  });
  await until(() => document.querySelector('.attachment'));
  expect(find('.attachment').textContent).not.toContain('Show');
  button('.attachment', 'Save…').click();
  await until(() => snack().includes('disk.img saved'));
  expect(asked(platform, 'saveFile')).toEqual([['saveFile', BACKUPS, LOG]]);
});

test('a_file_on_its_way_says_how_far_it_is_and_can_be_given_up', async () => {
  const { platform } = await open(`open=${BACKUPS}`, (early) => {
    early.files.latency = null;
  });
  await until(() => document.querySelector('.attachment'));
  button('.attachment', 'Show').click();
  await until(() => document.querySelector('.attachment')?.textContent?.includes('6.1 KB of 18 KB'));
  expect(find('[role="progressbar"]').getAttribute('aria-valuenow')).toBe('6133');
  button('.attachment', 'Cancel').click();
  await until(() => document.querySelector('[role="progressbar"]') === null);
  expect(asked(platform, 'cancelFile')).toEqual([['cancelFile', BACKUPS, LOG]]);
  button('.attachment', 'Show').click();
  await until(() => document.querySelector('[role="progressbar"]'));
  platform.files.arrive(BACKUPS, LOG);
  await until(() => document.querySelector('.attachment-text'));
});

test('a_file_that_cannot_be_had_says_why', async () => {
  await open(`open=${BACKUPS}`, (early) => {
    early.files.failing = 'No answer from nas-01.home.arpa. Try again when it can be reached';
  });
  await until(() => document.querySelector('.attachment'));
  button('.attachment', 'Show').click();
  await until(() => document.querySelector('.attachment-failed')?.textContent?.includes('No answer from nas-01'));
  button('.attachment', 'Show');
});

test('a_thread_sleeps_until_a_time_of_ones_own_and_the_focus_is_where_it_was', async () => {
  const { platform } = await openArticle();
  find('.read .scroll').focus();
  press('h');
  await until(() => document.querySelector('[role="menu"]'));
  button('[role="menu"]', 'Choose a time…').click();
  await until(() => document.activeElement === document.querySelector('input[type="datetime-local"]'));
  expect(document.querySelector('[role="menu"]')).toBeNull();
  const field = find<HTMLInputElement>('input[type="datetime-local"]');
  field.value = '2026-11-24T07:30';
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await until(() => !find<HTMLButtonElement>('.popover [type="submit"]').disabled);
  find<HTMLFormElement>('.popover form').requestSubmit();
  const wakes = new Date(2026, 10, 24, 7, 30).getTime();
  await until(() => asked(platform, 'mark').some(([, , mark]) => (mark as { until?: number }).until === wakes));
  await until(() => document.querySelector('.popover') === null);
});

test('the_menu_says_how_much_a_thread_may_tell_and_changes_it', async () => {
  const { platform } = await openArticle();
  const more = () => find('.read [aria-label="More"]');
  const line = (name: string) => find(`[data-ask="${name}"]`).textContent?.replace(/\s+/g, ' ').trim();
  more().click();
  await until(() => document.querySelector('[role="menu"]'));
  expect(line('tell')).toBe('Tell me with As Work has it');
  find('[data-ask="tell"]').click();
  await until(() => document.querySelectorAll('[role="menuitemradio"]').length === 4);
  expect(document.activeElement?.textContent?.trim()).toBe('As Work has it');
  press('ArrowDown');
  press('ArrowDown');
  (document.activeElement as HTMLElement).click();
  await until(() => asked(platform, 'tellThread').length === 1);
  expect(asked(platform, 'tellThread')).toEqual([
    ['tellThread', ARTICLE, { tell: 'badge', from_priority: null, sound: null }],
  ]);
  more().click();
  await until(() => document.querySelector('[data-ask="tell"]') && line('tell') === 'Tell me with Badge');
  find('[data-ask="from_priority"]').click();
  await until(() => document.querySelectorAll('[role="menuitemradio"]').length === 6);
  press('Escape');
  await until(() => document.querySelector('[role="menu"]') === null);
  await until(() => snack().startsWith('What this thread may tell is changed'));
  press('z');
  await until(() => asked(platform, 'tellThread').length === 2);
  expect(asked(platform, 'tellThread')[1]?.[2]).toEqual({ tell: null, from_priority: null, sound: null });
});

test('what_is_muted_is_told_of_with_nothing', async () => {
  await openArticle(undefined, '&lang=zh');
  find('.read [aria-label^="将此会话静音"]').click();
  find('.read [aria-label="更多"]').click();
  await until(() => document.querySelector('[data-ask="tell"]')?.textContent?.includes('不提醒'));
});

function menuOver(msgid: string): void {
  find(`[data-item-msgid="${msgid}"]`).dispatchEvent(
    new MouseEvent('contextmenu', { bubbles: true, cancelable: true }),
  );
}

test('the_menu_over_a_row_speaks_of_that_row_whatever_is_open', async () => {
  const { platform } = await openArticle();
  platform.choices.push('open');
  row(BACKUPS).dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
  await until(() => chosen() === row(BACKUPS));
  const [, entries] = asked(platform, 'popup')[0] as [string, MenuEntry[]];
  expect(entries.map((one) => one.id)).not.toContain('copy-link');
});

test('an_item_has_a_menu_of_the_desktop', async () => {
  const { platform } = await openArticle();
  platform.choices.push('unread', 'archive');
  menuOver('c6');
  await until(() => asked(platform, 'unreadFrom').length === 1);
  const [, entries] = asked(platform, 'popup')[0] as [string, MenuEntry[]];
  expect(entries.map((one) => one.label)).toEqual(['Copy text', '', 'Mark unread from here', 'Archive']);
  expect(asked(platform, 'unreadFrom')).toEqual([['unreadFrom', ARTICLE, 'c6']]);
  await until(() => row(ARTICLE).querySelector('.pill')?.textContent === '2');
  press('z');
  await until(() => row(ARTICLE).querySelector('.pill') === null);
  menuOver('c6');
  await until(() => document.querySelector(`[data-thread-id="${ARTICLE}"]`) === null);
});

test('ones_own_message_can_be_copied_and_never_be_new', async () => {
  const { platform } = await open(`open=${CREW}`);
  await until(() => document.querySelector('.bubble'));
  platform.choices.push(null);
  menuOver('r7');
  await until(() => asked(platform, 'popup').length === 1);
  const [, entries] = asked(platform, 'popup')[0] as [string, MenuEntry[]];
  expect(entries.map((one) => one.label)).toEqual(['Copy text', '', 'Archive']);
});
