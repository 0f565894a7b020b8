// The languages whose code is highlighted, by their names. Languages are never guessed.

const LANGUAGES = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'diff',
  'dockerfile',
  'go',
  'ini',
  'java',
  'javascript',
  'json',
  'kotlin',
  'lua',
  'makefile',
  'nginx',
  'php',
  'powershell',
  'python',
  'ruby',
  'rust',
  'sql',
  'swift',
  'typescript',
  'xml',
  'yaml',
] as const;

export type Language = (typeof LANGUAGES)[number];

/** Other names of the languages. */
const ALSO: Record<string, Language> = {
  'c++': 'cpp',
  cc: 'cpp',
  cs: 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  h: 'c',
  hpp: 'cpp',
  html: 'xml',
  js: 'javascript',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  make: 'makefile',
  mjs: 'javascript',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  svelte: 'xml',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  yml: 'yaml',
  zsh: 'bash',
};

/** The language with this name; null if its code stays plain. */
export function languageOf(called: string): Language | null {
  const lower = called.toLowerCase();
  const name = Object.hasOwn(ALSO, lower) ? ALSO[lower] : lower;
  return LANGUAGES.find((language) => language === name) ?? null;
}
