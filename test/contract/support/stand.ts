import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import { Secret } from '#core/secret.ts';
import {
  type DestinationDefinition,
  DestinationFailure,
  type Driver,
  type FailureKind,
  type OpenDriver,
  type PutItem,
} from '#destinations/contract.ts';
import type { Fake, FakeObject } from '#destinations/fake.ts';
import { networkFields, toPolicy } from '#destinations/frame/fields/network.ts';
import { isSameVersion } from '#destinations/frame/rules/found.ts';
import { loadDriver, loadFake } from '#destinations/load.ts';
import { readBounds } from '#network/bounds.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { metaOf } from '#sync/rows/fields/forms.ts';
import { patience } from '../../support/measures/patience.ts';
import { outsideWorker } from '../../support/outside-worker.ts';
import { leaksOf } from './leaks.ts';

/** A type's fake, and drivers that reach it with the fields of a request. One per `describe`; tests share the fake. */
export interface Stand {
  readonly fake: Fake;
  readonly policy: NetworkPolicy;
  /** A new driver, closed after the test. */
  open(changes?: { readonly requestMs?: number; readonly network?: Partial<NetworkPolicy> }): Driver;
  /** A unique object name. */
  name(hint?: string): string;
  /** A put with mode `create` by default, with the built-in tags of its mark. */
  item(name: string, value: string, changes?: Partial<PutItem>): PutItem;
  object(name: string): FakeObject | undefined;
  /** Looks at an object: whether it has the version of that put, and its mark. */
  seen(driver: Driver, name: string, remoteVersion: string | null): Promise<Seen>;
  /** Calls of all operations since the start. */
  calls(): number;
  /** The failure of a verb, which must have one of these kinds and show no secret. */
  failure(verb: Promise<unknown>, ...kinds: readonly FailureKind[]): Promise<DestinationFailure>;
}

interface Seen {
  readonly isSame: boolean;
  readonly mark: string | null | undefined;
}

export const calm: AbortSignal = new AbortController().signal;

let marks = 0;
/** A unique mark. */
export function newMark(): string {
  marks += 1;
  return marks.toString(16).padStart(32, '0');
}

/** The connection of a request body; unset fields are left out, as in the store. */
export function connect(definition: DestinationDefinition, body: Readonly<Record<string, unknown>>) {
  const parsed = Object.entries(z.object(definition.fields).parse(body));
  return Object.fromEntries(parsed.filter(([, value]) => value !== undefined));
}

/** The values of the sensitive fields. */
export function credentialsOf(definition: DestinationDefinition, connection: Readonly<Record<string, unknown>>) {
  const sensitive = Object.entries(connection).filter(([name]) => {
    const field = definition.fields[name];
    return field !== undefined && metaOf(field).sensitive === true;
  });
  return sensitive.map(([, value]) => String(value));
}

/** Call it in a `describe`: it starts and closes the fake around its tests, and heals it after each. */
export function standFor(definition: DestinationDefinition): Stand {
  let parts: { readonly fake: Fake; readonly openDriver: OpenDriver } | undefined;
  const drivers: Driver[] = [];
  const secrets: string[] = [];
  const logged: unknown[] = [];
  let names = 0;

  beforeAll(async () => {
    const [startFake, openDriver] = await Promise.all([loadFake(definition.type), loadDriver(definition.type)]);
    parts = { fake: await startFake(), openDriver };
    secrets.push(...credentialsOf(definition, connect(definition, parts.fake.destination)));
  });
  afterEach(async () => {
    parts?.fake.heal();
    await Promise.all(drivers.splice(0).map((driver) => driver.close()));
    expect(leaksOf(logged, secrets)).toEqual([]);
  });
  afterAll(() => parts?.fake.close());

  const started = () => {
    if (parts === undefined) throw new Error('the stand-in has not been started');
    return parts;
  };
  const policy = () => {
    const { destination } = started().fake;
    const pem = destination['tls_ca_cert'];
    return toPolicy(
      z.object(networkFields).parse(destination),
      typeof pem === 'string' ? pem : undefined,
      readBounds('all'),
    );
  };

  return {
    get fake() {
      return started().fake;
    },
    get policy() {
      return policy();
    },
    open({ requestMs = patience.conditionMs, network = {} } = {}) {
      const driver = started().openDriver(connect(definition, started().fake.destination), {
        network: { ...policy(), ...network },
        timeouts: { connectMs: requestMs, requestMs },
        clock: systemClock,
        log: recordingLog(logged),
        app: async () => undefined,
        ...outsideWorker,
      });
      drivers.push(driver);
      return driver;
    },
    name(hint = 'object') {
      names += 1;
      return definition.names.normalise(`Contract/${names}/${hint}`);
    },
    item(name, value, changes = {}) {
      secrets.push(value);
      const { mark = newMark(), ...rest } = changes;
      const tags = definition.tags?.builtIn(mark) ?? {};
      const base = { name, value: new Secret(value), tags, staleTags: [], mode: 'create' as const, mark };
      const unknown = { intent: mark, remoteVersion: null, asRecorded: false };
      return { ...base, ...unknown, intendedAt: new Date(), ...rest };
    },
    object: (name) => started().fake.objects().get(name),
    async seen(driver, name, remoteVersion) {
      const found = await driver.inspect(name, calm);
      if (typeof found !== 'object') return { isSame: false, mark: undefined };
      return { isSame: isSameVersion(definition, remoteVersion, found.remoteVersion), mark: found.mark };
    },
    calls: () => [...started().fake.calls().values()].reduce((sum, count) => sum + count, 0),
    async failure(verb, ...kinds) {
      const outcome = await verb.then(
        () => 'it succeeded',
        (error: unknown) => error,
      );
      if (!(outcome instanceof DestinationFailure)) {
        throw new Error(`a failure of kind ${kinds.join(' or ')} was expected`, { cause: outcome });
      }
      expect(kinds).toContain(outcome.kind);
      expect(outcome.message).not.toBe('');
      expect(leaksOf(outcome, secrets)).toEqual([]);
      return outcome;
    },
  };
}

function recordingLog(lines: unknown[]): Log {
  const write = (fields: object, message: string) => {
    lines.push({ fields, message });
  };
  return { debug: write, info: write, warn: write, error: write };
}
