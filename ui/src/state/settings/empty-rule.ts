// A rule before its reader says anything.
import type { Rule } from '../../generated/Rule';

/** A new rule, without conditions and without actions. */
export function emptyRule(): Rule {
  return {
    id: 0,
    name: '',
    on: true,
    when: {
      source: null,
      kind: null,
      actor: '',
      target: '',
      action: '',
      words: '',
      tags: [],
      at_least: null,
      at_most: null,
    },
    then: { mute: false, archive: false, read: false, pin: false, priority: 0, no_toast: false },
  };
}
