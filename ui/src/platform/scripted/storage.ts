// The storage of the scripted program, and the files that it writes and reads.
import type { Diagnosis } from '../../generated/Diagnosis';
import type { ExportFormat } from '../../generated/ExportFormat';
import type { FileResult } from '../../generated/FileResult';
import type { Folder } from '../../generated/Folder';
import type { Releases } from '../../generated/Releases';
import type { StorageView } from '../../generated/StorageView';
import { ScriptedPart } from './part';

type File = 'exportInbox' | 'backup' | 'restore' | 'exportSettings' | 'importSettings';

/** The scripted storage. */
export class ScriptedStorage extends ScriptedPart {
  /** The answer of the desktop's file dialogs; null for a cancelled one. */
  path: string | null = '/home/ana/Documents/tidings';
  store: StorageView = {
    folder: '/home/ana/.local/share/tidings',
    logs: '/home/ana/.local/state/tidings/logs',
    inbox: 412_000_000,
    server: 18_400_000,
    attachments: 96_300_000,
    items: 128_400,
    spare: 38_000_000,
    pull_mebibytes: 1024,
    hold_hours: 0,
  };
  /** What is known of newer versions. */
  known: Releases = { has_feed: true, newer: null };

  async storage(): Promise<StorageView> {
    return this.store;
  }

  async releases(): Promise<Releases> {
    return this.known;
  }

  async closeReleaseNotice(): Promise<void> {
    this.program.asked.push(['closeReleaseNotice']);
  }

  async diagnosis(): Promise<Diagnosis> {
    this.program.asked.push(['diagnosis']);
    return {
      findings: [
        { what: 'disk', name: this.l('Disk', '磁盘'), state: 'well', why: '40 GB', what_to_do: null },
        {
          what: 'tray',
          name: this.l('Tray', '托盘'),
          state: 'limited',
          why: this.l('Nothing here shows tray icons', '此桌面不显示托盘图标'),
          what_to_do: this.l('Add a tray to the panel', '在面板中添加托盘'),
        },
        {
          what: 'source',
          name: 'ntfy.sh',
          state: 'trouble',
          why: this.l('No answer', '没有应答'),
          what_to_do: this.l('Check the address', '检查地址'),
        },
      ],
      report: 'Tidings 1.2.3\n✗ ntfy ntfy.sh: No answer\n',
    };
  }

  async compact(): Promise<StorageView> {
    this.program.asked.push(['compact']);
    this.store = { ...this.store, inbox: this.store.inbox - this.store.spare, spare: 0 };
    return this.store;
  }

  async setPullLimit(mebibytes: number): Promise<StorageView> {
    this.program.asked.push(['setPullLimit', mebibytes]);
    this.store = { ...this.store, pull_mebibytes: mebibytes };
    return this.store;
  }

  async repairInbox(): Promise<FileResult> {
    this.program.asked.push(['repairInbox']);
    const text = this.l(
      'The inbox is repaired. 128,400 notifications were kept',
      '收件箱已修复，保留了 128,400 条通知',
    );
    return { path: `${this.store.folder}/replica.db.before`, text };
  }

  async mendClock(): Promise<void> {
    this.program.asked.push(['mendClock']);
    this.program.emit({ event: 'notices', notices: [] });
  }

  async file(what: File, format: ExportFormat | '' = ''): Promise<FileResult | null> {
    this.program.asked.push(format ? [what, format] : [what]);
    if (this.path === null) return null;
    const done: Record<File, string> = {
      exportInbox: this.l('128,400 notifications exported', '已导出 128,400 条通知'),
      backup: this.l('Everything is in the backup, 430 MB', '全部内容已备份，430 MB'),
      restore: this.l('128,400 notifications are back', '已恢复 128,400 条通知'),
      exportSettings: this.l('Settings exported', '已导出设置'),
      importSettings: this.l('Settings, 2 rules and 1 source imported', '已导入设置、2 条规则和 1 个来源'),
    };
    return { path: `${this.path}.${format || 'file'}`, text: done[what] };
  }

  async openFolder(folder: Folder): Promise<void> {
    this.program.asked.push(['openFolder', folder]);
  }
}
