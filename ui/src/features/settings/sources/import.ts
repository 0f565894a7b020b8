// The lines of an import: the chosen sources of another program's file, and their outcomes.
import type { ImportLine } from '../../../generated/ImportLine';
import type { ImportView } from '../../../generated/ImportView';
import type { SourceTest } from '../../../generated/SourceTest';
import type { Stores } from '../../../state/stores';

/** A source in the file. */
export interface Line {
  readonly found: ImportLine;
  chosen: boolean;
  /** The token that was entered; empty for that in the file. */
  token: string;
  /** Its outcome; null before it was asked. */
  told: SourceTest | null;
}

/** What is on this computer or its network is not chosen: only the reader chooses that. */
export function linesOf(view: ImportView): Line[] {
  return view.lines.map((found) => ({ found, chosen: found.known === null && !found.private, token: '', told: null }));
}

export const isAdded = (line: Line) => line.told?.ok === true;

/** Whether it can be added: a source that is here already can't be added again. */
export const isOpen = (line: Line) => !isAdded(line) && line.found.known === null;

/** Lets the reader choose a file, and shows what is in it. */
export async function importSources({ dialogs, feedback, platform }: Stores): Promise<void> {
  await platform.readImport().then((view) => (dialogs.importing = view), feedback.fail);
}
