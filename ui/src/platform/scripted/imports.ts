// Imports of the scripted program: one file of each kind of answer.
import type { FileResult } from '../../generated/FileResult';
import type { ImportLine } from '../../generated/ImportLine';
import type { ImportView } from '../../generated/ImportView';
import type { SourceTest } from '../../generated/SourceTest';
import type { ScriptedLists } from './lists';
import { ScriptedPart } from './part';
import type { ScriptedSources } from './sources';
import type { ScriptedStorage } from './storage';

const line = (protocol: string, name: string, url: string, token: ImportLine['token']): ImportLine => ({
  protocol,
  name,
  url,
  token,
  private: false,
  known: null,
});

export class ScriptedImports extends ScriptedPart {
  /** What the next file has; null if its dialog is cancelled. */
  view: ImportView | null = {
    id: 1,
    file: 'sources.opml',
    lines: [
      line('feed', 'Rust Blog', 'https://blog.rust-lang.org/feed.xml', 'none'),
      line('feed', 'Gone', 'https://nowhere.example/feed', 'none'),
      line('forgejo', 'mona@codeberg.org', 'https://codeberg.org', 'missing'),
      line('gotify', 'nas-01', 'https://nas-01.example', 'there'),
      { ...line('feed', 'Daily', 'https://daily.example/feed', 'none'), known: 'Daily news' },
    ],
    left_out: ['My script', 'bitbucket.org'],
    left_out_count: 5,
  };
  /** Why the next file cannot be read. */
  refusal: string | null = null;

  constructor(
    program: ScriptedLists,
    private readonly sourceSettings: ScriptedSources,
    private readonly disk: ScriptedStorage,
  ) {
    super(program);
  }

  async read(): Promise<ImportView | null> {
    this.program.asked.push(['readImport']);
    if (this.refusal !== null) return Promise.reject({ code: 'invalid', text: this.refusal });
    return this.view;
  }

  async add(id: number, at: number, token: string, known: boolean): Promise<SourceTest> {
    this.program.asked.push(['addImported', id, at, token, known]);
    const line = this.view?.lines[at];
    if (!line) return this.refuse('It is no longer here', '它已不在这里', 'not_found');
    const { protocol, name, url } = line;
    const form = { protocol, url, token, name };
    const test = await this.sourceSettings.test(form);
    if (test.ok) await this.sourceSettings.add(form);
    return { ...test, name: test.ok ? name : '' };
  }

  async end(id: number): Promise<void> {
    this.program.asked.push(['endImport', id]);
  }

  async feeds(): Promise<FileResult | null> {
    this.program.asked.push(['exportFeeds']);
    const { path } = this.disk;
    return path === null ? null : { path: `${path}.opml`, text: this.l('3 feeds exported', '已导出 3 个订阅源') };
  }
}
