// The proxy of the scripted program.
import type { Lang } from '../../generated/Lang';
import type { ProxyForm } from '../../generated/ProxyForm';
import type { ProxyView } from '../../generated/ProxyView';
import type { ScriptedContext } from './admin';

export class ScriptedProxy {
  view: ProxyView = { choice: 'desktop', address: '', user: '', has_password: false };
  readonly #context: ScriptedContext;
  readonly #l: (en: string, zh: string) => string;

  constructor(context: ScriptedContext, lang: Lang) {
    this.#context = context;
    this.#l = (en, zh) => (lang === 'zh-CN' ? zh : en);
  }

  async get(): Promise<ProxyView> {
    return this.view;
  }

  async set(form: ProxyForm): Promise<ProxyView> {
    this.#context.asked.push(['setProxy', form]);
    const { choice, address, user, password } = form;
    if (choice !== 'this') {
      this.view = { choice, address: '', user: '', has_password: false };
      return this.view;
    }
    if (!/^((https?|socks[45]a?h?):\/\/)?[\w.:-]+$/.test(address)) {
      const text = this.#l('This is not the address of a proxy', '这不是代理的地址');
      return Promise.reject({ code: 'invalid', text });
    }
    const full = address.includes('://') ? address : `http://${address}`;
    const keeps = password === '' && full === this.view.address && user === this.view.user;
    this.view = { choice, address: full, user, has_password: keeps ? this.view.has_password : password !== '' };
    return this.view;
  }
}
