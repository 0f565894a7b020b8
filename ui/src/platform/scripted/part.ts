// A part of the scripted program. It answers in the language in which the program began.
import type { ScriptedLists } from './lists';

export class ScriptedPart {
  protected readonly l: (en: string, zh: string) => string;

  constructor(protected readonly program: ScriptedLists) {
    const lang = program.now.lang_now;
    this.l = (en, zh) => (lang === 'zh-CN' ? zh : en);
  }

  protected refuse(en: string, zh: string, code = 'invalid'): Promise<never> {
    return Promise.reject({ code, text: this.l(en, zh) });
  }
}
