// The English texts of rules.
import { list, n, s } from './phrases';

export const enRules = {
  addRule: 'Add rule',
  rulesHint: 'Mute, archive, mark read or pin new notifications, or change their priority',
  noRules: 'No rules',
  noRulesHint: 'Add one here, or from the menu of a thread',
  rulesOrder: 'Rules run from top to bottom. Each rule sees the priority that the rules above it set.',
  dragRule: 'Drag to move',
  ruleDid: (today: number, days: number) =>
    today === 0 ? `${n(days)} in the last 14 days` : `${n(today)} today, ${n(days)} in the last 14 days`,
  ruleDidNothing: 'Nothing in the last 14 days',
  ruleDidMenu: 'What it did…',
  ruleDidTitle: (name: string) => `What “${name}” did`,
  ruleDidDays: 'Notifications a day',
  ruleDidLast: 'The last notifications',
  ruleDidNone: 'It acts on new notifications.',
  ruleDidGone: 'They are no longer here.',
  ruleActed: (did: readonly string[], when: string) => {
    const text = list(did, 'and');
    return `${text.charAt(0).toUpperCase()}${text.slice(1)} · ${when}`;
  },
  newRule: 'New rule',
  editRule: 'Edit rule',
  ruleNameHint: 'Leave empty to name it after what it does',
  ruleWhen: 'If all of these are true',
  ruleThen: 'Then',
  addCondition: 'Add condition',
  addAction: 'Add action',
  any: 'Any',
  messages: 'Messages',
  actor: 'Who',
  actorHint: 'The full ID or name',
  target: 'About',
  targetHint: 'ID or title of the target, the topic, or the repository',
  reason: 'Reason',
  reasonHint: 'What happened: comment, mention, review-requested',
  ruleTerms: 'Words',
  ruleTermsHint: 'All must occur in the title or text. Use "…" for a phrase',
  ruleTags: 'Tags',
  ruleTagsHint: 'Any one of them is enough',
  ruleNoSource: (text: string) => `No source is called “${text}”`,
  lowestPriority: 'Lowest priority',
  highestPriority: 'Highest priority',
  thenMute: 'Mute the thread',
  thenArchive: 'Archive',
  thenRead: 'Mark read',
  thenReadHint:
    'In conversations and announcements, only if nothing before it is unread. The sender sees that it was read.',
  thenPin: 'Pin the thread',
  thenNoToast: 'No toast',
  thenPriority: 'Priority',
  priorityStays: 'Unchanged',
  priorityBy: (steps: number) => (steps > 0 ? `Raise by ${steps}` : `Lower by ${-steps}`),
  ruleNoWhen: 'Set at least one condition',
  ruleNoThen: 'Choose at least one action',
  rulePriorities: 'The lowest priority is above the highest',
  tryRule: 'Try',
  trying: 'Trying',
  trial: (matches: number, of: number) =>
    matches === 0
      ? `None of the newest ${n(of)} match`
      : `${n(matches)} of the newest ${n(of)} ${s(matches, 'matches', 'match')}`,
  trialRows: 'The newest threads that match',
  removeRuleText: 'The changes that it made stay.',
  ruleMenu: (name: string) => `More for ${name}`,
  makeRule: 'Create a rule from this thread…',
  applyHere: 'Also apply to existing notifications',
  applyHereHint: 'Archives, marks read, pins or mutes matches among the newest 10,000. You can undo this',
  ruleApplied: (count: number) =>
    count === 0
      ? 'Rule saved. No existing notification had to change'
      : `Rule saved and applied to ${n(count)} ${s(count, 'thread', 'threads')}`,
  ruleTakenBack: (count: number) => `Undone for ${n(count)} ${s(count, 'thread', 'threads')}. The rule stays`,
  ruleSaved: 'Rule saved',
  ruleSentence: (when: readonly string[], then: readonly string[]) => {
    const text = `${when.join(' ')}: ${list(then, 'and')}`;
    return text.charAt(0).toUpperCase() + text.slice(1);
  },
  ruleKind: { announcement: 'announcements', reminder: 'activity', message: 'messages' },
  ruleEverything: 'everything',
  ruleFrom: (source: string) => `from ${source}`,
  ruleSourceGone: 'a source that was removed',
  ruleBy: (who: string) => `by ${who}`,
  ruleAbout: (what: string) => `about ${what}`,
  ruleReason: (what: string) => `with the reason “${what}”`,
  ruleTagged: (tags: readonly string[]) => `tagged ${list(tags, 'or')}`,
  ruleWith: (text: string) => `with “${text}”`,
  rulePriority: (from: number, to: number) => {
    if (from === to) return `of priority ${from}`;
    if (to === 5) return `of priority ${from} or higher`;
    return from === 1 ? `of priority ${to} or lower` : `of priority ${from} to ${to}`;
  },
  doMute: 'mute',
  doArchive: 'archive',
  doRead: 'mark read',
  doPin: 'pin',
  doNoToast: 'no toast',
  doPriority: (steps: number) => (steps > 0 ? `raise the priority by ${steps}` : `lower the priority by ${-steps}`),
  doNothing: 'nothing',
};
