// Tests of the words of the page: results by name, states as they are, and one name for each thing.
import { expect, test } from 'vitest';
import { commands } from '../src/features/palette/command-entries';
import { allEn as en } from '../src/i18n/all';
import { zhCN } from '../src/i18n/zh-CN';
import { asked, button, fill, find, open, press, row, snackbar, there, until } from './support/page';
import { settings, textOf } from './support/settings';
import { styleOf } from './support/styles';

test('a_result_names_its_thread_and_an_undo_what_came_back', async () => {
  await open('open=2');
  await there('.sheet');
  press('e');
  await until(() => snackbar().startsWith('“Rust in 2026” archived'));
  press('z');
  await until(() => snackbar().startsWith('“Rust in 2026” is back'));
  press('p');
  await until(() => snackbar().startsWith('“Build 4812 failed on main” pinned') || snackbar().includes('pinned'));
  press('z');
  await until(() => snackbar().startsWith('Undone: “') && snackbar().includes('pinned'));
});

test('the_result_for_several_threads_has_their_number', async () => {
  await open('lang=zh');
  for (const key of ['j', 'x', 'J', 'e']) press(key);
  await until(() => snackbar().startsWith('已归档 2 个会话'));
  press('z');
  await until(() => snackbar().startsWith('已恢复 2 个会话'));
  press('Escape');
  press('e');
  await until(() => snackbar().startsWith('已归档“'));
});

test('a_space_stands_in_chinese_beside_latin_letters_and_digits_only', () => {
  const said = (name: string, when: string) => [
    zhCN.signIn(name),
    zhCN.archiveAllOf(name),
    zhCN.composeWithout(name),
    zhCN.quietUntil(when),
    zhCN.newSince(when),
  ];
  expect(said('工作', '周六')).toEqual([
    '工作需要登录',
    '归档来自工作的全部内容',
    '移除工作',
    '免打扰至周六',
    '周六之后的新内容',
  ]);
  expect(said('Work', '08:00')).toEqual([
    'Work 需要登录',
    '归档来自 Work 的全部内容',
    '移除 Work',
    '免打扰至 08:00',
    '08:00 之后的新内容',
  ]);
});

test('a_name_of_any_length_leaves_room_for_what_happened', async () => {
  const long = 'One two three four five six seven eight nine ten eleven';
  await open('', (early) => {
    early.inbox = early.inbox.map((one) =>
      one.row.id === 1 ? { ...one, row: { ...one.row, kind: 'message' as const, who: long } } : one,
    );
  });
  press('j');
  press('e');
  await until(() => snackbar().startsWith('“One two three four five six seven eight…” archived'));
});

test('without_an_answer_of_its_own_a_thread_goes_by_the_default', async () => {
  await open('open=2&lang=zh');
  await there('.sheet');
  find('.reading-pane [aria-label="更多"]').click();
  await there('[role="menu"]');
  expect(find('[data-notify-option="level"]').textContent?.replace(/\s+/g, ' ').trim()).toBe('提醒方式 与来源相同');
  expect(Number.parseInt(find('[role="menu"]').style.width, 10)).toBeGreaterThanOrEqual(320);
});

test('the_menu_of_a_pause_stands_in_its_row_and_shifts_no_other', async () => {
  await settings('notifications');
  const before = [...find('.prefs .box').children];
  button('Pause toasts…').click();
  await there('[role="menu"]');
  expect([...find('.prefs .box').children]).toEqual(before);
  expect(find('[role="menu"]').getAttribute('aria-label')).toBe('Pause toasts');
});

test('in_quiet_hours_nothing_is_said_to_be_shown', async () => {
  const { platform } = await settings('notifications');
  expect(textOf()).toContain('New notifications are shown as toasts');
  platform.sync = { ...platform.sync, quiet_until: new Date(2026, 10, 21, 7).getTime() };
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
  await until(() => !textOf().includes('New notifications are shown as toasts'));
  expect(textOf()).toContain('Toasts Quiet until Sat 07:00');
});

test('where_there_are_no_conversations_one_can_be_begun', async () => {
  await open('', (early) => {
    early.inbox = early.inbox.filter((one) => one.row.kind !== 'message');
  });
  press('g');
  press('c');
  await until(() => textOf('.list .empty').startsWith('No conversations yet'));
  expect(find('.list .empty use').getAttribute('href')).toContain('messages-square');
  button('Write a message').click();
  await until(() => document.querySelector('.dialog')?.textContent?.includes('New conversation'));
});

test('where_nobody_can_be_written_to_an_empty_place_of_conversations_leads_to_what_is_missing', async () => {
  await open('first-run', (early) => {
    early.sources = early.sources.map((one) => ({ ...one, protocol: 'ntfy' }));
  });
  press('g');
  press('c');
  await until(() => textOf('.list .empty').startsWith('No conversations yet'));
  button('Write a message').click();
  await until(() => document.querySelector('.dialog')?.textContent?.includes('To write messages, you need a server'));
});

test('the_last_source_cannot_move_down_and_looks_so', async () => {
  const { platform } = await settings('sources');
  const last = platform.sources.at(-1);
  find(`[data-source-menu="${last?.id}"]`).click();
  await there('[role="menu"]');
  expect(find<HTMLButtonElement>('[data-line="down"]').disabled).toBe(true);
  expect(find<HTMLButtonElement>('[data-line="up"]').disabled).toBe(false);
  expect(styleOf('.menu-item:disabled', 'opacity')).toBeDefined();
});

test('a_source_that_waits_to_be_tried_again_is_tried_at_once_with_a_click', async () => {
  const { platform } = await open();
  platform.sources = platform.sources.map((one) =>
    one.id === 2 ? { ...one, state: { state: 'retrying', at: 0, why: 'No answer (503)', offline: false } } : one,
  );
  platform.sync = { ...platform.sync, up_to_date: false };
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources });
  await until(() => find('[data-testid="sync"]').textContent?.trim() === 'Work: retrying');
  expect(find('[data-testid="sync"] button').title).toBe('Work: retrying. Check now');
  find('[data-testid="sync"] button').click();
  await until(() => asked(platform, 'trySource').length === 1);
  expect(asked(platform, 'trySource')).toEqual([['trySource', 2]]);
});

test('the_palette_writes_files_and_ends_the_program', async () => {
  const { stores, platform } = await open();
  const run = async (typed: string, label: string) => {
    press('k', { ctrlKey: true });
    await there('.palette');
    fill(find<HTMLInputElement>('.palette input'), typed);
    await until(() => document.querySelector('.palette [aria-selected="true"]')?.textContent?.includes(label));
    press('Enter');
    await until(() => document.querySelector('.palette') === null);
  };
  await run('json', 'Export as JSON…');
  await until(() => asked(platform, 'exportInbox').length === 1);
  await run('back up', 'Back up…');
  await until(() => asked(platform, 'backup').length === 1);
  await run('quit', 'Quit Tidings');
  await until(() => asked(platform, 'quit').length === 1);
  expect(commands(stores, zhCN).map((one) => one.label)).toEqual(expect.arrayContaining(['退出 Tidings', '备份…']));
});

test('pulling_and_pausing_have_one_name_each', async () => {
  const { stores } = await open();
  for (const [t, pull, pause] of [
    [en, 'Check now', 'Pause toasts'],
    [zhCN, '立即检查', '暂停弹窗'],
  ] as const) {
    const labels = commands(stores, t).map((one) => one.label);
    expect(labels).toContain(pull);
    expect(labels.filter((one) => one.startsWith(pause)).length).toBe(3);
    // As the menu of the tray icon says it.
    expect(labels).toContain(t === en ? 'Pause toasts for an hour' : '暂停弹窗一小时');
    expect([t.keyPull, t.pauseFor, t.pauseMenu]).toEqual([pull, pause, `${pause}…`]);
  }
});

test('the_title_of_an_item_weighs_more_than_the_headings_of_its_body', () => {
  const size = (font?: string) => Number(/calc\((\d+) \* var\(--u\)\)/.exec(font ?? '')?.[1]);
  expect(styleOf('.item-title', 'font')).toContain('var(--w-strong)');
  expect(size(styleOf('.item-title', 'font'))).toBeGreaterThan(size(styleOf('.md h1', 'font-size')));
  expect(styleOf('.md :is(h1, h2, h3, h4, h5, h6)', 'font-weight')).toBe('var(--w-medium)');
});

/** What a value of the texts may show: itself, or the literals of its function. */
function literals(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function')
    return [...String(value).matchAll(/'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`/g)].map(
      ([, a, b, c]) => a ?? b ?? (c ?? '').replaceAll(/\$\{[^}]*\}/g, ' '),
    );
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(literals) : [];
}

test('no_text_speaks_of_how_the_program_is_built', () => {
  const built = [
    [en, /\b(reminders?|pull(s|ed|ing)?|scopes?|kinds?)\b/i],
    [zhCN, /拉取|类别|种类|作用域|权限范围/],
  ] as const;
  for (const [t, words] of built)
    for (const [key, value] of Object.entries(t))
      expect(
        literals(value).filter((text) => words.test(text)),
        key,
      ).toEqual([]);
});

test('a_preview_without_room_for_a_word_is_left_out_instead_of_cut', async () => {
  await open('density=compact');
  const parts = [...(row(2).querySelector('.thread-what')?.children ?? [])];
  expect(parts.map((one) => one.classList.contains('thread-preview'))).toEqual([false, true]);
  expect(styleOf('.thread-what', 'flex-wrap')).toBe('wrap');
  expect(styleOf('.thread-what', 'overflow')).toBe('clip');
  expect(styleOf('.thread-what', 'height')).toBe('calc(20 * var(--u))');
  expect(styleOf('.thread-what > .thread-preview', 'flex')).toBe('1 0 48px');
});

test('the_name_of_a_topic_is_set_apart_from_what_it_tells', async () => {
  const { stores, platform } = await open();
  press('j');
  press('e');
  await until(() => snackbar().startsWith('“backups: Backup done” archived'));
  const zh = { ...platform.now, lang: 'zh-CN', lang_now: 'zh-CN' } as const;
  await stores.settings.adopt(zh);
  press('j');
  press('p');
  await until(() => snackbar().includes('：'));
});
