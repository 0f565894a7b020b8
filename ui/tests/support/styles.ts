// The style sheets and the styles of components as they are written, rule by rule.
const sheets = import.meta.glob<string>('../../src/**/*.css', { query: '?raw', import: 'default', eager: true });
const components = import.meta.glob<string>('../../src/**/*.svelte', { query: '?raw', import: 'default', eager: true });
const modules = import.meta.glob<string>(['../../src/**/*.ts', '!../../src/generated/**', '!../../src/i18n/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

const STYLE = /<style>(.*?)<\/style>/gs;

export interface StyleRule {
  /** The path of the style sheet or component. */
  readonly file: string;
  /** The selectors without `:global(…)`; at-rules around them are left out. */
  readonly selector: string;
  readonly declarations: ReadonlyMap<string, string>;
}

/** A selector with the contents of each `:global(…)` in its place; these go to `found` as well. */
function unwrapped(selector: string, found: string[] = []): string {
  const start = selector.indexOf(':global(');
  if (start < 0) return selector;
  const from = start + ':global('.length;
  let end = from;
  for (let depth = 1; end < selector.length; end += 1) {
    depth += selector[end] === '(' ? 1 : selector[end] === ')' ? -1 : 0;
    if (depth === 0) break;
  }
  found.push(selector.slice(from, end));
  return unwrapped(selector.slice(0, start) + selector.slice(from, end) + selector.slice(end + 1), found);
}

const writtenIn = (css: string) => css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{([^{}]*)\}/g);

function rulesOf([file, css]: readonly [file: string, css: string]): StyleRule[] {
  return [...writtenIn(css)].map(([, selector = '', body = '']) => ({
    file,
    selector: unwrapped(selector.trim().replaceAll(/\s+/g, ' ')),
    declarations: new Map(
      body.split(';').flatMap((line) => {
        const at = line.indexOf(':');
        return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
      }),
    ),
  }));
}

/** The styles of components, by path. */
const scoped = Object.entries(components).flatMap(([file, text]) =>
  [...text.matchAll(STYLE)].map(([, css = '']) => [file, css] as const),
);

export const rules: readonly StyleRule[] = [...Object.entries(sheets), ...scoped].flatMap(rulesOf);

/** What any element may match: the selectors of style sheets, and in components what is in `:global(…)`. */
export const globalSelectors: readonly string[] = [
  ...Object.entries(sheets)
    .flatMap(rulesOf)
    .map(({ selector }) => selector),
  ...scoped.flatMap(([, css]) =>
    [...writtenIn(css)].flatMap(([, selector = '']) => {
      const found: string[] = [];
      unwrapped(selector, found);
      return found;
    }),
  ),
];

/** All markup and code that names classes. */
export const source = [
  ...Object.values(components).map((text) => text.replaceAll(STYLE, '')),
  ...Object.values(modules),
].join('\n');

/** The selectors of a list, at the commas that stand in no parentheses. */
function selectorsOf(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of list) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim());
}

/** The value that the last rule with this very selector sets, alone or among others. */
export function styleOf(selector: string, property: string): string | undefined {
  const found = rules.filter(
    (rule) => [rule.selector, ...selectorsOf(rule.selector)].includes(selector) && rule.declarations.has(property),
  );
  return found.at(-1)?.declarations.get(property);
}

/** The files that style each class by itself: not with a second class, and in no other part than the whole page. */
export function filesByClass(): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>();
  for (const { file, selector } of rules)
    for (const one of selectorsOf(selector)) {
      const alone = one.replace(/^(:root\S*|\[data-[^\]]+\]|\.by-key) /, '');
      const [, name] = /^[a-z]*\.([\w-]+)(:(?!has)[\w-]+(\(.*\))?|\[[^\]]*\])*$/.exec(alone) ?? [];
      if (name) files.set(name, (files.get(name) ?? new Set()).add(file));
    }
  return files;
}

const texts = new Map(Object.entries({ ...sheets, ...components, ...modules }));
const STATIC = /^(?:@?import(?! type)|export|\}) *[^'"(]*["'](\.[^'"]+)["']/gm;
const DYNAMIC = /import\('(\.[^']+\.svelte)'\)/g;

/** The paths of files that a file names. */
function namedIn(file: string, pattern: RegExp): string[] {
  const base = new URL(file.replace('../../', ''), 'file:///');
  return [...(texts.get(file) ?? '').matchAll(pattern)].flatMap(([, name = '']) => {
    const path = `../..${new URL(name, base).pathname}`;
    return [path, `${path}.ts`, `${path}.svelte.ts`].filter((one) => texts.has(one)).slice(0, 1);
  });
}

function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const other of namedIn(file, STATIC)) loadedWith(other, loaded);
  return loaded;
}

/** The classes that the markup of a component names. */
const namesIn = (file: string) =>
  [...(components[file] ?? '').matchAll(/\bclass=(?:"([^"]*)"|\{(\[[^\]]*\]|[^}]*)\})/g)].flatMap(
    ([, plain = '', code = '']) =>
      [plain, ...[...code.matchAll(/'([^']*)'/g)].map(([, text = '']) => text)].join(' ').match(/[\w-]+/g) ?? [],
  );

/** Of the page as it starts, and of each part that is loaded later: the classes whose style sheets are not there. */
export function withoutSheets(): string[] {
  const styled = filesByClass();
  const first = loadedWith('../../src/main.ts');
  const later = [...texts.keys()].flatMap((file) => namedIn(file, DYNAMIC)).map((part) => loadedWith(part));
  return [first, ...later].flatMap((part) =>
    [...part].flatMap((file) =>
      namesIn(file).flatMap((name) => {
        const sheet = [...(styled.get(name) ?? [])].filter((one) => one.endsWith('.css'));
        return sheet.every((one) => part.has(one) || first.has(one)) ? [] : [`.${name} of ${file}`];
      }),
    ),
  );
}
