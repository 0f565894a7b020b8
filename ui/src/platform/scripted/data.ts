// What the scripted program knows: the threads of the reference views, in both languages, at a fixed moment.
import type { Avatar } from '../../generated/Avatar';
import type { Face } from '../../generated/Face';
import type { ItemView } from '../../generated/ItemView';
import type { Lang } from '../../generated/Lang';
import type { OutgoingView } from '../../generated/OutgoingView';
import type { ReadBy } from '../../generated/ReadBy';
import type { SavedSearch } from '../../generated/SavedSearch';
import type { SourceRow } from '../../generated/SourceRow';
import type { Span } from '../../generated/Span';
import type { ThreadRow } from '../../generated/ThreadRow';
import { PLAIN } from './row';

/** Friday, 20 November 2026, 09:42 local time. */
export const NOW = new Date(2026, 10, 20, 9, 42).getTime();

export function at(day: number, time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return new Date(2026, 10, day, hours, minutes).getTime();
}

export interface Known {
  row: ThreadRow;
  title: string;
  facts: string[];
  url: string | null;
  items: ItemView[];
  /** Items at the beginning that stand behind "earlier". */
  earlier: number;
  since: number | null;
  /** Messages that wait to be sent, or were refused. */
  outgoing: OutgoingView[];
  /** Of a group: who has read the newest message of one's own. */
  readers: ReadBy | null;
}

export function data(lang: Lang): { sources: SourceRow[]; threads: Known[]; saved: SavedSearch[] } {
  const l = (en: string, zh: string) => (lang === 'zh-CN' ? zh : en);

  const face = (en: string, zh: string, tint: number): Face => ({ initials: l(en, zh), tint });
  const ana = face('AR', '林', 4);
  const bo = face('BK', '陈', 0);
  const chen = face('CY', '赵', 1);
  const dana = face('DP', '周', 3);
  const eli = face('EN', '何', 2);
  const mei = face('MT', '孙', 5);
  const names = new Map([
    [ana, l('Ana Ruiz', '林晓')],
    [bo, l('Bo Kessler', '陈博')],
    [chen, l('Chen Yu', '赵宇')],
    [dana, l('Dana Petrov', '周丹')],
    [eli, l('Eli Novak', '何力')],
    [mei, l('Mei Tanaka', '孙梅')],
  ]);
  const reader = (one: Face, when: number | null) => {
    const name = names.get(one) ?? '';
    return { id: name, name, face: one, at: when };
  };
  const person = (one: Face): Avatar => ({ shape: 'person', face: one });
  const thing = (icon: string): Avatar => ({ shape: 'thing', icon });
  const group = (tint: number): Avatar => ({ shape: 'group', tint });
  const plain = (text: string): Span => ({ text, strong: false, found: false });
  const strong = (text: string): Span => ({ text, strong: true, found: false });

  const item = (
    msgid: string,
    who: Face | null,
    time: number,
    body: string,
    more: Partial<ItemView> = {},
  ): ItemView => ({
    msgid,
    actor: who ? (names.get(who) ?? '') : '',
    avatar: who ? person(who) : thing('bell'),
    verb: '',
    title: '',
    body,
    html: false,
    time,
    unread: false,
    own: false,
    priority: 3,
    tags: [],
    url: null,
    attachment: null,
    actions: [],
    receipt: null,
    pending: false,
    ...more,
  });

  let id = 0;
  const known = (
    {
      file = null,
      ...row
    }: Partial<ThreadRow> &
      Pick<ThreadRow, 'who' | 'what' | 'avatar' | 'time'> & { file?: ItemView['attachment'] | null },
    more: Partial<Known> = {},
  ): Known => {
    id += 1;
    const whole: ThreadRow = {
      ...PLAIN,
      id,
      who_short: row.who,
      sentence: `${row.who} ${row.what.map((span) => span.text).join('')}`,
      ...row,
    };
    const text = whole.what.map((span) => span.text).join('');
    return {
      row: whole,
      title: text,
      facts: [sourceName(whole.source)],
      url: null,
      items: [
        item(`m${id}`, null, whole.time, whole.words || text, {
          actor: whole.who,
          avatar: whole.avatar,
          unread: whole.unread > 0,
          priority: whole.priority,
          attachment: file,
        }),
      ],
      earlier: 0,
      since: null,
      outgoing: [],
      readers: null,
      ...more,
    };
  };

  const sources: SourceRow[] = [
    {
      id: 1,
      name: '',
      protocol: 'tidings',
      telling: { tell: null, from_priority: null, sound: null },
      own: true,
      url: 'http://127.0.0.1:7878',
      unread: 4,
      state: { state: 'live' },
    },
    {
      id: 2,
      name: l('Work', '工作'),
      protocol: 'tidings',
      telling: { tell: null, from_priority: null, sound: null },
      own: false,
      url: 'https://tidings.example.org',
      unread: 11,
      state: { state: 'live' },
    },
    {
      id: 3,
      name: 'GitHub',
      protocol: 'github',
      telling: { tell: null, from_priority: null, sound: null },
      own: false,
      url: 'https://github.com',
      unread: 0,
      state: { state: 'idle' },
    },
    {
      id: 4,
      name: 'ntfy.sh',
      protocol: 'ntfy',
      telling: { tell: null, from_priority: null, sound: null },
      own: false,
      url: 'https://ntfy.sh',
      unread: 0,
      state: { state: 'needs_sign_in', since: at(20, '08:12') },
    },
    {
      id: 5,
      name: l('Home', '家里'),
      protocol: 'gotify',
      telling: { tell: null, from_priority: null, sound: null },
      own: false,
      url: 'https://gotify.home.arpa',
      unread: 0,
      state: { state: 'paused' },
    },
  ];
  function sourceName(source: number): string {
    const found = sources.find((one) => one.id === source);
    return found?.own ? l('This computer', '本机') : (found?.name ?? '');
  }

  const code = `<pre><code><span class="hl-k">let</span> page = {
    <span class="hl-k">let</span> inbox = inbox.<span class="hl-f">lock</span>().<span class="hl-k">await</span>;
    inbox.<span class="hl-f">since</span>(cursor).<span class="hl-f">limit</span>(<span class="hl-n">500</span>)
};
replica.<span class="hl-f">apply</span>(page).<span class="hl-k">await</span>?; <span class="hl-c">// one commit</span></code></pre>`;
  const cells = (tag: string, all: string[]) => `<tr>${all.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const table = `<table><thead>${cells('th', [l('Version', '版本'), l('Rows per second', '每秒行数'), 'p99', l('Memory', '内存')])}</thead><tbody>${cells('td', [l('As published', '原文'), '41,200', '18 ms', '212 MB'])}${cells('td', [l('Shorter lock', '缩短持锁'), '96,700', '7 ms', '208 MB'])}${cells('td', [l('Pages of 500', '每页 500 条'), '183,400', '3 ms', '96 MB'])}</tbody></table>`;
  const commented = l('commented', '评论了');

  const article: ItemView[] = [
    item(
      'c1',
      dana,
      at(19, '17:20'),
      l('The section on locks is worth a talk of its own.', '关于锁的那一节值得单独讲一次。'),
      { verb: commented },
    ),
    item('c2', eli, at(19, '18:05'), l('Second this.', '同意。'), { verb: commented }),
    item('c3', dana, at(20, '08:02'), l('Is the code somewhere?', '代码在哪里能看到？'), { verb: commented }),
    item(
      'c4',
      eli,
      at(20, '08:15'),
      `<p>${l('Here is the graph:', '图在这里：')} <span data-image="https://img.example.org/graph.png" data-host="img.example.org">graph</span></p>`,
      { verb: commented, html: true },
    ),
    item(
      'c5',
      chen,
      at(20, '08:52'),
      `<p>${l('The part on cancellation is the best I have read. One remark: the example holds the lock across an <code>await</code>. This is enough:', '关于取消的那一节是我读过最好的。只有一点：示例在 <code>await</code> 期间一直持有锁，这样就够了：')}</p>${code}`,
      { verb: commented, html: true, unread: true },
    ),
    item(
      'c6',
      bo,
      at(20, '09:20'),
      `<p>${l('Measured on last week’s backlog:', '用上周积压的数据测了一下：')}</p>${table}`,
      { verb: commented, html: true, unread: true },
    ),
    item(
      'c7',
      ana,
      at(20, '09:38'),
      `<p>${l('Agreed. I would keep the edition out of the title, though: half of this holds for 2024 as well. I left <a href="https://blog.example.org/s/1">a suggestion</a>.', '同意，不过标题里最好不要写版本：一半内容对 2024 同样成立。我留了<a href="https://blog.example.org/s/1">一条修改建议</a>。')}</p>`,
      {
        verb: commented,
        html: true,
        unread: true,
        actions: [
          { label: l('Open comment', '打开评论'), opens: true, host: 'blog.example.org' },
          { label: l('Accept suggestion', '采纳建议'), opens: false, host: 'blog.example.org' },
        ],
      },
    ),
  ];

  const crew: ItemView[] = [
    item('r1', chen, at(19, '17:52'), l('Freeze is on. Only fixes from here.', '已冻结，之后只收修复。')),
    item(
      'r2',
      null,
      at(19, '17:58'),
      l('Thanks. I will look at the wake-up test tonight.', '谢谢，唤醒测试我今晚看。'),
      { own: true, actor: 'me' },
    ),
    item(
      'r3',
      mei,
      at(20, '08:40'),
      l('Wake-up test is green on all three systems.', '唤醒测试在三个系统上都通过了。'),
    ),
    item('r4', mei, at(20, '08:41'), l('1.4 is tagged.', '1.4 已打标签。')),
    item(
      'r5',
      mei,
      at(20, '08:47'),
      l('The notes need a last read. Who has ten minutes?', '发布说明还要再看一遍，谁有十分钟？'),
      { unread: true },
    ),
    item(
      'r6',
      dana,
      at(20, '08:55'),
      l(
        '<p>I read the part on <code>resync</code>; it is right.</p>',
        '<p><code>resync</code> 那部分我看了，没问题。</p>',
      ),
      { html: true, unread: true },
    ),
    item(
      'r7',
      null,
      at(20, '09:26'),
      l('Two typos fixed. Mei, will you press the button?', '改了两个错字，其余都很清楚。孙梅，你来按按钮？'),
      { own: true, actor: 'me', receipt: [3, 5] },
    ),
    item('r8', mei, at(20, '09:31'), l('I will. Ship it at noon?', '我来。中午发布？'), { unread: true }),
  ];

  const threads: Known[] = [
    known({
      who: 'backups',
      what: [strong(l('Backup done', '备份完成'))],
      words: l('14.2 GB to nas-01 in 3 min 12 s', '14.2 GB 到 nas-01，用时 3 分 12 秒'),
      avatar: thing('hard-drive'),
      time: at(20, '09:41'),
      unread: 1,
      unseen: true,
      file: { name: 'backup.log', url: 'https://nas-01.home.arpa/backup.log', size: 18_400, media: 'text/plain' },
    }),
    known(
      {
        who: l('Ana, Bo and 3 others', '林晓、陈博等 5 人'),
        who_short: l('Ana, Bo +3', '林晓、陈博 +3'),
        what:
          lang === 'zh-CN'
            ? [plain('评论了“'), strong('2026 年的 Rust'), plain('”')]
            : [plain('commented on '), strong('Rust in 2026')],
        words: l('Agreed. I would keep the edition out of the title', '同意，不过标题里最好不要写版本'),
        avatar: { shape: 'stack', front: ana, back: bo },
        time: at(20, '09:38'),
        source: 2,
        unread: 5,
        total: 9,
      },
      {
        title: l('Rust in 2026', '2026 年的 Rust'),
        facts: [l('Your article', '你的文章'), sourceName(2), l('9 comments, 5 new', '9 条评论，5 条新的')],
        url: 'https://blog.example.org/rust-in-2026',
        items: article,
        earlier: 4,
        since: at(20, '08:15'),
      },
    ),
    known({
      who: 'ci',
      what: [strong(l('Build 4812 failed on main', 'main 上的构建 4812 失败'))],
      words: l('2 of 1,964 tests', '1,964 个测试中有 2 个'),
      avatar: thing('workflow'),
      time: at(20, '09:30'),
      unread: 3,
      total: 3,
      priority: 5,
      unseen: true,
    }),
    known(
      {
        who: names.get(bo) ?? '',
        kind: 'message',
        what: [],
        words: l('Sure, I can take the review this afternoon.', '好，评审我下午来做。'),
        avatar: person(bo),
        time: at(20, '09:12'),
        source: 2,
        unread: 1,
      },
      { title: names.get(bo) ?? '' },
    ),
    known(
      {
        who: l('Release crew', '发布小组'),
        kind: 'message',
        what: [],
        words: l('Mei: 1.4 is tagged; the notes need a last read', '孙梅：1.4 已打标签，发布说明还要再看一遍'),
        avatar: group(6),
        time: at(20, '08:47'),
        source: 2,
        unread: 4,
        total: 8,
      },
      {
        title: l('Release crew', '发布小组'),
        facts: [l('6 people', '6 人'), sourceName(2)],
        items: crew,
        since: at(20, '08:45'),
        readers: {
          read: [reader(ana, at(20, '09:27')), reader(chen, at(20, '09:28')), reader(mei, at(20, '09:29'))],
          unread: [reader(bo, null), reader(dana, null)],
          members: 5,
        },
      },
    ),
    known({
      who: l('Announcement', '公告'),
      kind: 'announcement',
      what: [strong(l('Maintenance on Sunday, 22:00–23:00', '周日 22:00–23:00 维护'))],
      words: l('Search will be read-only', '期间搜索只读'),
      avatar: thing('megaphone'),
      time: at(20, '08:30'),
      source: 2,
      unread: 1,
    }),
    known({
      who: names.get(chen) ?? '',
      what:
        lang === 'zh-CN'
          ? [plain('把“'), strong('不稳定的唤醒测试'), plain('”指派给你')]
          : [plain('assigned you '), strong('Flaky wake-up test')],
      avatar: person(chen),
      time: at(20, '08:05'),
      source: 2,
      pending: true,
    }),
    known({
      who: l('doorbell', '门铃'),
      what: [],
      words: l('Someone is at the door', '有人在门口'),
      avatar: thing('door-open'),
      time: at(20, '07:58'),
      unread: 1,
      muted: true,
      file: { name: 'door.jpg', url: 'https://door.home.arpa/still.jpg', size: 2_140_000, media: 'image/jpeg' },
    }),
    known({
      who: 'mini-redis',
      what: [strong(l('#214 Bound the event bus', '#214 给事件总线加上限'))],
      words: l('Review requested by dpetrov', 'dpetrov 请你评审'),
      avatar: thing('git-pull-request'),
      time: at(19, '18:02'),
      source: 3,
      pinned: true,
    }),
    known({
      who: l('certificates', '证书'),
      what: [strong(l('nas-01 expires in 9 days', 'nas-01 将在 9 天后到期'))],
      avatar: thing('shield-check'),
      time: at(19, '17:40'),
      priority: 4,
    }),
    known({
      who: l('Dana and Eli', '周丹和何力'),
      what:
        lang === 'zh-CN'
          ? [plain('赞了“'), strong('小工具，利刃'), plain('”')]
          : [plain('liked '), strong('Small tools, sharp edges')],
      avatar: { shape: 'stack', front: dana, back: eli },
      time: at(19, '16:30'),
      source: 2,
    }),
    known({
      who: names.get(mei) ?? '',
      what:
        lang === 'zh-CN'
          ? [plain('在“'), strong('1.4 发布说明'), plain('”里提到了你')]
          : [plain('mentioned you in '), strong('Release notes 1.4')],
      avatar: person(mei),
      time: at(19, '11:48'),
      source: 2,
    }),
  ];
  const saved: SavedSearch[] = [
    {
      id: 1,
      name: l('From Bo, unread', '陈博的未读'),
      query: l('from:bo is:unread', 'from:陈博 is:unread'),
      unread: 2,
    },
    {
      id: 2,
      name: l('Failed builds', '失败的构建'),
      query: l('failed kind:reminder', '失败 kind:reminder'),
      unread: 3,
    },
  ];
  return { sources, threads, saved };
}
