// The style sheets as they are written, rule by rule.
const sheets = import.meta.glob<string>('../../src/styles/**/*.css', { query: '?raw', import: 'default', eager: true });

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

export const rules: readonly StyleRule[] = Object.values(sheets).flatMap(rulesOf);

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
