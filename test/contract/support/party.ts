import { afterAll, afterEach, beforeAll } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#core/clock.ts';
import { type Log, silentLog } from '#core/log/log.ts';
import { Secret } from '#core/secret.ts';
import type { DestinationDefinition, Driver, OpenDriver, PutItem } from '#destinations/contract.ts';
import type { Fake } from '#destinations/fake.ts';
import { networkFields, toPolicy } from '#destinations/frame/fields/network.ts';
import { openRedacted } from '#destinations/frame/redaction/open-redacted.ts';
import { loadDriver, loadFake } from '#destinations/load.ts';
import { readBounds } from '#network/bounds.ts';
import { patience } from '../../support/measures/patience.ts';
import { outsideWorker } from '../../support/outside-worker.ts';
import { type Between, standBetween } from './between.ts';
import { connect, newMark } from './stand.ts';

type Body = Readonly<Record<string, unknown>>;

/** A stand-in, and drivers that reach it through a proxy. */
export interface Party {
  readonly fake: Fake;
  readonly between: Between;
  /** The request bodies for all login methods of the stand-in. */
  bodies(): readonly Body[];
  /** Opens a driver, which is closed after the test. With `exit` its failures are redacted, as in the sync. */
  open(body?: Body, options?: { readonly exit?: { readonly log: Log } }): Driver;
  item(value: string, changes?: Partial<PutItem>): PutItem;
}

const otherWays = ['roleDestination', 'appDestination'] as const;

/** Call it in a `describe`. */
export function partyFor(definition: DestinationDefinition): Party {
  let opened: { readonly fake: Fake; readonly between: Between; readonly openDriver: OpenDriver } | undefined;
  const drivers: Driver[] = [];
  let names = 0;
  beforeAll(async () => {
    const [startFake, openDriver] = await Promise.all([loadFake(definition.type), loadDriver(definition.type)]);
    const fake = await startFake();
    opened = { fake, between: await standBetween(fake), openDriver };
  });
  afterEach(async () => {
    opened?.between.meet(() => undefined);
    await Promise.all(drivers.splice(0).map((driver) => driver.close()));
  });
  afterAll(async () => {
    await opened?.between.close();
    await opened?.fake.close();
  });
  const started = () => {
    if (opened === undefined) throw new Error('nothing was started');
    return opened;
  };

  return {
    get fake() {
      return started().fake;
    },
    get between() {
      return started().between;
    },
    bodies: () => {
      const { fake } = started();
      return [fake.destination, ...otherWays.map((way) => Reflect.get(fake, way))].filter((body) => body !== undefined);
    },
    open(body = started().fake.destination, { exit } = {}) {
      const { fake, between, openDriver } = started();
      const destination = between.through(body);
      const pem = destination['tls_ca_cert'];
      const context = {
        network: toPolicy(
          z.object(networkFields).parse(destination),
          typeof pem === 'string' ? pem : undefined,
          readBounds('all'),
        ),
        timeouts: { connectMs: patience.conditionMs, requestMs: patience.conditionMs },
        clock: systemClock,
        log: exit?.log ?? silentLog,
        app: async () => appOf(fake, destination['endpoint']),
        ...outsideWorker,
      };
      const connection = connect(definition, destination);
      const driver =
        exit === undefined
          ? openDriver(connection, context)
          : openRedacted({ definition, openDriver }, connection, context);
      drivers.push(driver);
      return driver;
    },
    item(value, changes = {}) {
      names += 1;
      const mark = newMark();
      return {
        name: definition.names.normalise(`Party/${names}`),
        value: new Secret(value),
        tags: definition.tags?.builtIn(mark) ?? {},
        staleTags: [],
        mode: 'create',
        mark,
        intendedAt: new Date(),
        intent: mark,
        remoteVersion: null,
        asRecorded: false,
        ...changes,
      };
    },
  };
}

function appOf(fake: Fake, endpoint: unknown) {
  const app: unknown = Reflect.get(fake, 'app');
  const parsed = z.object({ app_id: z.number(), private_key: z.string() }).safeParse(app);
  if (!parsed.success) return undefined;
  const { app_id: appId, private_key: privateKey } = parsed.data;
  return { appId, privateKey: new Secret(privateKey), addresses: { endpoint: String(endpoint) } };
}
