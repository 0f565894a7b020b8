// The own server of the scripted program, with its tokens and users.
import type { FileResult } from '../../generated/FileResult';
import type { NewToken } from '../../generated/NewToken';
import type { ServerView } from '../../generated/ServerView';
import type { TokenRow } from '../../generated/TokenRow';
import { ScriptedPart } from './part';
import { NOW } from './scripted-thread';

const USUAL = 7878;
/** A port that another program uses. */
const TAKEN = 8080;

/** The scripted own server. */
export class ScriptedServer extends ScriptedPart {
  view: ServerView = {
    url: `http://127.0.0.1:${USUAL}`,
    port: null,
    others: false,
    origins: [],
    addresses: [],
    trouble: null,
    discovery_trouble: null,
    tokens: [
      { id: 't3', label: 'Phone', reads: true, created_at: NOW - 2 * 86_400_000, made_by: 'phone', made: 0 },
      { id: 't2', label: 'phone', reads: true, created_at: NOW - 3 * 86_400_000, made_by: null, made: 1 },
      { id: 't1', label: 'nas-01', reads: false, created_at: NOW - 12 * 86_400_000, made_by: null, made: 0 },
    ],
    users: [
      { id: 'bo', name: 'Bo Kessler', me: false },
      { id: 'me', name: 'Me', me: true },
    ],
  };
  #last = 100;
  readonly #removed = new Set<string>();

  async server(): Promise<ServerView> {
    return this.view;
  }

  async setServer(port: number | null, others: boolean): Promise<ServerView> {
    this.program.asked.push(['setServer', port, others]);
    if (port === TAKEN)
      return this.refuse(
        `Another program uses port ${port}. It still answers at ${this.view.url}; choose another port`,
        `端口 ${port} 已被其他程序使用。仍在 ${this.view.url} 响应；选择其他端口`,
        'outside',
      );
    const at = port ?? USUAL;
    const addresses = others ? [`http://desk.local:${at}`, `http://192.168.1.20:${at}`] : [];
    this.view = { ...this.view, url: `http://127.0.0.1:${at}`, port, others, addresses, trouble: null };
    return this.view;
  }

  /** Takes whole addresses of http for origins. */
  async setOrigins(origins: string[]): Promise<ServerView> {
    this.program.asked.push(['setOrigins', origins]);
    const bad = origins.find((one) => !/^https?:\/\/[\w.:-]+$/.test(one));
    if (bad !== undefined)
      return this.refuse(
        `“${bad}” is not an origin. Enter scheme, host and port`,
        `“${bad}”不是网页的源。输入协议、主机和端口`,
      );
    this.view = { ...this.view, origins };
    return this.view;
  }

  async createToken(label: string, reads: boolean): Promise<NewToken> {
    this.program.asked.push(['createToken', label, reads]);
    this.#last += 1;
    const row = { id: `t${this.#last}`, label, reads, created_at: NOW, made_by: null, made: 0 };
    this.view = { ...this.view, tokens: [row, ...this.view.tokens] };
    const token = `tk_${'k4'.repeat(15)}${this.#last}`;
    const address = this.view.addresses[0] ?? this.view.url;
    const curl = `curl -H "Authorization: Bearer ${token}" -d "Backup done" ${address}/backups`;
    const alone = this.l('This line works on this computer only', '此命令只能在本机使用');
    return { token, curl, only_here: this.view.others ? null : alone };
  }

  async revokeToken(id: string): Promise<ServerView> {
    this.program.asked.push(['revokeToken', id]);
    const label = this.view.tokens.find((one) => one.id === id)?.label;
    const stays = (one: TokenRow) => one.id !== id && (label === undefined || one.made_by !== label);
    this.view = { ...this.view, tokens: this.view.tokens.filter(stays) };
    return this.view;
  }

  async addUser(id: string, name: string): Promise<ServerView> {
    this.program.asked.push(['addUser', id, name]);
    if (this.view.users.some((one) => one.id === id) || this.#removed.has(id))
      return this.refuse(`${id} is taken`, `${id} 已被使用`);
    const users = [...this.view.users, { id, name, me: false }];
    this.view = { ...this.view, users: users.sort((a, b) => a.id.localeCompare(b.id)) };
    return this.view;
  }

  async renameUser(id: string, name: string): Promise<ServerView> {
    this.program.asked.push(['renameUser', id, name]);
    const users = this.view.users.map((one) => (one.id === id ? { ...one, name } : one));
    this.view = { ...this.view, users };
    return this.view;
  }

  async removeUser(id: string, recalls: boolean): Promise<ServerView> {
    this.program.asked.push(['removeUser', id, recalls]);
    this.#removed.add(id);
    this.view = { ...this.view, users: this.view.users.filter((one) => one.id !== id) };
    return this.view;
  }

  async exportUser(id: string): Promise<FileResult> {
    this.program.asked.push(['exportUser', id]);
    return {
      path: `/home/sam/${id}.jsonl`,
      text: this.l(`All data of ${id} exported`, `已导出 ${id} 的全部数据`),
    };
  }
}
