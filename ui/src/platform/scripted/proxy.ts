// The proxy of the scripted program.
import type { ProxyForm } from '../../generated/ProxyForm';
import type { ProxyView } from '../../generated/ProxyView';
import { ScriptedPart } from './part';

export class ScriptedProxy extends ScriptedPart {
  view: ProxyView = { choice: 'desktop', address: '', user: '', has_password: false };

  async get(): Promise<ProxyView> {
    return this.view;
  }

  async set(form: ProxyForm): Promise<ProxyView> {
    this.program.asked.push(['setProxy', form]);
    const { choice, address, user, password } = form;
    if (choice !== 'this') {
      this.view = { choice, address: '', user: '', has_password: false };
      return this.view;
    }
    if (!/^((https?|socks[45]a?h?):\/\/)?[\w.:-]+$/.test(address))
      return this.refuse('This is not the address of a proxy', '这不是代理的地址');
    const full = address.includes('://') ? address : `http://${address}`;
    const keeps = password === '' && full === this.view.address && user === this.view.user;
    this.view = { choice, address: full, user, has_password: keeps ? this.view.has_password : password !== '' };
    return this.view;
  }
}
