// The edited settings of a topic, and those of them that go to the program.
import type { SecretChange } from '../../../../generated/SecretChange';
import type { SigningSender } from '../../../../generated/SigningSender';
import type { TopicForm } from '../../../../generated/TopicForm';
import type { TopicRow } from '../../../../generated/TopicRow';
import { i18n } from '../../../../i18n/all';

/** The senders that can sign, in the order of the form. */
export const SENDERS: readonly SigningSender[] = ['github', 'gitlab', 'forgejo', 'grafana', 'sentry'];

/** What happens to a secret: a text is set, null removes it. */
export type SecretEdits = Partial<Record<SigningSender, string | null>>;

export interface TopicDraft {
  topic: string;
  name: string;
  icon: string;
  floor: number | null;
  /** How often a notification is expected, as it was typed; empty for never. */
  expect: string;
  template: string;
  /** Whether only the users in `publishers` may publish. */
  named: boolean;
  /** Ids, as they were typed. */
  publishers: string;
  /** Whether only the users in `readers` may read. */
  limited: boolean;
  /** Ids, as they were typed. */
  readers: string;
  secrets: SecretEdits;
}

/** The error of a topic's name as it is typed, if there is one; an empty name is no error yet. */
export function nameError(topic: string): string | null {
  return topic === '' || /^[-_A-Za-z0-9]{1,64}$/.test(topic) ? null : i18n.t.topicInvalid;
}

/** A time by its largest unit without a rest, as the field takes it. */
function expectText(secs: number): string {
  const unit = ([86_400, 3_600, 60] as const).find((one) => secs % one === 0) ?? 1;
  return i18n.t.shortTime(secs / unit, unit);
}

/** The draft of a topic with settings, or of a new one. */
export function draftOf(row: TopicRow | null, owner: string | null): TopicDraft {
  return {
    topic: row?.topic ?? '',
    name: row?.name ?? '',
    icon: row?.icon ?? '',
    floor: row?.priority_floor ?? null,
    expect: row?.expect_secs == null ? '' : expectText(row.expect_secs),
    template: row?.template ?? '',
    named: row?.publishers != null,
    publishers: (row?.publishers ?? (owner === null ? [] : [owner])).join(' '),
    limited: row?.readers != null,
    readers: (row?.readers ?? (owner === null ? [] : [owner])).join(' '),
    secrets: {},
  };
}

export const userIds = (text: string): string[] => text.split(/[\s,;，；、]+/).filter((id) => id !== '');

/** Whether a secret was begun and is empty. */
export const lacksSecret = (secrets: SecretEdits): boolean => Object.values(secrets).some((text) => text === '');

export function formOf(draft: TopicDraft, isNew: boolean): TopicForm {
  return {
    topic: draft.topic.trim(),
    new: isNew,
    name: draft.name.trim(),
    icon: draft.icon.trim(),
    priority_floor: draft.floor,
    expect: draft.expect.trim(),
    template: draft.template,
    publishers: draft.named ? userIds(draft.publishers) : null,
    readers: draft.limited ? userIds(draft.readers) : null,
    secrets: SENDERS.flatMap((sender): SecretChange[] => {
      const text = draft.secrets[sender];
      return text === undefined ? [] : [{ sender, secret: text ?? '' }];
    }),
  };
}

/** The settings of a topic, in a line; empty if only its name is set. */
export function topicSummary(row: TopicRow): string {
  const { t } = i18n;
  const parts = [row.name === '' ? '' : row.topic];
  if (row.priority_floor !== null) parts.push(t.topicFloor(t.priorityName(row.priority_floor)));
  if (row.expect_secs !== null) parts.push(t.topicExpects(expectText(row.expect_secs)));
  if (row.template !== '') parts.push(t.topicHasTemplate);
  if (row.publishers !== null) parts.push(t.topicLimited(row.publishers));
  if (row.readers !== null) parts.push(t.topicReaders(row.readers));
  if (row.secrets.length > 0) parts.push(t.topicSigned(row.secrets.map(t.signingSender)));
  return t.topicParts(parts.filter((part) => part !== ''));
}
