// The sources of the scripted program, one in each state of the reference views.
import type { Noise } from '../../generated/Noise';
import type { NoiseOrigin } from '../../generated/NoiseOrigin';
import type { SourceRow } from '../../generated/SourceRow';
import type { SamplePeople } from './sample-people';
import { at, NOW } from './scripted-thread';

/** A source that is pulled from, made of what differs from the usual. */
export const sampleSource = (
  known: Partial<SourceRow> & Pick<SourceRow, 'id' | 'name' | 'protocol' | 'url'>,
): SourceRow => ({
  notify: { level: null, from_priority: null, sound: null },
  muted_until: null,
  show_icons: false,
  own: false,
  count: { unread: 0, counted: 0 },
  state: { state: 'live' },
  ...known,
});

export function sourcesOf({ l }: SamplePeople): SourceRow[] {
  return [
    sampleSource({
      id: 1,
      name: '',
      protocol: 'tidings',
      own: true,
      url: 'http://127.0.0.1:7878',
      count: { unread: 4, counted: 4 },
    }),
    sampleSource({
      id: 2,
      name: l('Work', '工作'),
      protocol: 'tidings',
      url: 'https://tidings.example.org',
      count: { unread: 11, counted: 11 },
    }),
    sampleSource({ id: 3, name: 'GitHub', protocol: 'github', url: 'https://github.com', state: { state: 'idle' } }),
    sampleSource({
      id: 4,
      name: 'ntfy.sh',
      protocol: 'ntfy',
      url: 'https://ntfy.sh/alerts,door',
      topics: ['alerts', 'door'],
      state: { state: 'needs_sign_in', since: at(20, '08:12') },
    }),
    sampleSource({
      id: 5,
      name: l('Home', '家里'),
      protocol: 'gotify',
      url: 'https://gotify.home.arpa',
      state: { state: 'paused', since: at(19, '18:30') },
    }),
  ];
}

const origin = (target: string, name: string, items: number, unread: number): NoiseOrigin => ({
  target,
  name,
  muted: false,
  muted_until: null,
  items,
  unread,
});

/** The items of the sources in the last 30 days: one with topics, one with repositories. */
export const NOISE: Noise = {
  since: NOW - 30 * 86_400_000,
  sources: [
    {
      source: 3,
      items: 1240,
      unread: 1116,
      origins: [
        origin('rust-lang/rust', 'rust-lang/rust', 1100, 1095),
        origin('tidings/tidings', 'tidings/tidings', 140, 21),
      ],
    },
    { source: 2, items: 96, unread: 11, origins: [] },
    { source: 1, items: 40, unread: 4, origins: [origin('topic:backups', 'backups', 30, 0)] },
  ],
};
