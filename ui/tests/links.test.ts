// What is told beside a link whose text reads as an address, and that it costs little however long the text is.
import { expect, test } from 'vitest';
import { leadsElsewhere } from '../src/features/reading/item/links';

const EVIL = 'https://evil.example/';

/** As much as a body holds at most, four times over: what looks again from each letter takes minutes for each. */
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
