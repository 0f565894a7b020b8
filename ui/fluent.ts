// Makes code and types of Fluent files when the page is built: the page itself parses nothing when it starts.
import {
  type Comment,
  type Expression,
  type InlineExpression,
  type Message,
  type Pattern,
  parse,
  type SelectExpression,
  type SyntaxNode,
} from '@fluent/syntax';

/** A parameter of a text, as the comment above it names it: `# $count (number), $more? (boolean)`. */
interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

/** The functions that a text can call, each in `src/i18n/functions.ts` by its name in small letters. */
const FUNCTIONS = ['AFTER', 'AROUND', 'BEFORE', 'GIVEN', 'LIST', 'LOWER', 'PLUS', 'UPPER'];
const TYPES: Readonly<Record<string, string>> = { list: 'readonly string[]', 'string or null': 'string | null' };

function parameters(comment: Comment | null): Parameter[] {
  const found = comment?.content.matchAll(/\$(\w+)(\??) \(([^)]+)\)/g) ?? [];
  return [...found].map(([, name = '', optional, type = '']) => ({ name, type, optional: optional === '?' }));
}

/** A mistake in a file, with the line of this place in its text. */
function mistake(file: string, source: string, place: SyntaxNode | undefined, what: unknown): Error {
  const line = source.slice(0, place?.span?.start).split('\n').length;
  return new Error(`${file}:${line}: ${what instanceof Error ? what.message : what}`);
}

function messages(source: string, file: string): Message[] {
  return parse(source, {}).body.flatMap((entry) => {
    if (entry.type === 'Junk') throw mistake(file, source, entry.annotations[0], entry.annotations[0]?.message);
    return entry.type === 'Message' ? [entry] : [];
  });
}

/** Whether `one` of a language means 1 and no other count, so that nobody has to ask `Intl`. */
function oneIsOne(lang: string): boolean {
  const rules = new Intl.PluralRules(lang);
  return [...Array(200).keys()].every((count) => (rules.select(count) === 'one') === (count === 1));
}

/** The code of the texts of one file. */
class Compiler {
  readonly #all: ReadonlyMap<string, Message>;
  readonly #plural: (name: string, category: string) => string;
  readonly #mistake: (place: SyntaxNode, what: unknown) => Error;
  #types: ReadonlyMap<string, string> = new Map();

  constructor(source: string, lang: string, file: string) {
    this.#all = new Map(messages(source, file).map((one) => [one.id.name, one]));
    this.#mistake = (place, what) => mistake(file, source, place, what);
    const ones = oneIsOne(lang);
    this.#plural = (name, category) =>
      ones && category === 'one' ? `${name} === 1` : `plural('${lang}', ${name}) === '${category}'`;
  }

  module(): string {
    const members = [...this.#all.values()].map((one) => {
      try {
        return `  ${one.id.name}: ${this.#member(one)},\n`;
      } catch (error) {
        throw this.#mistake(one.id, error);
      }
    });
    return `export default {\n${members.join('')}};\n`;
  }

  #member({ value, attributes, comment }: Message): string {
    const all = parameters(comment);
    this.#types = new Map(all.map(({ name, type }) => [name, type]));
    if (!value) {
      const table = attributes.map((one) => `${JSON.stringify(one.id.name)}: ${this.#pattern(one.value)}`);
      return `{ ${table.join(', ')} }`;
    }
    if (attributes.length > 0) throw new Error('a text has no attributes');
    const text = this.#pattern(value);
    return all.length > 0 ? `(${all.map(({ name }) => name).join(', ')}) => ${text}` : text;
  }

  #pattern({ elements }: Pattern): string {
    const parts = elements.map((one) =>
      one.type === 'TextElement' ? JSON.stringify(one.value) : this.#expression(one.expression),
    );
    return parts.filter((part) => part !== '""' || parts.length === 1).join(' + ');
  }

  #expression(of: Expression): string {
    switch (of.type) {
      case 'StringLiteral':
        return JSON.stringify(of.parse().value);
      case 'VariableReference':
        return this.#type(of.id.name).startsWith('number') ? `number(${of.id.name})` : of.id.name;
      case 'MessageReference':
        return `(${this.#pattern(this.#referred(of.id.name))})`;
      case 'FunctionReference':
        return this.#call(of);
      case 'SelectExpression':
        return `(${this.#select(of)})`;
      default:
        throw new Error(`no ${of.type} here`);
    }
  }

  #type(name: string): string {
    const type = this.#types.get(name);
    if (type === undefined) throw new Error(`the comment does not name $${name}`);
    return type;
  }

  #referred(name: string): Pattern {
    const value = this.#all.get(name)?.value;
    if (!value) throw new Error(`no text ${name}`);
    return value;
  }

  #call({ id, arguments: { positional, named } }: InlineExpression & { type: 'FunctionReference' }): string {
    if (!FUNCTIONS.includes(id.name)) throw new Error(`no function ${id.name}`);
    const isApart = named.some((one) => one.name.name === 'between');
    if (id.name === 'LIST' && !isApart) throw new Error('LIST does not say what is between');
    const values = positional.map((one) => (one.type === 'VariableReference' ? one.id.name : this.#expression(one)));
    const options = ['between', 'last'].flatMap((name) => named.find((one) => one.name.name === name)?.value ?? []);
    return `${id.name.toLowerCase()}(${[...values, ...options.map((one) => this.#expression(one))].join(', ')})`;
  }

  #select({ selector, variants }: SelectExpression): string {
    const otherwise = variants.find((one) => one.default) ?? variants[0];
    const others = variants.filter((one) => one !== otherwise);
    const cases = others.map(({ key, value }) => {
      const name = key.type === 'Identifier' ? key.name : Number(key.value);
      return `${this.#holds(selector, name)} ? ${this.#pattern(value)} : `;
    });
    return cases.join('') + (otherwise ? this.#pattern(otherwise.value) : '""');
  }

  #holds(selector: InlineExpression, key: string | number): string {
    if (selector.type === 'FunctionReference') return `${key === 'no' ? '!' : ''}${this.#call(selector)}`;
    if (selector.type !== 'VariableReference') throw new Error(`no ${selector.type} selects`);
    const { name } = selector.id;
    const type = this.#type(name);
    if (type === 'boolean') return key === 'true' ? name : `!${name}`;
    if (typeof key === 'number') return `${name} === ${key}`;
    return type.startsWith('number') ? this.#plural(name, key) : `${name} === ${JSON.stringify(key)}`;
  }
}

/** The keys among which a parameter chooses, as a type. */
function choices({ value }: Message, name: string, all: readonly Message[]): string {
  for (const element of value?.elements ?? []) {
    if (element.type !== 'Placeable') continue;
    const { expression } = element;
    if (expression.type === 'MessageReference') {
      const referred = all.find((one) => one.id.name === expression.id.name);
      const found = referred ? choices(referred, name, all) : 'never';
      if (found !== 'never') return found;
    }
    if (expression.type !== 'SelectExpression' || expression.selector.type !== 'VariableReference') continue;
    if (expression.selector.id.name !== name) continue;
    return expression.variants.map(({ key }) => (key.type === 'Identifier' ? `'${key.name}'` : key.value)).join(' | ');
  }
  return 'never';
}

function typeOf(of: Message, { name, type }: Parameter, all: readonly Message[]): string {
  return type === 'choice' ? choices(of, name, all) : (TYPES[type] ?? type.replaceAll(' or ', ' | '));
}

function membersOf(sources: readonly string[]): string {
  const members = sources.flatMap((source) => {
    const all = messages(source, 'the texts');
    return all.map((one) => {
      const { id, value, attributes, comment } = one;
      const table = attributes.map((part) => `readonly '${part.id.name}': string`).join('; ');
      const given = parameters(comment).map((it) => `${it.name}${it.optional ? '?' : ''}: ${typeOf(one, it, all)}`);
      const type = given.length > 0 ? `(${given.join(', ')}) => string` : 'string';
      return `  readonly ${id.name}: ${value ? type : `{ ${table} }`};\n`;
    });
  });
  return `{\n${members.join('')}}\n`;
}

/** The types of the texts of a language, from its files: those of the first picture, and all of them. */
export function typesOf(first: readonly string[], later: readonly string[]): string {
  const origin = '// Generated from `i18n/en` by `npx vitest run tests/texts.test.ts -u`.';
  return `${origin}\nexport interface Texts ${membersOf(first)}\nexport interface AllTexts extends Texts ${membersOf(later)}`;
}

const NAMES = [...FUNCTIONS.map((name) => name.toLowerCase()), 'number', 'plural'].join(', ');

/** Each Fluent file is a module with its texts. */
export const fluent = {
  name: 'fluent',
  transform(source: string, id: string) {
    const [, lang] = /i18n\/([^/]+)\/(?:first\/)?[^/]+\.ftl$/.exec(id) ?? [];
    if (lang === undefined) return null;
    const code = new Compiler(source, lang, id).module();
    return { code: `import { ${NAMES} } from '/src/i18n/functions.ts';\n${code}`, map: { mappings: '' as const } };
  },
};
