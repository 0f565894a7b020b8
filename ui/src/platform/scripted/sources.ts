// Sources of the scripted program. Threads are in `state.ts`.
import type { DesktopApplication } from '../../generated/DesktopApplication';
import type { ProtocolView } from '../../generated/ProtocolView';
import type { SignInForm } from '../../generated/SignInForm';
import type { SignInPrompt } from '../../generated/SignInPrompt';
import type { SourceForm } from '../../generated/SourceForm';
import type { SourceRow } from '../../generated/SourceRow';
import type { SourceTest } from '../../generated/SourceTest';
import { ScriptedPart } from './part';
import { PROTOCOLS } from './sample-protocols';
import { sampleSource } from './sample-sources';
import { NOW } from './scripted-thread';

/** The scripted sources. Servers refuse the token `wrong`; a host with `nowhere` in its name does not answer. */
export class ScriptedSources extends ScriptedPart {
  protocols = [...PROTOCOLS];
  /** The reason why other programs' notifications can't be read along; null if they can. */
  desktopRefusal: string | null = null;
  #last = 100;
  #signIn: SignInForm | null = null;

  async test(form: SourceForm): Promise<SourceTest> {
    this.program.asked.push(['testSource', form]);
    return this.#tested(form, this.program.sources);
  }

  #tested(form: SourceForm, known: readonly SourceRow[]): SourceTest {
    const kind = this.#kind(form);
    if (form.protocol === 'desktop')
      return this.desktopRefusal === null
        ? { ok: true, text: this.l('Connected', '已连接'), name: kind?.label ?? '' }
        : { ok: false, text: this.desktopRefusal, name: '' };
    const host = hostOf(this.#url(form));
    if (host === '') return this.#refused('There is no address. Enter an address', '没有地址。输入地址');
    if (host.includes('nowhere'))
      return this.#refused(
        `${host} does not answer. Check the address, or whether it runs`,
        `${host} 没有应答。检查地址，或它是否在运行`,
      );
    if (form.token === 'wrong')
      return this.#refused('The token was refused. Copy it again from its server', '令牌被拒绝。从它的服务器重新复制');
    const there = known.find((one) => hostOf(one.url) === host);
    if (there) return this.#refused(`Already added, as “${there.name}”`, `已存在，名为“${there.name}”`);
    if (kind?.credential === 'none') return { ok: true, text: this.l('Connected', '已连接'), name: host };
    return { ok: true, text: this.l('Signed in as Ana. 12 unread', '以 Ana 登录，12 条未读'), name: host };
  }

  async add(form: SourceForm): Promise<number> {
    this.program.asked.push(['addSource', form]);
    const test = await this.test(form);
    if (!test.ok) return Promise.reject({ code: 'invalid', text: test.text });
    this.#last += 1;
    const one = sampleSource({
      id: this.#last,
      name: form.name || test.name,
      protocol: form.protocol,
      url: this.#url(form),
      notify: { level: this.#kind(form)?.notify === 'badge' ? 'badge' : null, from_priority: null, sound: null },
      ...(form.protocol === 'desktop' ? { applications: [] } : {}),
    });
    this.#list([...this.program.sources, one]);
    return one.id;
  }

  async edit(source: number, form: SourceForm): Promise<SourceTest> {
    this.program.asked.push(['editSource', source, form]);
    const { name } = form;
    const before = this.program.sources.find((one) => one.id === source);
    if (form.token !== '' || form.url !== before?.url) {
      const others = this.program.sources.filter((one) => one.id !== source);
      const test = this.#tested(form, others);
      if (!test.ok) return test;
    }
    if (this.program.sources.some((one) => one.id !== source && one.name === name))
      return this.refuse('Another source has this name. Choose another one', '已有同名的来源。选择其他名称');
    this.#one(source, (one) => ({ ...one, name, url: this.#url(form) }));
    return { ok: true, text: '', name };
  }

  async pause(source: number, on: boolean): Promise<void> {
    this.program.asked.push(['pauseSource', source, on]);
    this.#one(source, (one) => ({ ...one, state: on ? { state: 'paused', since: NOW } : { state: 'live' } }));
  }

  async removalHint(source: number): Promise<string | null> {
    const one = this.program.sources.find((known) => known.id === source);
    if (one?.protocol !== 'github') return null;
    return this.l(
      'Its sign-in stays valid at the service until you revoke it at https://github.com/settings/applications',
      '其登录在该服务上仍然有效，可在 https://github.com/settings/applications 撤销',
    );
  }

  async remove(source: number, keep: boolean): Promise<string | null> {
    this.program.asked.push(['removeSource', source, keep]);
    const hint = await this.removalHint(source);
    this.#list(this.program.sources.filter((one) => one.id !== source));
    return hint;
  }

  async signIn(source: number, token: string): Promise<SourceTest> {
    this.program.asked.push(['signInSource', source, token]);
    if (token === 'wrong')
      return this.#refused('The token was refused. Copy it again from its server', '令牌被拒绝。从它的服务器重新复制');
    this.#one(source, (one) => ({ ...one, state: { state: 'live' } }));
    return { ok: true, text: this.l('Signed in as Ana. 12 unread', '以 Ana 登录，12 条未读'), name: '' };
  }

  /** The client ids that are kept, by the address. */
  readonly clients = new Map<string, string>();
  /** What the waiting sign-in ends with; a test calls it as the reader agrees, or does not, on the page. */
  agree: (ok: boolean) => void = () => {};

  async client(protocol: string, url: string): Promise<string> {
    return this.clients.get(`${protocol} ${url}`) ?? '';
  }

  async beginSignIn(form: SignInForm): Promise<SignInPrompt> {
    this.program.asked.push(['beginSignIn', form]);
    if (form.client_id === 'wrong')
      return this.refuse('github.com does not accept this client ID', 'github.com 不接受此客户端 ID');
    this.#last += 1;
    this.#signIn = form;
    const code = form.protocol === 'mastodon' ? null : 'WDJB-MJHT';
    return { id: this.#last, url: `https://${code === null ? 'm.example/oauth' : 'github.com/login/device'}`, code };
  }

  finishSignIn(id: number): Promise<SourceTest> {
    this.program.asked.push(['finishSignIn', id]);
    return new Promise((resolve) => {
      this.agree = (ok) => {
        const source = this.#signIn?.source ?? null;
        if (!ok) return resolve(this.#refused('The sign-in at github.com was denied', 'github.com 上的登录被拒绝'));
        if (source !== null) this.#one(source, (one) => ({ ...one, state: { state: 'live' } }));
        resolve({ ok: true, text: this.l('Signed in as Ana', '以 Ana 登录'), name: 'GitHub' });
      };
    });
  }

  async cancelSignIn(id: number): Promise<void> {
    this.program.asked.push(['cancelSignIn', id]);
  }

  async pull(source: number): Promise<void> {
    this.program.asked.push(['trySource', source]);
    this.#one(source, (one) => ({ ...one, state: { state: 'live' } }));
  }

  async keepApplication(source: number, name: string, on: boolean): Promise<void> {
    this.program.asked.push(['keepApplication', source, name, on]);
    if (name === 'One too many') return this.refuse('At most 100 can be chosen', '最多 100 个');
    const chosen = (one: DesktopApplication) => (one.name === name ? { ...one, kept: on } : one);
    this.#one(source, (one) => ({ ...one, applications: one.applications?.map(chosen) ?? [] }));
  }

  async setIcons(source: number, on: boolean): Promise<void> {
    this.program.asked.push(['setSourceIcons', source, on]);
    this.#one(source, (one) => ({ ...one, show_icons: on }));
  }

  async order(ids: number[]): Promise<void> {
    this.program.asked.push(['orderSources', ids]);
    this.#list(ids.flatMap((id) => this.program.sources.filter((one) => one.id === id)));
  }

  #kind(form: SourceForm): ProtocolView | undefined {
    return this.protocols.find((one) => one.name === form.protocol);
  }

  #url(form: SourceForm): string {
    const url = form.url || (this.#kind(form)?.default_url ?? '');
    return url === '' || url.includes('://') || form.protocol === 'desktop' ? url : `https://${url}`;
  }

  #refused(en: string, zh: string): SourceTest {
    return { ok: false, text: this.l(en, zh), name: '' };
  }

  #one(source: number, change: (one: SourceRow) => SourceRow): void {
    this.program.setSources((one) => (one.id === source ? change(one) : one));
  }

  #list(sources: SourceRow[]): void {
    this.program.sources = sources;
    this.program.emitSync();
  }
}

function hostOf(url: string): string {
  return url.replace(/^\w+:\/\//, '').split('/')[0] ?? '';
}
