// Stories of what an item says: coloured code, images from elsewhere, links, and buttons that say where they lead.
import { expect, test } from 'vitest';
import type { ItemView } from '../src/generated/ItemView';
import { ARTICLE, openArticle, saying, whole } from './article';
import { asked, button, find, known, open, until } from './window';

const CODE = '[data-item-msgid="c5"] pre code';
const image = (host: string, name: string) =>
  `<span data-image="https://${host}/${name}.png" data-host="${host}">${name}</span>`;

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

test('images_from_elsewhere_come_one_by_one_or_all_at_once_and_say_when_none_came', async () => {
  await openArticle(saying(`<p>${image('a.example.org', 'one')} ${image('b.example.org', 'two')}</p>`));
  await until(() => document.querySelector('.remote-image'));
  const words = () => [...document.querySelectorAll('.remote-image .ell')].map((box) => box.textContent);
  const images = () => [...document.querySelectorAll<HTMLImageElement>('.md img')];
  expect(words()).toEqual(['Image from a.example.org', 'Image from b.example.org']);
  expect(images()).toEqual([]);
  button('Show all 2', find('.remote-image')).click();
  expect(images().map((one) => [one.src, one.alt, one.referrerPolicy])).toEqual([
    ['https://a.example.org/one.png', 'one', 'no-referrer'],
    ['https://b.example.org/two.png', 'two', 'no-referrer'],
  ]);
  images()[1]?.dispatchEvent(new Event('error'));
  expect(words()).toEqual(['The image from b.example.org could not be loaded']);
  button('Show', find('.remote-image')).click();
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
