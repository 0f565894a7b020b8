// Tests of the host shown beside a link whose text reads as another address, in time proportional to the text.
import { expect, test } from 'vitest';
import { leadsElsewhere } from '../src/features/reading/item/links';

const EVIL = 'https://evil.example/';

/** Characters in a long text, four times the bound of a body. A search that starts again at each would take minutes. */
const LONG = 1 << 20;

test('the_text_of_a_link_is_looked_through_once_however_long_it_is', () => {
  const long = {
    word: 'a'.repeat(LONG),
    signs: `${'!'.repeat(LONG)} www.x`,
    blanks: `${' '.repeat(LONG)}x`,
    mail: `${'a@'.repeat(LONG / 2)}b`,
    host: `${'a.'.repeat(LONG / 2)}1`,
    scheme: `${'a-'.repeat(LONG / 2)}://`,
    unseen: `${'\u200b'.repeat(LONG)}bank.example`,
  };
  const told = Object.entries(long).map(([name, text]) => [name, leadsElsewhere(text, EVIL)]);
  expect(Object.fromEntries(told)).toEqual({
    word: null,
    signs: 'evil.example',
    blanks: null,
    mail: null,
    host: null,
    scheme: 'evil.example',
    unseen: 'evil.example',
  });
});

test('an_address_in_the_text_of_a_link_is_seen_whatever_stands_around_it', () => {
  const elsewhere = (text: string) => leadsElsewhere(text, EVIL) !== null;
  for (const text of [
    'bank\u200b.example',
    'ba\u00adnk.example',
    '\u2060https://bank.example',
    'see https://bank.example/login',
    `${'so '.repeat(2000)}https://bank.example`,
    '(www.bank.example)',
  ]) {
    expect(elsewhere(text), text.slice(-40)).toBe(true);
  }
  for (const text of [
    'evil.example',
    '(https://evil.example/a)',
    '“www.evil.example”',
    '@evil.example/',
    'EVIL.example:443/',
    'the second chapter',
    'either/or',
  ]) {
    expect(elsewhere(text), text).toBe(false);
  }
});

test('a_host_in_letters_that_can_be_trusted_is_the_one_that_its_text_says_and_one_that_cannot_is_told', () => {
  for (const [text, url, host, told] of [
    ['https://bücher.example/a', 'https://xn--bcher-kva.example/a', 'bücher.example', null],
    ['www.пример.рф:8080', 'http://xn--e1afmkfd.xn--p1ai:8080/', 'пример.рф:8080', null],
    ['https://उदाहरण.भारत', 'https://xn--p1b6ci4b4b3a.xn--h2brj9c/', 'उदाहरण.भारत', null],
    ['https://аpple.example', 'https://xn--pple-43d.example/', 'xn--pple-43d.example', 'xn--pple-43d.example'],
    ['bücher.example', 'https://xn--bcher-kva.evil/', 'bücher.evil', 'bücher.evil'],
    ['bob@аpple.example', 'mailto:bob@%D0%B0pple.example', 'bob@xn--pple-43d.example', 'bob@xn--pple-43d.example'],
  ] as const)
    expect(leadsElsewhere(text, url, host), text).toBe(told);
});
