// Conversations of the scripted program: drafts, what waits to be sent, and who has read it.
import type { ItemView } from '../../generated/ItemView';
import type { Member } from '../../generated/Member';
import { Finding } from './finding';
import { NOW } from './known';

export class Talks extends Finding {
  #sent = 0;

  async sendMessage(thread: number, body: string) {
    this.asked.push(['sendMessage', thread, body]);
    this.#sent += 1;
    const one = { id: `o${this.#sent}`, body, time: NOW, failed: null, sent: false };
    this.set(thread, (known) => ({
      ...known,
      row: { ...known.row, draft: '', pending: true },
      outgoing: [...known.outgoing, one],
    }));
    if (!this.sync.offline && this.latency !== null) setTimeout(() => this.deliver(thread), this.latency);
  }

  async saveDraft(thread: number, text: string) {
    this.asked.push(['saveDraft', thread, text]);
    this.set(thread, (known) => ({ ...known, row: { ...known.row, draft: text } }));
  }

  async retryMessage(id: string) {
    this.asked.push(['retryMessage', id]);
    this.refusing = null;
    for (const { row, outgoing } of this.known) {
      if (!outgoing.some((one) => one.id === id)) continue;
      this.set(row.id, (known) => ({ ...known, outgoing: outgoing.map((one) => ({ ...one, failed: null })) }));
      setTimeout(() => this.deliver(row.id), this.latency ?? 0);
    }
  }

  async discardMessage(id: string) {
    this.asked.push(['discardMessage', id]);
    for (const { row, outgoing } of this.known)
      if (outgoing.some((one) => one.id === id))
        this.set(row.id, (known) => ({ ...known, outgoing: outgoing.filter((one) => one.id !== id) }));
  }

  async leaveThread(thread: number) {
    this.asked.push(['leaveThread', thread]);
  }

  async readBy(thread: number, msgid: string) {
    this.asked.push(['readBy', thread, msgid]);
    const readers = this.find(thread)?.readers;
    return readers ?? Promise.reject({ code: 'not_found', text: 'This message is gone' });
  }

  async members(thread: number): Promise<Member[]> {
    this.asked.push(['members', thread]);
    const known = this.find(thread);
    if (!known?.readers) return Promise.reject({ code: 'not_found', text: 'This group is gone' });
    const { read, unread } = known.readers;
    const others = [...read, ...unread].map(({ id, name, face }) => ({ id, name, face, me: false }));
    const me = {
      id: 'me',
      name: this.now.lang_now === 'en' ? 'Sam Reed' : '吴山',
      face: { initials: 'SR', tint: 7 },
      me: true,
    };
    return [...others.sort((a, b) => a.name.localeCompare(b.name)), me];
  }

  /** What waits reaches the server, which takes or refuses it. */
  deliver(thread: number): void {
    const failed = this.refusing;
    this.set(thread, (known) => {
      if (failed !== null) return { ...known, outgoing: known.outgoing.map((one) => ({ ...one, failed })) };
      const like = known.items[0];
      const items = known.outgoing.map(
        (one): ItemView => ({
          msgid: `sent-${one.id}`,
          actor: 'me',
          avatar: like?.avatar ?? known.row.avatar,
          verb: '',
          title: '',
          body: one.body,
          html: false,
          time: one.time,
          unread: false,
          own: true,
          priority: 3,
          tags: [],
          url: null,
          attachment: null,
          actions: [],
          receipt: known.readers ? [0, known.readers.members] : null,
          pending: false,
        }),
      );
      return {
        ...known,
        row: { ...known.row, pending: false },
        outgoing: [],
        items: [...known.items, ...items],
      };
    });
  }
}
