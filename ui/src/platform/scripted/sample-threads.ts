// The sample inbox: the threads of the reference views, in both languages.
import type { ItemView } from '../../generated/ItemView';
import type { Lang } from '../../generated/Lang';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
import type { Span } from '../../generated/Span';
import type { ThreadRow } from '../../generated/ThreadRow';
import { articleOf, crewOf } from './sample-items';
import { group, person, plain, type SamplePeople, samplePeople, strong, thing } from './sample-people';
import { sourcesOf } from './sample-sources';
import { at, EMPTY, PLAIN, type ScriptedThread } from './scripted-thread';

type Row = Partial<ThreadRow> & Pick<ThreadRow, 'who' | 'what' | 'avatar' | 'time'>;
/** Makes a thread from the fields that differ from the defaults. */
type Make = (row: Row & { file?: ItemView['attachment'] }, more?: Partial<ScriptedThread>) => ScriptedThread;

export function sampleInbox(lang: Lang): { sources: SourceRow[]; threads: ScriptedThread[]; saved: SavedSearch[] } {
  const all = samplePeople(lang);
  const sources = sourcesOf(all);
  const sourceName = (source: number) => {
    const found = sources.find((one) => one.id === source);
    return found?.own ? all.l('This computer', '本机') : (found?.name ?? '');
  };
  return { sources, threads: threadsOf(all, maker(all, sourceName), sourceName), saved: savedOf(all) };
}

function maker({ item, l }: SamplePeople, sourceName: (source: number) => string): Make {
  let id = 0;
  return ({ file = null, ...row }, more = {}) => {
    id += 1;
    const text = row.what.map((span) => span.text).join('');
    const isAction = (row.kind ?? PLAIN.kind) === 'reminder' && row.avatar.shape !== 'thing';
    const whole: ThreadRow = {
      ...PLAIN,
      id,
      who_short: row.who,
      // What somebody did is one sentence; the name of a thing or a conversation is set apart from its text.
      sentence: isAction ? `${row.who} ${text}` : [row.who, text, row.snippet].filter(Boolean).join(l(': ', '：')),
      ...row,
    };
    return {
      ...EMPTY,
      row: whole,
      title: text || whole.who,
      facts: [sourceName(whole.source)],
      items: [
        item(`m${id}`, null, whole.time, whole.snippet || text, {
          actor: whole.who,
          avatar: whole.avatar,
          unread: whole.unread > 0,
          priority: whole.priority,
          attachment: file,
        }),
      ],
      ...more,
    };
  };
}

/** A sentence of which the part in brackets is strong. */
const spans = (text: string): Span[] =>
  text
    .split(/[[\]]/)
    .map((part, at) => (at % 2 === 1 ? strong(part) : plain(part)))
    .filter((span) => span.text !== '');

function threadsOf(all: SamplePeople, thread: Make, sourceName: (source: number) => string): ScriptedThread[] {
  const { l, names, reader, ana, bo, chen, dana, eli, mei } = all;
  return [
    thread({
      who: 'backups',
      what: [strong(l('Backup done', '备份完成'))],
      snippet: l('14.2 GB to nas-01 in 3 min 12 s', '14.2 GB 到 nas-01，用时 3 分 12 秒'),
      avatar: thing('hard-drive'),
      origin: { id: 'topic:backups', name: 'backups', muted: false, muted_until: null },
      time: at(20, '09:41'),
      unread: 1,
      unseen: true,
      file: { name: 'backup.log', url: 'https://nas-01.home.arpa/backup.log', size: 18_400, media: 'text/plain' },
    }),
    thread(
      {
        who: l('Ana, Bo and 3 others', '林晓、陈博等 5 人'),
        who_short: l('Ana, Bo +3', '林晓、陈博 +3'),
        what: spans(l('commented on [Rust in 2026]', '评论了“[2026 年的 Rust]”')),
        snippet: l('Agreed. I would keep the edition out of the title', '同意，不过标题里最好不要写版本'),
        avatar: { shape: 'stack', front: ana, back: bo },
        time: at(20, '09:38'),
        source: 2,
        unread: 3,
        total: 9,
        link: { url: 'https://blog.example.org/rust-in-2026', host: 'blog.example.org' },
      },
      {
        title: l('Rust in 2026', '2026 年的 Rust'),
        facts: [l('Your article', '你的文章'), sourceName(2)],
        comments: true,
        items: articleOf(all),
        earlier: 4,
        since: at(20, '08:15'),
      },
    ),
    thread({
      who: 'ci',
      what: [strong(l('Build 4812 failed on main', 'main 上的构建 4812 失败'))],
      snippet: l('2 of 1,964 tests', '1,964 个测试中有 2 个'),
      avatar: thing('workflow'),
      time: at(20, '09:30'),
      unread: 3,
      total: 3,
      priority: 5,
      unseen: true,
    }),
    thread(
      {
        who: names.get(bo) ?? '',
        kind: 'message',
        what: [],
        snippet: l('Sure, I can take the review this afternoon.', '好，评审我下午来做。'),
        avatar: person(bo),
        time: at(20, '09:12'),
        source: 2,
        unread: 1,
      },
      { title: names.get(bo) ?? '' },
    ),
    thread(
      {
        who: l('Release crew', '发布小组'),
        kind: 'message',
        what: [],
        snippet: l('Mei: 1.4 is tagged; the notes need a last read', '孙梅：1.4 已打标签，发布说明还要再看一遍'),
        avatar: group(6),
        time: at(20, '08:47'),
        source: 2,
        unread: 4,
        total: 8,
      },
      {
        title: l('Release crew', '发布小组'),
        facts: [l('6 people', '6 人'), sourceName(2)],
        items: crewOf(all),
        since: at(20, '08:45'),
        readers: {
          read: [reader(ana, at(20, '09:27')), reader(chen, at(20, '09:28')), reader(mei, at(20, '09:29'))],
          arrived: [reader(bo, null)],
          unread: [reader(dana, null)],
          members: 5,
        },
      },
    ),
    thread({
      who: l('Announcement', '公告'),
      kind: 'announcement',
      what: [strong(l('Maintenance on Sunday, 22:00–23:00', '周日 22:00–23:00 维护'))],
      snippet: l('Search will be read-only', '期间搜索只读'),
      avatar: thing('megaphone'),
      time: at(20, '08:30'),
      source: 2,
      unread: 1,
    }),
    thread({
      who: names.get(chen) ?? '',
      what: spans(l('assigned you [Flaky wake-up test]', '把“[不稳定的唤醒测试]”指派给你')),
      avatar: person(chen),
      time: at(20, '08:05'),
      source: 2,
      pending: true,
    }),
    thread({
      who: l('doorbell', '门铃'),
      what: [],
      snippet: l('Someone is at the door', '有人在门口'),
      avatar: thing('door-open'),
      time: at(20, '07:58'),
      unread: 1,
      muted: true,
      counts: false,
      file: { name: 'door.jpg', url: 'https://door.home.arpa/still.jpg', size: 2_140_000, media: 'image/jpeg' },
    }),
    thread({
      who: 'mini-redis',
      what: [strong(l('#214 Bound the event bus', '#214 给事件总线加上限'))],
      snippet: l('Review requested by dpetrov', 'dpetrov 请你评审'),
      avatar: thing('git-pull-request'),
      time: at(19, '18:02'),
      source: 3,
      pinned: true,
      follow: { service: 'GitHub', subscription: null },
    }),
    thread({
      who: l('certificates', '证书'),
      what: [strong(l('nas-01 expires in 9 days', 'nas-01 将在 9 天后到期'))],
      avatar: thing('shield-check'),
      time: at(19, '17:40'),
      priority: 4,
    }),
    thread({
      who: l('Dana and Eli', '周丹和何力'),
      what: spans(l('liked [Small tools, sharp edges]', '赞了“[小工具，利刃]”')),
      avatar: { shape: 'stack', front: dana, back: eli },
      time: at(19, '16:30'),
      source: 2,
    }),
    thread({
      who: names.get(mei) ?? '',
      what: spans(l('mentioned you in [Release notes 1.4]', '在“[1.4 发布说明]”里提到了你')),
      avatar: person(mei),
      time: at(19, '11:48'),
      source: 2,
    }),
  ];
}

function savedOf({ l }: SamplePeople): SavedSearch[] {
  return [
    {
      id: 1,
      name: l('From Bo, unread', '陈博的未读'),
      query: l('from:bo is:unread', 'from:陈博 is:unread'),
      unread: 2,
      quiet: 0,
    },
    {
      id: 2,
      name: l('Failed builds', '失败的构建'),
      query: l('failed type:activity', '失败 type:activity'),
      unread: 3,
      quiet: 0,
    },
  ];
}
