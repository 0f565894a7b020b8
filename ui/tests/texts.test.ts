// Tests of the texts in `i18n/`: each language has all of them, and they say what the Fluent library makes of them.
import { FluentBundle, FluentResource, FluentType, type FluentValue } from '@fluent/bundle';
import { expect, test } from 'vitest';
import { fluent, typesOf } from '../fluent';
import { allEn } from '../src/i18n/all';
import * as functions from '../src/i18n/functions';
import { zhCN } from '../src/i18n/zh-CN';

const first = import.meta.glob<string>('../../i18n/*/first/*.ftl', { eager: true, query: '?raw', import: 'default' });
const later = import.meta.glob<string>('../../i18n/*/*.ftl', { eager: true, query: '?raw', import: 'default' });
const languages = { en: allEn, 'zh-CN': zhCN };
const of = (lang: string, files: Readonly<Record<string, string>>) =>
  Object.keys(files).flatMap((path) => (path.includes(`/${lang}/`) ? (files[path] ?? '') : []));
const sources = (lang: string) => [...of(lang, first), ...of(lang, later)];
const types = (lang: string) => typesOf(of(lang, first), of(lang, later));
const members = (lang: string) => types(lang).match(/^ {2}readonly .*$/gm) ?? [];

test('the_page_knows_the_texts_and_their_parameters', async () => {
  await expect(types('en')).toMatchFileSnapshot('../src/generated/texts.ts');
});

test.each(Object.keys(languages))('a_language_has_every_text_once: %s', (lang) => {
  const names = members(lang).map((one) => one.split(/[ :]+/)[2]);
  expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual([]);
  expect(members(lang).toSorted()).toEqual(members('en').toSorted());
});

/** A value that only functions read. */
class Given extends FluentType<unknown> {
  toString(): string {
    return String(this.value);
  }
}

const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  string: ['Ana', '工作', ''],
  number: [0, 1, 2, 5, 1234],
  boolean: [true, false],
  'readonly string[]': [[], ['Ana'], ['Ana', '工作', 'Bo']],
  'string | null': [null, 'Ana'],
  'number | null': [null, 3],
};

/** Arguments of some types, each value of each at least once. */
function samples(types: readonly string[]): unknown[][] {
  const all = types.map(
    (type) => SAMPLES[type] ?? type.split(' | ').map((one) => (one.startsWith("'") ? one.slice(1, -1) : Number(one))),
  );
  return all.reduce<unknown[][]>((rows, one) => rows.flatMap((row) => one.map((value) => [...row, value])), [[]]);
}

function argument(value: unknown): FluentValue {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? new Given(value) : (value as FluentValue);
}

/** The functions of the page, for the library. */
const called = Object.fromEntries(
  Object.entries(functions).map(([name, call]) => [
    name.toUpperCase(),
    (given: FluentValue[], { between, last }: Record<string, FluentValue>) => {
      const values = given.map((one) => (one instanceof FluentType ? one.value : one === 'false' ? false : one));
      const said: unknown = Reflect.apply(call, null, [
        ...values,
        ...[between, last].filter((one) => one !== undefined),
      ]);
      return typeof said === 'boolean' ? (said ? 'yes' : 'no') : String(said);
    },
  ]),
);

test.each(Object.entries(languages))('a_text_says_what_fluent_says: %s', (lang, texts) => {
  const bundle = new FluentBundle(lang, { useIsolating: false, functions: called });
  for (const source of sources(lang)) bundle.addResource(new FluentResource(source));
  for (const member of members(lang)) {
    const [, name = '', given] = /readonly (\w+): (?:\((.*)\) => )?string;/.exec(member) ?? [];
    const text = texts[name as keyof typeof texts];
    const pattern = bundle.getMessage(name)?.value;
    if (!pattern) continue;
    const parameters = given?.split(', ').map((one) => one.split(/\??: /)) ?? [];
    for (const values of samples(parameters.map(([, type = '']) => type))) {
      const args = Object.fromEntries(parameters.map(([key], at) => [key, argument(values[at])]));
      const said: unknown = typeof text === 'function' ? Reflect.apply(text, null, values) : text;
      expect(said, `${name} ${values}`).toBe(bundle.formatPattern(pattern, args));
    }
  }
});

test.each([
  ['one = One\ntwo\n', '2: Expected token'],
  ['one = One\n\ntwo = { $count }\n', '3: the comment does not name $count'],
  ['# A text.\none = { two }\n', '2: no text two'],
  ['one = One\n    .title = Title\n', '1: a text has no attributes'],
  ['# $names (list)\none = { LIST($names, last: " and ") }\n', '2: LIST does not say what is between'],
])('a_mistake_in_a_file_is_said_with_its_line: %j', (source, said) => {
  expect(() => fluent.transform(source, '/i18n/en/some.ftl')).toThrow(`/i18n/en/some.ftl:${said}`);
});
