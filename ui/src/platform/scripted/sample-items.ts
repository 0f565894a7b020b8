// The items of the two threads that the reference views show: an article's comments, and a group.
import type { Face } from '../../generated/Face';
import type { ItemView } from '../../generated/ItemView';
import type { SamplePeople } from './sample-people';
import { at } from './scripted-thread';

/** The comments on an article, with code, a table, an image and actions. */
export function articleOf({ l, item, ana, bo, chen, dana, eli }: SamplePeople): ItemView[] {
  const code = `<pre><code data-language="rust">let page = {
    let inbox = inbox.lock().await;
    inbox.since(cursor).limit(500)
};
replica.apply(page).await?; // one commit
</code></pre>`;
  const cells = (tag: string, all: string[]) => `<tr>${all.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const table = `<table><thead>${cells('th', [l('Version', '版本'), l('Rows per second', '每秒行数'), 'p99', l('Memory', '内存')])}</thead><tbody>${cells('td', [l('As published', '原文'), '41,200', '18 ms', '212 MB'])}${cells('td', [l('Shorter lock', '缩短持锁'), '96,700', '7 ms', '208 MB'])}${cells('td', [l('Pages of 500', '每页 500 条'), '183,400', '3 ms', '96 MB'])}</tbody></table>`;
  const comment = (msgid: string, who: Face, time: number, body: string, more: Partial<ItemView> = {}) =>
    item(msgid, who, time, body, { verb: l('commented', '评论了'), comment: true, ...more });

  return [
    comment(
      'c1',
      dana,
      at(19, '17:20'),
      l('The section on locks is worth a talk of its own.', '关于锁的那一节值得单独讲一次。'),
    ),
    comment('c2', eli, at(19, '18:05'), l('Second this.', '同意。')),
    comment('c3', dana, at(20, '08:02'), l('Is the code somewhere?', '代码在哪里能看到？')),
    comment(
      'c4',
      eli,
      at(20, '08:15'),
      `<p>${l('Here is the graph:', '图在这里：')} <span data-image="https://img.example.org/graph.png" data-host="img.example.org">graph</span></p>`,
      { html: true },
    ),
    comment(
      'c5',
      chen,
      at(20, '08:52'),
      `<p>${l('The part on cancellation is the best I have read. One remark: the example holds the lock across an <code>await</code>. This is enough:', '关于取消的那一节是我读过最好的。只有一点：示例在 <code>await</code> 期间一直持有锁，这样就够了：')}</p>${code}`,
      { html: true, unread: true },
    ),
    comment(
      'c6',
      bo,
      at(20, '09:20'),
      `<p>${l('Measured on last week’s backlog:', '用上周积压的数据测了一下：')}</p>${table}`,
      { html: true, unread: true },
    ),
    comment(
      'c7',
      ana,
      at(20, '09:38'),
      `<p>${l('Agreed. I would keep the edition out of the title, though: half of this holds for 2024 as well. I left <a href="https://blog.example.org/s/1">a suggestion</a>.', '同意，不过标题里最好不要写版本：一半内容对 2024 同样成立。我留了<a href="https://blog.example.org/s/1">一条修改建议</a>。')}</p>`,
      {
        html: true,
        unread: true,
        actions: [
          { label: l('Open comment', '打开评论'), opens: true, host: 'blog.example.org', method: '' },
          { label: l('Accept suggestion', '采纳建议'), opens: false, host: 'blog.example.org', method: 'POST' },
        ],
      },
    ),
  ];
}

/** The messages of a group, two of them the reader's own. */
export function crewOf({ l, item, chen, dana, mei }: SamplePeople): ItemView[] {
  return [
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
      { own: true, actor: 'me', receipt: { read: 3, delivered: 4, members: 5 } },
    ),
    item('r8', mei, at(20, '09:31'), l('I will. Ship it at noon?', '我来。中午发布？'), { unread: true }),
  ];
}
