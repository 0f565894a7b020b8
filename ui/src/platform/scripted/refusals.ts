// What the program says of what is not there, and of what can't be done.
import type { IpcError } from '../../generated/IpcError';
import type { Lang } from '../../generated/Lang';

export const gone = (lang: Lang): IpcError => ({
  code: 'not_found',
  text: lang === 'zh-CN' ? '它已不在这里。' : 'It is no longer here.',
});

export const impossible = (lang: Lang): IpcError => ({
  code: 'invalid',
  text: lang === 'zh-CN' ? '无法执行此操作。' : 'That is not possible.',
});
