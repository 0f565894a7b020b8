// Tests of the arrows between the files of the page: no circles, and none from a lower floor to a higher one.
import { expect, test } from 'vitest';

/** The floors, lowest first: a file imports from its own and lower ones. The scripted program stands in for the real one,
 * with the page's own rules and menus. */
const FLOORS = [
  'generated',
  'i18n',
  'text',
  'dom',
  'icons.ts',
  'custom-keys.svelte.ts',
  'shortcuts.ts',
  'platform',
  'state',
  'components',
  'platform/scripted',
  'features',
  'App.svelte',
  'main.ts',
];

const texts = import.meta.glob<string>(['../src/**/*.{ts,svelte}', '!../src/vite-env.d.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const files = Object.keys(texts).map((path) => path.replace('../src/', ''));
const known = new Set(files);

/** Each import of a file, also of types alone and of what is loaded later. */
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** An import whose code comes with the file's own: not of types, and not of what is loaded later. */
const TOGETHER = /\bimport (?!type\b)[^'(]*'(\.[^']+)'/g;

/** The files that a file imports. A style sheet imports nothing of the page. */
function importsOf(file: string, kind = IMPORT): string[] {
  const written = [...(texts[`../src/${file}`] ?? '').matchAll(kind)].map(([, name = '']) => name);
  return written
    .filter((name) => !name.endsWith('.css'))
    .map((name) => {
      const path = new URL(name, `file:///${file}`).pathname.slice(1);
      const found = [path, `${path}.ts`, `${path}/index.ts`].find((one) => known.has(one));
      if (!found) throw new Error(`${file} imports ${name}, which is not there`);
      return found;
    });
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));
const floorOf = (file: string) => FLOORS.findLastIndex((floor) => file === floor || file.startsWith(`${floor}/`));

test('no_file_imports_itself_by_way_of_others', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  function follow(file: string, way: readonly string[]): void {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    done.add(file);
    for (const next of imports.get(file) ?? []) follow(next, [...way, file]);
  }
  for (const file of files) follow(file, []);
  expect(circles).toEqual([]);
});

test('every_file_has_a_floor_and_imports_nothing_from_above_it', () => {
  expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  const up = files.flatMap((file) =>
    (imports.get(file) ?? []).filter((other) => floorOf(other) > floorOf(file)).map((other) => `${file} → ${other}`),
  );
  expect(up).toEqual([]);
});

test('the_first_picture_waits_for_no_text_of_other_parts', () => {
  const together = new Set(['main.ts']);
  for (const file of together) for (const other of importsOf(file, TOGETHER)) together.add(other);
  expect(together).toContain('features/list/rows/ThreadRow.svelte');
  expect(together).not.toContain('features/settings/SettingsView.svelte');
  expect([...together].filter((file) => imports.get(file)?.includes('i18n/all.ts'))).toEqual([]);
});
