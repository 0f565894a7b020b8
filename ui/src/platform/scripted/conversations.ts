// Conversations of the scripted program: drafts, outgoing messages, and readers.
import type { AttachedFile } from '../../generated/AttachedFile';
import type { GroupChange } from '../../generated/GroupChange';
import type { ItemView } from '../../generated/ItemView';
import type { Member } from '../../generated/Member';
import type { NewConversation } from '../../generated/NewConversation';
import type { OutgoingView } from '../../generated/OutgoingView';
import type { Person } from '../../generated/Person';
import { ScriptedComposerFiles } from './composer-files';
import { gone, impossible } from './refusals';
import { group, peopleOf, person, plain, samplePeople } from './sample-people';
import { EMPTY, NOW, PLAIN } from './scripted-thread';

export class ScriptedConversations extends ScriptedComposerFiles {
  #sent = 0;

  /** Refuses what is not written in a conversation. */
  #checkConversation(thread: number): void {
    if (this.find(thread)?.row.kind !== 'message') throw gone(this.now.lang_now);
  }

  async sendMessage(thread: number, typed: string, files: string[]) {
    this.asked.push(files.length > 0 ? ['sendMessage', thread, typed, files] : ['sendMessage', thread, typed]);
    this.#checkConversation(thread);
    const body = typed.trim();
    if (body === '' && files.length === 0) throw impossible(this.now.lang_now);
    const attached = this.takeFiles(files);
    const first = attached[0] ?? null;
    const all = [this.#outgoing(body || (first?.name ?? ''), first)];
    all.push(...attached.slice(1).map((file) => this.#outgoing(file.name, file)));
    this.set(thread, (stored) => ({
      ...stored,
      row: { ...stored.row, draft: '', pending: true },
      written: '',
      outgoing: [...stored.outgoing, ...all],
    }));
    if (!this.sync.offline && this.latency !== null) setTimeout(() => this.deliver(thread), this.latency);
  }

  #outgoing(body: string, file: AttachedFile | null): OutgoingView {
    this.#sent += 1;
    const id = file?.id ?? `o${this.#sent}`;
    const sent = file && { id, name: file.name, size: file.size };
    return { id, body, file: sent, time: NOW, failed: null, sent: false };
  }

  async people(source: number): Promise<Person[]> {
    this.asked.push(['people', source]);
    return source === 2 ? peopleOf(this.now.lang_now) : [];
  }

  async findPeople(source: number, typed: string): Promise<Person[]> {
    this.asked.push(['findPeople', source, typed]);
    const begins = (text: string) => text.toLowerCase().startsWith(typed.toLowerCase());
    const all = source === 2 ? peopleOf(this.now.lang_now) : [];
    return all.filter(({ id, name }) => [id, ...name.split(' ')].some(begins));
  }

  /** Refuses recipients other than the sample people; while offline, a single recipient is not checked. */
  async startConversation(begun: NewConversation): Promise<number> {
    this.asked.push(['startConversation', begun]);
    const all = peopleOf(this.now.lang_now);
    const chinese = this.now.lang_now === 'zh-CN';
    const said = (code: string, en: string, zh: string) => Promise.reject({ code, text: chinese ? zh : en });
    const several = begun.to.length > 1 || begun.group;
    if (this.sync.offline && several)
      return said('outside', 'Work cannot be reached, so the group was not created', '无法连接工作，未创建群组');
    const stranger = begun.to.find((id) => !all.some((one) => one.id === id));
    if (stranger !== undefined && !this.sync.offline)
      return said('not_found', `Work has no user ${stranger}`, `工作上没有用户 ${stranger}`);
    const peer = all.find((one) => one.id === begun.to[0]);
    const who = several ? begun.name : (peer?.name ?? begun.to[0] ?? '');
    const there = this.inbox.find(({ row }) => row.kind === 'message' && row.who === who)?.row.id;
    const id = there ?? 1 + Math.max(0, ...this.inbox.map(({ row }) => row.id));
    if (there === undefined) {
      const avatar = several ? group(3) : person(peer?.face ?? { initials: '?', tint: 0 });
      const shown = { who, who_short: who, what: [plain(begun.body)], sentence: `${who}: ${begun.body}`, avatar };
      const row = { ...PLAIN, ...shown, id, kind: 'message' as const, source: begun.source, time: NOW, total: 0 };
      this.inbox = [{ ...EMPTY, row, title: who }, ...this.inbox];
    }
    await this.sendMessage(id, begun.body.trim(), []);
    return id;
  }

  async saveDraft(thread: number, text: string) {
    this.asked.push(['saveDraft', thread, text]);
    this.#checkConversation(thread);
    const draft = text.trim().replaceAll(/\s+/g, ' ');
    const written = draft === '' ? '' : text;
    this.set(thread, (stored) => ({ ...stored, row: { ...stored.row, draft }, written }));
  }

  async retryMessage(id: string) {
    this.asked.push(['retryMessage', id]);
    this.refusing = null;
    for (const { row, outgoing } of this.inbox) {
      if (!outgoing.some((one) => one.id === id)) continue;
      this.set(row.id, (stored) => ({ ...stored, outgoing: outgoing.map((one) => ({ ...one, failed: null })) }));
      setTimeout(() => this.deliver(row.id), this.latency ?? 0);
    }
  }

  async discardMessage(id: string) {
    this.asked.push(['discardMessage', id]);
    for (const { row, outgoing } of this.inbox)
      if (outgoing.some((one) => one.id === id))
        this.set(row.id, (stored) => ({ ...stored, outgoing: outgoing.filter((one) => one.id !== id) }));
  }

  async lookUp(thread: number) {
    this.asked.push(['lookUp', thread]);
  }

  async leaveThread(thread: number) {
    this.asked.push(['leaveThread', thread]);
  }

  async readBy(thread: number, msgid: string) {
    this.asked.push(['readBy', thread, msgid]);
    const readers = this.find(thread)?.readers;
    return readers ?? Promise.reject(gone(this.now.lang_now));
  }

  async writtenText(thread: number, msgid: string): Promise<string> {
    this.asked.push(['writtenText', thread, msgid]);
    return this.#published(thread, msgid).then((item) => item.body);
  }

  /** Edits what the reader published; while offline nothing changes. */
  async editItem(thread: number, msgid: string, body: string): Promise<void> {
    this.asked.push(['editItem', thread, msgid, body]);
    const item = await this.#published(thread, msgid);
    const edited = { ...item, body, html: false, edited: item.time + 60_000 };
    this.set(thread, (stored) => ({
      ...stored,
      items: stored.items.map((one) => (one.msgid === msgid ? edited : one)),
    }));
  }

  /** Takes back what the reader published; while offline nothing changes. */
  async recallItem(thread: number, msgid: string): Promise<void> {
    this.asked.push(['recallItem', thread, msgid]);
    await this.#published(thread, msgid);
    this.set(thread, (stored) => ({ ...stored, items: stored.items.filter((one) => one.msgid !== msgid) }));
  }

  /** Answers a question of an item; while offline the answer waits. */
  async answerQuestion(thread: number, msgid: string, answer: string | null, text: string | null): Promise<void> {
    this.asked.push(['answerQuestion', thread, msgid, answer, text]);
    const item = this.find(thread)?.items.find((one) => one.msgid === msgid);
    if (!item?.question?.open) return Promise.reject({ code: 'invalid', text: 'This question is closed' });
    const label = item.question.answers.find((one) => one.id === answer)?.label ?? text;
    const question = {
      ...item.question,
      open: false,
      outcome: `You answered ${label}`,
      at: item.time + 60_000,
      waits: this.sync.offline,
    };
    const answered = { ...item, question, unread: false, pending: this.sync.offline };
    this.set(thread, (stored) => ({
      ...stored,
      row: { ...stored.row, pending: this.sync.offline, question: { msgid, answers: [], outcome: question.outcome } },
      items: stored.items.map((one) => (one.msgid === msgid ? answered : one)),
    }));
  }

  async announcementReaders(thread: number, msgid: string) {
    this.asked.push(['announcementReaders', thread, msgid]);
    await this.#published(thread, msgid);
    return { read: 12, users: 40 };
  }

  async #published(thread: number, msgid: string) {
    if (this.sync.offline)
      return Promise.reject({ code: 'outside', text: 'Work cannot be reached, so nothing has changed' });
    const item = this.find(thread)?.items.find((one) => one.msgid === msgid && one.changeable);
    return item ?? Promise.reject({ code: 'not_found', text: 'Work no longer has this item' });
  }

  /** The ids of owners of groups, of members who were added and removed, by thread. */
  readonly groups = new Map<number, { owner: string; added: string[]; removed: string[] }>();

  #group(thread: number) {
    const known = this.groups.get(thread) ?? { owner: 'me', added: [], removed: [] };
    this.groups.set(thread, known);
    return known;
  }

  async members(thread: number): Promise<Member[]> {
    this.asked.push(['members', thread]);
    const stored = this.find(thread);
    if (!stored?.readers) throw gone(this.now.lang_now);
    const { owner, added, removed } = this.#group(thread);
    const { read, arrived, unread } = stored.readers;
    const more = peopleOf(this.now.lang_now).filter(({ id }) => added.includes(id));
    const others = [...read, ...arrived, ...unread, ...more].map(({ id, name, face }) => ({
      id,
      name,
      face,
      me: false,
    }));
    const name = this.now.lang_now === 'en' ? 'Sam Reed' : '吴山';
    const me = { id: 'me', name, face: { initials: 'SR', tint: 7 }, me: true };
    return [...others.slice(0, 1), me, ...others.slice(1)]
      .filter(({ id }) => !removed.includes(id))
      .map((one) => ({ ...one, owner: one.id === owner }));
  }

  /** Changes a group for its owner; while offline nothing changes. */
  async changeGroup(thread: number, change: GroupChange): Promise<Member[]> {
    this.asked.push(['changeGroup', thread, change]);
    const said = (code: string, text: string) => Promise.reject({ code, text });
    if (this.sync.offline) return said('outside', 'Work cannot be reached, so the group has not changed');
    const group = this.#group(thread);
    if (change.change !== 'leave' && group.owner !== 'me')
      return said('invalid', 'Only the owner of the group can do this. Nothing has changed');
    if (change.change === 'rename') {
      this.set(thread, (stored) => ({ ...stored, title: change.name, row: { ...stored.row, who: change.name } }));
    } else if (change.change === 'add') {
      if (!peopleOf(this.now.lang_now).some(({ id }) => id === change.user))
        return said('not_found', `Work has no user ${change.user}, or they left the group. Nothing has changed`);
      group.added.push(change.user);
    } else if (change.change === 'hand_over') group.owner = change.user;
    else if (change.change === 'remove') group.removed.push(change.user);
    else if (change.change === 'end') {
      this.set(thread, (stored) => ({ ...stored, closed: 'ended' }));
    } else {
      group.removed.push('me');
      this.set(thread, (stored) => ({ ...stored, closed: 'left' }));
    }
    return this.members(thread);
  }

  /** Delivers a thread's outgoing messages to the server, which accepts or refuses them. */
  deliver(thread: number): void {
    const failed = this.refusing;
    this.set(thread, (stored) => {
      if (failed !== null) return { ...stored, outgoing: stored.outgoing.map((one) => ({ ...one, failed })) };
      const like = stored.items[0];
      const { item } = samplePeople(this.now.lang_now);
      const own = { actor: 'me', avatar: like?.avatar ?? stored.row.avatar, own: true };
      const receipt: ItemView['receipt'] = stored.readers
        ? { read: 0, delivered: 0, members: stored.readers.members }
        : null;
      const items = stored.outgoing.map((one) => {
        const url = `https://work.example.org/file/${one.id}`;
        const attachment = one.file && { name: one.file.name, url, size: one.file.size, media: null };
        return item(`sent-${one.id}`, null, one.time, one.body, { ...own, receipt, attachment });
      });
      return {
        ...stored,
        row: { ...stored.row, pending: false },
        outgoing: [],
        items: [...stored.items, ...items],
      };
    });
  }
}
