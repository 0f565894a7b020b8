// Opened threads of the scripted program: their items in pages, as they are answered.
import type { Face } from '../../generated/Face';
import type { ItemView } from '../../generated/ItemView';
import type { ThreadPosition } from '../../generated/ThreadPosition';
import type { ThreadView } from '../../generated/ThreadView';
import { gone } from './refusals';
import { answered, type ScriptedThread } from './scripted-thread';
import { ScriptedState } from './state';

/** The items of a page, and how many of them are before the item that it is around. */
const PAGE = 50;
const BEFORE = 10;
/** The most faces of earlier items. */
const FACES = 3;

const isNew = (item: ItemView) => item.unread && !item.own;

export class ScriptedReading extends ScriptedState {
  /** A thread with the items at a position, in pages of fifty. Its newest items are those not behind "earlier". */
  async thread(id: number, position: ThreadPosition | null): Promise<ThreadView> {
    this.asked.push(['thread', id, position]);
    const stored = this.find(id);
    if (!stored) throw gone(this.now.lang_now);
    if (position === null) return this.#view(stored, stored.earlier, stored.items.length);
    const all = stored.items;
    const named = 'msgid' in position ? all.findIndex((item) => item.msgid === position.msgid) : 0;
    if (named < 0) throw gone(this.now.lang_now);
    const starts = {
      first: () => 0,
      first_unread: () => all.findIndex(isNew) - BEFORE,
      around: () => named - BEFORE,
      before: () => named - PAGE,
      after: () => named + 1,
    };
    const from = Math.max(0, starts[position.at]());
    const to = position.at === 'before' ? named : Math.min(all.length, from + PAGE);
    const view = this.#view(stored, from, to);
    const continues = position.at === 'before' || position.at === 'after';
    return { ...view, new_since: newSince(view.items), asking: continues ? [] : view.asking };
  }

  /** The fact that counts the comments of a thread and the unread ones among them; none for other threads. */
  #count({ comments, row: { total, unread } }: ScriptedThread): string[] {
    if (!comments) return [];
    const chinese = this.now.lang_now === 'zh-CN';
    const fresh = chinese ? `，${unread} 条新的` : `, ${unread} new`;
    return [`${total} ${chinese ? '条评论' : 'comments'}${unread > 0 ? fresh : ''}`];
  }

  #view(stored: ScriptedThread, from: number, to: number): ThreadView {
    const row = answered(stored.row);
    const away = row.archived || row.snoozed_until !== null;
    const items = stored.items.map((item) => (away || item.archived ? { ...item, unread: false } : item));
    const shown = items.slice(from, to);
    return {
      row,
      title: stored.title,
      facts: [...stored.facts, ...this.#count(stored)],
      items: shown,
      asking: [...items.slice(0, from), ...items.slice(to)].filter((item) => item.question?.open),
      earlier: from,
      later: items.length - to,
      earlier_faces: facesOf(items.slice(0, from)),
      new_since: stored.since === undefined ? newSince(shown) : stored.since,
      notify: { level: null, from_priority: null, sound: null },
      group_lines: [...stored.groupLines],
      peer_read: stored.peerRead,
      composer:
        row.kind === 'message'
          ? {
              draft: stored.written ?? row.draft,
              outgoing: stored.outgoing,
              files: this.attached(row.id),
              attachment_bytes: this.attachmentLimit,
              waiting: this.sync.offline,
              closed: stored.closed,
            }
          : null,
    };
  }
}

/** The time of the last item before the first new one; null if that is the first of all, or if none is new. */
function newSince(items: readonly ItemView[]): number | null {
  return items[items.findIndex(isNew) - 1]?.time ?? null;
}

/** The faces of the last people, each once, the latest first. */
function facesOf(items: readonly ItemView[]): Face[] {
  const faces = new Map<string, Face>();
  for (const { actor, avatar } of items.toReversed())
    if (avatar.shape === 'person' && !faces.has(actor)) faces.set(actor, avatar.face);
  return [...faces.values()].slice(0, FACES);
}
