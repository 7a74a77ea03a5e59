import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { Secret } from '#core/secret.ts';
import { DestinationFailure, type Driver, type DriverContext, type PutItem } from '#destinations/contract.ts';
import type { Fake, StartFake } from '#destinations/fake.ts';
import { patience } from '../support/measures/patience.ts';
import { strictPolicy } from '../support/network/policy.ts';
import { outsideWorker } from '../support/outside-worker.ts';

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** A context that may reach the stand-in. */
export function contextFor(
  { url, destination }: Pick<Fake, 'url' | 'destination'>,
  changes: Partial<DriverContext> = {},
): DriverContext {
  const pem = destination['tls_ca_cert'];
  const caCertificates = typeof pem === 'string' ? pem : undefined;
  const allowedPorts = [Number(new URL(url).port)];
  return {
    network: { ...strictPolicy, allowedIpv4: ['127.0.0.0/8'], allowedPorts, caCertificates },
    timeouts: { connectMs: patience.conditionMs, requestMs: patience.conditionMs },
    clock: systemClock,
    log: silentLog,
    app: async () => undefined,
    ...outsideWorker,
    ...changes,
  };
}

/** A put, with mode `create` by default. */
export const putOf = (name: string, value: string, mark: string, changes: Partial<PutItem> = {}): PutItem => ({
  name,
  value: new Secret(value),
  tags: {},
  staleTags: [],
  mode: 'create',
  mark,
  intendedAt: new Date(),
  intent: 'the first',
  remoteVersion: null,
  asRecorded: false,
  ...changes,
});

/** The failure of a verb; a verb that succeeds, or throws anything else, fails the test. */
export async function failureOf(verb: Promise<unknown>): Promise<DestinationFailure> {
  const outcome = await verb.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
  if (outcome instanceof DestinationFailure) return outcome;
  throw new Error('a DestinationFailure was expected', { cause: outcome });
}

/** A stand-in and a driver on it. */
export interface Setting {
  readonly fake: Fake;
  readonly driver: Driver;
  /** Another driver on the same stand-in, for example with other fields. */
  open(fields?: Record<string, unknown>, context?: Partial<DriverContext>): Driver;
  /** Ends the drivers and the stand-in. */
  close(): Promise<void>;
}

/** `open`: a driver from the fields of a request. */
export async function startSetting(
  startFake: StartFake,
  open: (body: Record<string, unknown>, context: DriverContext) => Driver,
  fields: Record<string, unknown>,
): Promise<Setting> {
  const fake = await startFake();
  const opened: Driver[] = [];
  const openWith: Setting['open'] = (others = {}, context = {}) => {
    const destination = { ...fake.destination, ...fields, ...others };
    const driver = open(destination, contextFor({ url: fake.url, destination }, context));
    opened.push(driver);
    return driver;
  };
  const close = async () => {
    await Promise.all(opened.map((driver) => driver.close()));
    await fake.close();
  };
  return { fake, driver: openWith(), open: openWith, close };
}
