// People of the sample inbox, and helpers that write its items and texts in both languages.
import type { Avatar } from '../../generated/Avatar';
import type { Face } from '../../generated/Face';
import type { ItemView } from '../../generated/ItemView';
import type { Lang } from '../../generated/Lang';
import type { Person } from '../../generated/Person';
import type { Span } from '../../generated/Span';

export const person = (face: Face): Avatar => ({ shape: 'person', face });
export const thing = (icon: string): Avatar => ({ shape: 'thing', icon });
export const group = (tint: number): Avatar => ({ shape: 'group', tint });
export const plain = (text: string): Span => ({ text, strong: false, found: false });
export const strong = (text: string): Span => ({ text, strong: true, found: false });

export type SamplePeople = ReturnType<typeof samplePeople>;

export function samplePeople(lang: Lang) {
  const l = (en: string, zh: string) => (lang === 'zh-CN' ? zh : en);

  const face = (en: string, zh: string, tint: number): Face => ({ initials: l(en, zh), tint });
  const ana = face('AR', '林', 4);
  const bo = face('BK', '陈', 0);
  const chen = face('CY', '赵', 1);
  const dana = face('DP', '周', 3);
  const eli = face('EN', '何', 2);
  const mei = face('MT', '孙', 5);
  const names = new Map([
    [ana, l('Ana Ruiz', '林晓')],
    [bo, l('Bo Kessler', '陈博')],
    [chen, l('Chen Yu', '赵宇')],
    [dana, l('Dana Petrov', '周丹')],
    [eli, l('Eli Novak', '何力')],
    [mei, l('Mei Tanaka', '孙梅')],
  ]);
  const reader = (one: Face, when: number | null) => {
    const name = names.get(one) ?? '';
    return { id: name, name, face: one, at: when };
  };

  const item = (
    msgid: string,
    who: Face | null,
    time: number,
    body: string,
    more: Partial<ItemView> = {},
  ): ItemView => ({
    msgid,
    actor: who ? (names.get(who) ?? '') : '',
    avatar: who ? person(who) : thing('bell'),
    verb: '',
    title: '',
    body,
    html: false,
    plain_reason: null,
    time,
    unread: false,
    own: false,
    priority: 3,
    emoji: '',
    tags: [],
    icon: null,
    url: null,
    attachment: null,
    actions: [],
    receipt: null,
    pending: false,
    ...more,
  });
  return { l, names, reader, item, ana, bo, chen, dana, eli, mei };
}

/** The people at the scripted server. */
export function peopleOf(lang: 'en' | 'zh-CN'): Person[] {
  const { names } = samplePeople(lang);
  const ids = ['ana', 'bo', 'chen', 'dana', 'eli', 'mei'];
  return [...names].map(([face, name], at) => ({ id: ids[at] ?? name, name, face }));
}
