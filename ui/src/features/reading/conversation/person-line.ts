// A line of a list of people.
import type { Face } from '../../../generated/Face';

export interface PersonLine {
  readonly id: string;
  readonly name: string;
  readonly face: Face;
  /** The time of reading, ms since 1970. */
  readonly at?: number | null;
  /** Whether this person is the reader. */
  readonly me?: boolean;
  /** Whether this person owns the group. */
  readonly owner?: boolean;
}
