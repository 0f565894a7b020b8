// Tests of an item's body: highlighted code, remote images, links, and buttons that name where they lead.
import { tick } from 'svelte';
import { expect, test, vi } from 'vitest';
import type { ItemView } from '../src/generated/ItemView';
import type { Scripted } from '../src/platform/scripted/scripted';
import { ARTICLE, CREW, openArticle, withBody, withoutEarlier } from './support/article';
import { violations } from './support/axe';
import { asked, button, find, hasButton, known, open, press, snackbar, there, until } from './support/page';

const CODE = '[data-item-msgid="c5"] pre code';
const image = (host: string, name: string) =>
  `<span data-image="https://${host}/${name}.png" data-host="${host}">${name}</span>`;

test('code_is_coloured_by_its_language_and_reads_the_same', async () => {
  await openArticle(withoutEarlier(ARTICLE));
  await there(`${CODE} .hl-keyword`);
  expect(find(`${CODE} .hl-keyword`).textContent).toBe('let');
  expect(find(`${CODE} .hl-comment`).textContent).toBe('// one commit');
  expect(find(CODE).textContent).toContain('inbox.since(cursor).limit(500)\n};');
});

test('code_in_a_language_by_another_name_is_coloured_and_stays_text', async () => {
  const hostile = 'echo &quot;&lt;img src=x onerror=alert(1)&gt;&quot; # &lt;b&gt;';
  await openArticle(withBody(`<pre><code data-language="SH">${hostile}</code></pre>`));
  await there(`${CODE} .hl-string`);
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
  await openArticle(withBody([...plain, code('rust', 'let b = 2;')].join('')));
  await there(`${CODE} .hl-keyword`);
  const blocks = [...document.querySelectorAll(CODE)];
  expect(blocks.map((block) => block.children.length > 0)).toEqual([false, false, false, true]);
});

test('what_was_searched_for_is_marked_in_coloured_code_too', async () => {
  const { stores } = await open('', withoutEarlier(ARTICLE));
  stores.router.searchFor('commit');
  await until(() => stores.list.search === 'commit');
  await stores.router.openThread(ARTICLE);
  await there(`${CODE} .hl-comment mark`);
  expect(find(`${CODE} .hl-comment mark`).textContent).toBe('commit');
});

test('images_from_elsewhere_come_one_by_one_or_all_at_once_and_say_when_none_came', async () => {
  await openArticle(withBody(`<p>${image('a.example.org', 'one')} ${image('b.example.org', 'two')}</p>`));
  await there('.remote-image');
  const textOf = () => [...document.querySelectorAll('.remote-image .ellipsis')].map((box) => box.textContent);
  const images = () => [...document.querySelectorAll<HTMLImageElement>('.md img')];
  expect(textOf()).toEqual(['Image from a.example.org', 'Image from b.example.org']);
  expect(images()).toEqual([]);
  button('Show all 2', find('.remote-image')).click();
  await until(() => images().length === 2);
  expect(images().map((one) => [one.src.split('#')[1], one.alt])).toEqual([
    ['https://a.example.org/one.png', 'one'],
    ['https://b.example.org/two.png', 'two'],
  ]);
  expect(images().every((one) => one.src.startsWith('data:'))).toBe(true);
  images()[1]?.dispatchEvent(new Event('error'));
  expect(textOf()).toEqual(['The image from b.example.org could not be loaded']);
  button('Show', find('.remote-image')).click();
  await until(() => images().length === 2);
});

test('images_that_the_own_server_keeps_come_at_once_and_nothing_else_is_requested_there', async () => {
  const at = (address: string) => `<span data-image="${address}">${address}</span>`;
  const own = 'http://127.0.0.1:7878/file/photo.png';
  const others = [
    'http://127.0.0.1:7878/door/publish?message=Open',
    'http://127.0.0.1:7878/file/../door/publish',
    'http://127.0.0.1:7879/file/photo.png',
    'https://a.example.org/file/photo.png',
  ];
  const { platform } = await openArticle((early) => {
    withBody([own, ...others].map(at).join(' '))(early);
    const thread = known(early, ARTICLE);
    thread.row = { ...thread.row, source: 1 };
  });
  await until(() => document.querySelectorAll('.md img').length === 1);
  expect(asked(platform, 'showImage')).toEqual([['showImage', ARTICLE, known(platform, ARTICLE).items[0]?.msgid, own]]);
  expect(document.querySelectorAll('.remote-image').length).toBe(4);
  expect(hasButton('Show all 4')).toBe(true);
  platform.emit({ event: 'sync', sync: platform.sync, sources: platform.sources.map((one) => ({ ...one })) });
  await tick();
  expect(document.querySelectorAll('.md img, .remote-image').length, 'the body is enhanced once').toBe(5);
  button(`Enlarge ${own}`).click();
  await until(() => document.querySelector('[role="dialog"] img'));
  expect(find<HTMLImageElement>('[role="dialog"] img').src).toBe(find<HTMLImageElement>('.md img').src);
  expect(await violations()).toEqual([]);
});

test('an_image_in_a_link_leads_where_that_leads_and_its_button_only_shows_it', async () => {
  const { platform } = await openArticle(
    withBody(`<p><a href="https://ci.example.org/">${image('a.example.org', 'badge')}</a></p>`),
  );
  await there('.remote-image');
  button('Show', find('.remote-image')).click();
  await there('.md a img');
  expect(asked(platform, 'openLink')).toEqual([]);
  find('.md a img').click();
  await until(() => asked(platform, 'openLink').length === 1);
  expect(document.querySelector('.md button')).toBeNull();
});

test('an_image_with_an_address_of_the_own_server_in_an_item_of_another_waits', async () => {
  const { platform } = await openArticle(
    withBody('<span data-image="http://127.0.0.1:7878/file/photo.png">photo</span>'),
  );
  await there('.remote-image');
  expect(asked(platform, 'showImage')).toEqual([]);
});

test('a_link_says_where_it_leads_before_it_is_followed', async () => {
  const { platform } = await openArticle(withoutEarlier(ARTICLE));
  const link = find<HTMLAnchorElement>('[data-item-msgid="c7"] .md a');
  expect(link.title).toBe('https://blog.example.org/s/1');
  link.click();
  await until(() => asked(platform, 'openLink').length === 1);
});

test('buttons_that_call_different_places_each_say_where', async () => {
  await openArticle((platform) => {
    withoutEarlier(ARTICLE)(platform);
    const last = known(platform, ARTICLE).items.at(-1) as ItemView;
    last.actions = [
      { label: 'Merge', opens: false, host: 'git.example.org', method: 'POST' },
      { label: 'Deploy', opens: false, host: 'ops.example.org', method: 'PUT' },
    ];
  });
  const said = () => [...document.querySelectorAll('.actions .where')].map((one) => one.textContent);
  expect(said()).toEqual(['calls git.example.org', 'calls ops.example.org']);
});

test('a_button_that_copies_copies_its_text_and_says_so', async () => {
  const writeText = vi.fn(async () => {});
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });
  const { platform } = await openArticle((platform) => {
    withoutEarlier(ARTICLE)(platform);
    const last = known(platform, ARTICLE).items.at(-1) as ItemView;
    last.actions = [{ label: 'Copy code', opens: false, host: '', method: '', copies: '123 456' }];
  });
  const button = [...document.querySelectorAll<HTMLButtonElement>('.actions button')].at(-1);
  expect(button?.title).toBe('123 456');
  expect(document.querySelector('.actions .where')).toBeNull();
  button?.click();
  await until(() => snackbar() === 'Copied');
  expect(writeText).toHaveBeenCalledWith('123 456');
  expect(asked(platform, 'runAction').length).toBe(1);
});

test('the_words_of_a_link_never_stand_over_its_address', async () => {
  const links = [
    '<a href="https://evil.example/login" title="https://bank.example/">here</a>',
    '<a href="https://evil.example/">https://bank.example/login</a>',
    '<a href="https://evil.example/">bank.example</a>',
    '<a href="https://evil.example/">https://bank.example@evil.example/</a>',
    '<a href="https://xn--pple-43d.com/">аpple.com</a>',
    '<a href="mailto:mallory@evil.example">bob@bank.example</a>',
    '<a href="https://bank.example/a">www.bank.example/a</a>',
    '<a href="mailto:bob@bank.example">bob@bank.example</a>',
    '<a href="https://blog.example/">the second chapter</a>',
  ];
  await openArticle(withBody(`<p>${links.join(' ')}</p>`));
  await there('.leads-to');
  const all = [...document.querySelectorAll<HTMLAnchorElement>('.md a')];
  expect(all.every((link) => link.title === link.getAttribute('href'))).toBe(true);
  const told = all.map((link) =>
    link.nextElementSibling?.matches('.leads-to') ? link.nextElementSibling.textContent : '',
  );
  expect(told).toEqual([
    '',
    ' (leads to evil.example)',
    ' (leads to evil.example)',
    '',
    ' (leads to xn--pple-43d.com)',
    ' (leads to mallory@evil.example)',
    '',
    '',
    '',
  ]);
});

test('the_address_of_a_link_is_seen_under_the_pointer_and_with_the_focus', async () => {
  await openArticle(withBody('<p><a href="https://blog.example/a?b=c">words</a> and more</p>'));
  await there('.md a');
  const shown = () => document.querySelector('.link-target')?.textContent ?? '';
  find('.md a').dispatchEvent(new Event('pointerover', { bubbles: true }));
  await until(() => shown() === 'https://blog.example/a?b=c');
  find('.md').dispatchEvent(new Event('pointerleave'));
  await until(() => shown() === '');
  find('.md a').focus();
  await until(() => shown() === 'https://blog.example/a?b=c');
  find('.md a').blur();
  await until(() => shown() === '');
});

test('an_address_in_plain_text_is_a_link_that_keys_reach_and_its_host_is_shown_in_letters_that_can_be_trusted', async () => {
  const link = (href: string, address: string, host: string, text: string) =>
    `<a href="${href}" data-address="${address}" data-host="${host}">${text}</a>`;
  const body = [
    `One:  ${link('https://xn--bcher-kva.example/', 'https://bücher.example/', 'bücher.example', 'https://bücher.example')}`,
    `Two:\t${link('https://xn--pple-43d.example/', 'https://xn--pple-43d.example/', 'xn--pple-43d.example', 'https://аpple.example')}`,
  ].join('\n');
  const { platform } = await openArticle((platform) => {
    withBody(body)(platform);
    Object.assign(known(platform, ARTICLE).items[0] as ItemView, { html: true, keeps_lines: true });
  });
  await there('.md a');
  expect(find('.md').classList).toContain('is-plain');
  expect(find('.md').textContent.trim()).toBe(
    'One:  https://bücher.example\nTwo:\thttps://аpple.example (leads to xn--pple-43d.example)',
  );
  const [first, second] = [...document.querySelectorAll<HTMLAnchorElement>('.md a')];
  expect([first?.title, second?.title]).toEqual(['https://bücher.example/', 'https://xn--pple-43d.example/']);
  expect([first?.tabIndex, second?.tabIndex]).toEqual([0, 0]);
  first?.focus();
  await until(() => document.querySelector('.link-target')?.textContent === 'https://bücher.example/');
  // Enter on a link is a click, which no shortcut takes.
  press('Enter');
  expect(document.activeElement).toBe(first);
  first?.click();
  await until(() => asked(platform, 'openLink').length === 1);
  expect(asked(platform, 'openLink')[0]).toEqual(['openLink', 'https://xn--bcher-kva.example/']);
  expect(await violations()).toEqual([]);
});

test('an_address_in_a_message_is_a_link_before_and_after_it_was_sent', async () => {
  const linked =
    'see <a href="https://a.example/" data-address="https://a.example/" data-host="a.example">https://a.example/</a>';
  const { platform } = await open(`open=${CREW}`, (platform) => {
    const crew = known(platform, CREW);
    crew.items = [{ ...(crew.items[0] as ItemView), msgid: 'linked', body: linked, html: true, keeps_lines: true }];
    crew.outgoing = [
      { id: 'o1', body: 'see https://a.example/', linked, file: null, time: 1, failed: null, sent: false },
      { id: 'o2', body: 'a < b', file: null, time: 2, failed: null, sent: false },
    ];
  });
  await there('[data-outgoing=o2]');
  for (const bubble of ['[data-item-msgid=linked]', '[data-outgoing=o1]'])
    expect(find(`${bubble} .md.is-plain`).textContent.trim()).toBe('see https://a.example/');
  expect(find('[data-outgoing=o2] .md').textContent.trim()).toBe('a < b');
  find('[data-outgoing=o1] .md a').click();
  await until(() => asked(platform, 'openLink').length === 1);
});

test('a_body_that_is_not_laid_out_says_why', async () => {
  const why = 'Shown as plain text because its quotes or lists are too deeply nested';
  await openArticle((platform) => {
    withBody('> > >')(platform);
    Object.assign(known(platform, ARTICLE).items[0] as ItemView, { html: false, plain_reason: why });
  });
  await there('[data-testid=not-laid-out]');
  expect(find('[data-testid=not-laid-out]').textContent).toBe(why);
  expect(find('.md.is-plain').textContent).toContain('> > >');
  expect(await violations()).toEqual([]);
});

/** Presses the second button of an item in its toast, as the toast showed it. */
function pressInToast(platform: Scripted, msgid = 'c7'): void {
  const button = { label: 'Accept suggestion', opens: false, host: 'blog.example.org', method: 'POST' };
  const action = { index: 1, button, from: 'Ana Ruiz: Rust in 2026' };
  platform.emit({ event: 'open', thread: ARTICLE, item: msgid, action });
}

test('a_button_of_a_toast_that_changes_something_is_asked_about_first', async () => {
  const { platform } = await openArticle(withoutEarlier(ARTICLE));
  const press = () => pressInToast(platform);
  press();
  await there('[role=dialog]');
  const dialog = () => document.querySelector<HTMLElement>('[role=dialog]');
  expect(dialog()?.getAttribute('aria-label')).toBe('Send “Accept suggestion” to blog.example.org?');
  expect(dialog()?.textContent).toContain('POST request to blog.example.org');
  expect(asked(platform, 'runAction')).toEqual([]);
  await until(() => document.activeElement?.textContent === 'Cancel');
  button('Cancel', dialog() as HTMLElement).click();
  await until(() => dialog() === null);
  expect(asked(platform, 'runAction')).toEqual([]);
  press();
  await until(() => dialog() !== null);
  expect(await violations()).toEqual([]);
  button('Send', dialog() as HTMLElement).click();
  await until(() => asked(platform, 'runAction').length === 1);
  expect(asked(platform, 'runAction')[0]).toEqual(['runAction', ARTICLE, 'c7', 1]);
  expect(dialog()).toBeNull();
});

test('a_button_of_a_toast_is_asked_about_wherever_its_item_is_by_now_and_does_what_was_read_or_says_why_not', async () => {
  const { platform } = await openArticle(withoutEarlier(ARTICLE));
  const dialog = () => document.querySelector<HTMLElement>('[role=dialog]');
  const send = async () => {
    await until(() => dialog() !== null);
    expect(dialog()?.getAttribute('aria-label')).toBe('Send “Accept suggestion” to blog.example.org?');
    expect(dialog()?.textContent).toContain('Ana Ruiz: Rust in 2026');
    button('Send', dialog() as HTMLElement).click();
  };
  // The item is on an earlier page, or gone: the dialog opens all the same, and the program's error is shown.
  pressInToast(platform, 'long ago');
  await send();
  await until(() => snackbar().startsWith('This button has changed'));
  // The item is revised between the question and the answer.
  platform.emit({ event: 'announce', text: 'x' });
  pressInToast(platform);
  await until(() => dialog() !== null);
  const item = known(platform, ARTICLE).items.find((one) => one.msgid === 'c7') as ItemView;
  item.actions = item.actions.map((one) => (one.opens ? one : { ...one, label: 'Reject suggestion' }));
  await send();
  await until(() => snackbar().startsWith('This button has changed'));
});

test('colouring_has_a_bound_for_a_whole_body_and_for_a_line', async () => {
  const code = (text: string) => `<pre><code data-language="rust">${text}</code></pre>`;
  await openArticle(
    withBody([code(`let a = "${'x'.repeat(3000)}";`), ...Array(400).fill(code('let b = 2;'))].join('')),
  );
  await there(`${CODE} .hl-keyword`);
  await new Promise((done) => setTimeout(done, 0));
  const blocks = [...document.querySelectorAll(CODE)];
  expect(blocks.length).toBe(401);
  expect(blocks[0]?.children.length).toBe(0);
  expect(blocks.filter((block) => block.children.length > 0).length).toBeLessThanOrEqual(150);
});

/** An article whose body has `count` images. */
const withImages = (count: number, prepare: (platform: Scripted) => void) =>
  openArticle((platform) => {
    const all = Array.from({ length: count }, (_, at) => image('img.example.org', `${at}`));
    withBody(`<p>${all.join(' ')}</p>`)(platform);
    prepare(platform);
  });

const shownImages = () => [...document.querySelectorAll<HTMLImageElement>('.md img')].map((one) => one.alt);

test('as_many_images_as_fit_into_memory_are_shown_at_once_and_one_that_is_chosen_takes_the_place_of_the_oldest', async () => {
  const { platform } = await withImages(6, ({ files }) => {
    files.pixels = 20 * 1024 * 1024;
  });
  await there('.remote-image');
  button('Show all 6', find('.remote-image')).click();
  await until(() => shownImages().length === 3 && document.querySelectorAll('[data-show]:disabled').length === 0);
  const before = shownImages();
  expect(asked(platform, 'showImage').length, 'not all of the others are fetched').toBeLessThanOrEqual(5);
  const boxes = [...document.querySelectorAll<HTMLElement>('.remote-image')];
  expect(boxes.map((box) => box.textContent?.includes('Image from img.example.org'))).toEqual([true, true, true]);
  button('Show', boxes[0]).click();
  await until(() => !shownImages().includes(before[0] ?? ''));
  expect(shownImages()).toEqual([...before.slice(1), '3']);
});

test('a_body_shows_at_most_two_hundred_images_at_once', async () => {
  const { platform } = await withImages(300, () => {});
  await there('.remote-image');
  button('Show all 300', find('.remote-image')).click();
  await until(() => shownImages().length === 200 && document.querySelectorAll('[data-show]:disabled').length === 0);
  expect(asked(platform, 'showImage').length).toBeLessThanOrEqual(204);
});
