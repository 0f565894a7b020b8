// The lines of an import: what is chosen of a file of another program, and what became of it.
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
  /** What became of it; null before it was asked. */
  told: SourceTest | null;
}

/** What is here already is not chosen, nor what is on this computer or its network: only the reader chooses that. */
export function linesOf(view: ImportView): Line[] {
  return view.lines.map((found) => ({ found, chosen: found.known === null && !found.private, token: '', told: null }));
}

export const isAdded = (line: Line) => line.told?.ok === true;

/** Lets the reader choose a file, and shows what is in it. */
export async function importSources({ dialogs, feedback, platform }: Stores): Promise<void> {
  try {
    dialogs.importing = await platform.readImport();
  } catch (error) {
    feedback.fail(error);
  }
}
