// Tests that the documents list every key that the page has.
import { expect, test } from 'vitest';
import { keyGroups } from '../src/features/commands/key-groups';
import { en, type Strings } from '../src/i18n/en';
import { zhCN } from '../src/i18n/zh-CN';
import { documentOf } from './support/documents';

const stepText = (keys: readonly string[]) => keys.map((key) => `\`${key}\``).join('+');

/** The tables of the list of keys, each below the name of its group. */
const tables = (t: Strings, head: string) =>
  keyGroups(t, false)
    .map(({ name, lines }) => {
      const rows = lines.map(({ text, ways }) => {
        const keys = ways.map((steps) => steps.map(stepText).join(` ${t.keyThen} `)).join(` ${t.keyOr} `);
        return `| ${keys} | ${text} |`;
      });
      return [`## ${name}`, '', head, '|---|---|', ...rows].join('\n');
    })
    .join('\n\n');

test.each([
  ['keyboard', tables(en, '| keys | command |')],
  ['zh-CN/keyboard', tables(zhCN, '| 按键 | 命令 |')],
])('every_key_is_in_%s', (document, listed) => {
  expect(documentOf(document)).toContain(listed);
});
