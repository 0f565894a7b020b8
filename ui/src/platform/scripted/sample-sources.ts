// The sources of the scripted program, one in each state of the reference views.
import type { Noise } from '../../generated/Noise';
import type { SourceRow } from '../../generated/SourceRow';
import type { SamplePeople } from './sample-people';
import { at, NOW } from './scripted-thread';

export function sourcesOf({ l }: SamplePeople): SourceRow[] {
  return [
    {
      id: 1,
      name: '',
      protocol: 'tidings',
      notify: { level: null, from_priority: null, sound: null },
      muted_until: null,
      show_icons: false,
      own: true,
      url: 'http://127.0.0.1:7878',
      count: { unread: 4, counted: 4 },
      state: { state: 'live' },
    },
    {
      id: 2,
      name: l('Work', '工作'),
      protocol: 'tidings',
      notify: { level: null, from_priority: null, sound: null },
      muted_until: null,
      show_icons: false,
      own: false,
      url: 'https://tidings.example.org',
      count: { unread: 11, counted: 11 },
      state: { state: 'live' },
    },
    {
      id: 3,
      name: 'GitHub',
      protocol: 'github',
      notify: { level: null, from_priority: null, sound: null },
      muted_until: null,
      show_icons: false,
      own: false,
      url: 'https://github.com',
      count: { unread: 0, counted: 0 },
      state: { state: 'idle' },
    },
    {
      id: 4,
      name: 'ntfy.sh',
      protocol: 'ntfy',
      notify: { level: null, from_priority: null, sound: null },
      muted_until: null,
      show_icons: false,
      own: false,
      url: 'https://ntfy.sh/alerts,door',
      topics: ['alerts', 'door'],
      count: { unread: 0, counted: 0 },
      state: { state: 'needs_sign_in', since: at(20, '08:12') },
    },
    {
      id: 5,
      name: l('Home', '家里'),
      protocol: 'gotify',
      notify: { level: null, from_priority: null, sound: null },
      muted_until: null,
      show_icons: false,
      own: false,
      url: 'https://gotify.home.arpa',
      count: { unread: 0, counted: 0 },
      state: { state: 'paused', since: at(19, '18:30') },
    },
  ];
}

/** The items of the sources in the last 30 days: one with topics, one with repositories. */
export const NOISE: Noise = {
  since: NOW - 30 * 86_400_000,
  sources: [
    {
      source: 3,
      items: 1240,
      unread: 1116,
      origins: [
        {
          target: 'rust-lang/rust',
          name: 'rust-lang/rust',
          muted: false,
          muted_until: null,
          items: 1100,
          unread: 1095,
        },
        { target: 'tidings/tidings', name: 'tidings/tidings', muted: false, muted_until: null, items: 140, unread: 21 },
      ],
    },
    { source: 2, items: 96, unread: 11, origins: [] },
    {
      source: 1,
      items: 40,
      unread: 4,
      origins: [{ target: 'topic:backups', name: 'backups', muted: false, muted_until: null, items: 30, unread: 0 }],
    },
  ],
};
