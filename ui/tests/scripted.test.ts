// Holds the scripted program to the app: both get the calls of one table over the same inbox, and answer alike. The
// answers of the app are written by `cargo test -p tidings-app export`.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { client } from '../src/generated/commands';
import type { ItemView } from '../src/generated/ItemView';
import type { Places } from '../src/generated/Places';
import type { ProtocolView } from '../src/generated/ProtocolView';
import type { ReadBy } from '../src/generated/ReadBy';
import type { ThreadPage } from '../src/generated/ThreadPage';
import type { ThreadView } from '../src/generated/ThreadView';
import { PROTOCOLS } from '../src/platform/scripted/sample-protocols';
import { type Scripted, scripted } from '../src/platform/scripted/scripted';
import { EMPTY, type ScriptedThread } from '../src/platform/scripted/scripted-thread';

interface Call {
  name: string;
  command: string;
  /** Its arguments, in their order. A text such as `$read/undo` stands for that part of the answer to the call `read`. */
  args: Record<string, unknown>;
  /** The part of the answer that is compared; without it all of it is. */
  part?: string;
  /** What is free in this answer alone. */
  free?: string[];
}

interface Table {
  /** The ends of the paths of values of which only the type is compared, each with the reason. */
  free: Record<string, string>;
  calls: Call[];
}

type Members = Record<string, unknown>;
type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;

const read = <T>(name: string): T => JSON.parse(readFileSync(`tests/app-calls/${name}.json`, 'utf8'));
const table = read<Table>('calls');
const app = read<Members>('answers');

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const at = (value: unknown, path: string): unknown =>
  path.split('/').reduce((part, name) => (isMembers(part) ? part[name] : undefined), value);
const methodOf = (command: string) => command.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Arguments, or a part of them, with the parts of earlier answers that they name. */
function resolved(args: unknown, answers: Members): unknown {
  const named = typeof args === 'string' ? /^\$([^/]+)\/(.+)$/.exec(args) : null;
  if (named) return at(answers[named[1] ?? ''], named[2] ?? '');
  if (Array.isArray(args)) return args.map((one) => resolved(one, answers));
  if (!isMembers(args)) return args;
  return Object.fromEntries(Object.entries(args).map(([name, one]) => [name, resolved(one, answers)]));
}

/** A value with the names of their types in place of the values whose path ends like one of `free`. */
function released(value: unknown, path: string, free: readonly string[]): unknown {
  const isFree = free.some((end) => path.endsWith(`/${end}`));
  if (Array.isArray(value)) return value.map((one) => released(one, isFree ? path : `${path}/*`, free));
  if (isMembers(value)) {
    const all = Object.entries(value).map(([name, one]) => [name, released(one, `${path}/${name}`, free)]);
    return Object.fromEntries(all);
  }
  if (!isFree) return value;
  return value === null ? 'null' : typeof value;
}

/** The paths at which two answers differ, each with both values. */
function differences(path: string, ofApp: unknown, ofScripted: unknown): string[] {
  if (isMembers(ofApp) && isMembers(ofScripted) && Array.isArray(ofApp) === Array.isArray(ofScripted)) {
    const names = new Set([...Object.keys(ofApp), ...Object.keys(ofScripted)]);
    return [...names].flatMap((name) => differences(`${path}/${name}`, ofApp[name], ofScripted[name]));
  }
  if (ofApp === ofScripted) return [];
  return [`${path}: the app says ${JSON.stringify(ofApp)}, the scripted program ${JSON.stringify(ofScripted)}`];
}

/** The scripted program with the inbox of the table, as the app showed it before anything was done to it. */
function filled(): Scripted {
  const { platform } = scripted();
  const { sources, saved } = app.start as Places;
  const { rows } = app.inbox as ThreadPage;
  const here = <T extends { pending: boolean }>(one: T): T => ({ ...one, pending: false });
  platform.inbox = rows.map(({ id }): ScriptedThread => {
    const view = app[`open-${id}`] as ThreadView;
    const { title, facts, peer_read: peerRead, group_lines: groupLines } = view;
    const readers = view.items.some((item: ItemView) => item.receipt) ? (app.readers as ReadBy) : null;
    return { ...EMPTY, row: here(view.row), items: view.items.map(here), title, facts, peerRead, groupLines, readers };
  });
  Object.assign(platform, { sources, saved, latency: null, attachmentLimit: null });
  Object.assign(platform.notifications, { rules: [], days: [] });
  Object.assign(platform.sourceSettings, { protocols: app.protocols });
  return platform;
}

test('the_scripted_program_answers_the_calls_of_the_page_as_the_app_does', async () => {
  const platform = filled();
  const sent = client(async <T>(command: string, args: Members) => ({ command, args }) as T);
  const answers: Members = {};
  const wrong: string[] = [];
  for (const { name, command, args, part, free = [] } of table.calls) {
    const method = methodOf(command);
    const given = resolved(args, answers) as Members;
    // The arguments are those of the generated client, in the same order.
    const values = Object.values(given);
    expect(await (sent as unknown as Methods)[method]?.(...values), name).toEqual({ command, args: given });
    if (command === 'bootstrap') values.push(() => {});
    const answer = await (platform as unknown as Methods)[method]?.(...values).catch((refused) => ({ refused }));
    // As JSON has it: without members that are not there.
    const asJson: unknown = JSON.parse(JSON.stringify(answer ?? null));
    answers[name] = asJson;
    const compared = part === undefined ? asJson : at(asJson, part.slice(1));
    wrong.push(...differences(name, app[name], released(compared, '', [...Object.keys(table.free), ...free])));
  }
  expect(wrong).toEqual([]);
  expect(Object.keys(app).sort()).toEqual(table.calls.map((call) => call.name).sort());
});

test('the_sample_protocols_can_do_what_those_of_the_program_can', () => {
  const protocols = app.protocols as ProtocolView[];
  for (const { name, abilities, credential, default_url, notify } of PROTOCOLS) {
    const known = protocols.find((one) => one.name === name);
    expect(known, name).toMatchObject({ abilities, credential, default_url, notify });
  }
});
