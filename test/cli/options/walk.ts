import { Readable } from 'node:stream';
import { flagIn, optionName } from '#cli/command/combinations.ts';
import type { Context } from '#cli/context.ts';
import { CommandFailure } from '#cli/failure.ts';
import { type Described, Given, type Verb } from '#cli/verb.ts';
import type { Client, Reply } from '#client/client.ts';
import type { ObjectValue } from '#client/wire/json.ts';
import { Secret } from '#core/secret.ts';

/** What the requests of the walk get: whatever a command looks for is there. */
const everything: ObjectValue = {
  ...{ path: 'secret/', type: 'kv', options: { version: '2' }, data: { metadata: {}, data: { x: 'x' } } },
  ...{ id: 'x', state: 'done', progress: 1, total: 1, would_change: 1, plan_id: 'x', version: '1' },
  ...{ sealed: true, initialized: false, t: 3, attributes: { name: 'x' }, auth: { client_token: 'x' } },
  ...{ objects: [{ action: 'update', reason: 'changed-there', id: 'x' }], deliveries: [{ id: 'x' }], keys: ['x'] },
  ...{ versions: { 1: {} }, associated_secrets: { x: { sync_status: 'PENDING', mount: 'secret', secret_name: '' } } },
};
/** From some call on: what a command waits for has come. */
const settled: ObjectValue = { ...everything, total: 0, associated_secrets: {} };
const settledFrom = 6;

const replyWith = (data: ObjectValue): Reply => ({ status: 200, whole: data, data, warnings: [] });

/** Options with values, flags with `true`. */
export type Options = Readonly<Record<string, string | true>>;

/** Runs a command to its end. Returns the names of the options that it has looked at; undefined when it has refused the line by itself. */
export async function optionsRead(
  verb: Verb,
  words: readonly string[],
  options: Options,
): Promise<ReadonlySet<string> | undefined> {
  const read = new Set<string>();
  const watched = new Proxy(options, {
    get(target, name) {
      read.add(String(name));
      return Reflect.get(target, name);
    },
  });
  // A command that goes on until it is interrupted has shown something by then.
  const interruption = new AbortController();
  const context = contextWith(interruption);
  const error = await verb.run(context, new Given(verb.name, words, watched)).catch((cause: unknown) => cause);
  return error instanceof CommandFailure && error.exit === 'usage' ? undefined : read;
}

function contextWith(interruption: AbortController): Context {
  const { signal } = interruption;
  const sink = { write() {} };
  return {
    host: {
      ...{ argv: [], environment: {}, home: '/nonexistent', version: '0.0.0', signal },
      ...{ input: Readable.from([]), output: sink, errors: sink },
      openBrowser: async () => {},
      runAgent: async () => {},
    },
    settings: {
      format: 'json',
      connection: {
        ...{ address: 'http://127.0.0.1:9', namespace: '', token: new Secret('hvs.x'), certificates: undefined },
        ...{ skipVerify: false, timeoutMs: 1_000, attemptsMax: 1, retryMsFirst: 1 },
      },
    },
    client: clientUntil(signal),
    clientWith: () => clientUntil(signal),
    questions: {
      canAsk: false,
      ask: async () => 'x',
      askHidden: async () => 'x',
      readAll: async () => '{}',
      agree: async () => {},
    },
    conceal() {},
    say() {},
    show: async () => interruption.abort(),
  };
}

/** As many calls as a command makes that comes to an end. */
const callsMax = 30;

function clientUntil(signal: AbortSignal): Client {
  let calls = 0;
  const next = async () => {
    calls += 1;
    if (signal.aborted || calls > callsMax) throw new Error('interrupted');
    return replyWith(calls < settledFrom ? everything : settled);
  };
  return { call: next, ask: next, download: async () => Buffer.from('x') };
}

/** A value for an option or an argument, by what stands for it in the help. */
export function sampleOf(form: string): string {
  const [, kind = ''] = /[<[]([^>\]]+)[>\]]/.exec(form) ?? [];
  return samples[kind.replace('...', '')] ?? 'x';
}

const samples: Readonly<Record<string, string>> = {
  ...{
    time: '0s',
    count: '1',
    number: '1',
    numbers: '1',
    seconds: '1',
    version: '1',
    json: '{}',
    file: '/nonexistent/x',
  },
  ...{ 'type/name': 'a/b', workspace: 'a/b', method: 'POST', action: 'replay', capability: 'read', pairs: 'a=b' },
  ...{ type: 'file', options: 'a=b', values: 'a=b', shell: 'bash', state: 'synced', destinations: 'a/b' },
};

/** An option as the command gets it. */
export const optionOf = ([form]: Described): Options => ({
  [optionName(flagIn(form))]: form.includes('<') ? sampleOf(form) : true,
});

/** The words of the arguments: only the required ones, and all of them. */
export function wordsOf({ arguments: described = [] }: Verb): readonly (readonly string[])[] {
  const required = described.filter(([form]) => form.startsWith('<')).map(([form]) => sampleOf(form));
  const all = described.map(([form]) => sampleOf(form));
  return all.length === required.length ? [all] : [required, all];
}
