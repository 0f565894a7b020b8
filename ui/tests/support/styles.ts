// The style sheets and the styles of components as they are written, rule by rule.
const sheets = import.meta.glob<string>('../../src/styles/**/*.css', { query: '?raw', import: 'default', eager: true });
const components = import.meta.glob<string>('../../src/**/*.svelte', { query: '?raw', import: 'default', eager: true });
const modules = import.meta.glob<string>(['../../src/**/*.ts', '!../../src/generated/**', '!../../src/i18n/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

const STYLE = /<style>(.*?)<\/style>/gs;

export interface StyleRule {
  /** The selectors, and those of the at-rules around it are left out. */
  readonly selector: string;
  readonly declarations: ReadonlyMap<string, string>;
}

function rulesOf(css: string): StyleRule[] {
  const text = css.replaceAll(/\/\*.*?\*\//gs, '');
  return [...text.matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, selector = '', body = '']) => ({
    selector: selector.trim().replaceAll(/\s+/g, ' '),
    declarations: new Map(
      body.split(';').flatMap((line) => {
        const at = line.indexOf(':');
        return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
      }),
    ),
  }));
}

/** The rules of the style sheets, which any element may match. */
export const globalRules: readonly StyleRule[] = Object.values(sheets).flatMap(rulesOf);

export const rules: readonly StyleRule[] = [
  ...globalRules,
  ...Object.values(components).flatMap((text) => [...text.matchAll(STYLE)].flatMap(([, css = '']) => rulesOf(css))),
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
