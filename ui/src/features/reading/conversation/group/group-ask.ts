// What is asked before a group is changed.
import type { Member } from '../../../../generated/Member';

export type GroupAsk =
  | { readonly what: 'rename' }
  | { readonly what: 'add'; readonly members: readonly Member[] }
  | { readonly what: 'remove'; readonly member: Member }
  | { readonly what: 'hand-over'; readonly member: Member }
  | { readonly what: 'leave'; readonly members: readonly Member[] }
  | { readonly what: 'end' };
