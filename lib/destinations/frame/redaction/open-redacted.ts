import type { Log } from '#core/log/log.ts';
import type { Input } from '#path/fields.ts';
import {
  type CheckedPermission,
  type DestinationDefinition,
  DestinationFailure,
  type Driver,
  type DriverContext,
  type OpenDriver,
  type PutItem,
  type PutOutcome,
} from '../../contract.ts';
import { Credentials } from './credentials.ts';
import { membersOf } from './members.ts';
import { ownWords, redact } from './redact.ts';
import { trailOf } from './trail.ts';

/** The most that is shown of a remote's own text. */
const saidLengthMax = 300;

interface Destination {
  readonly definition: DestinationDefinition;
  readonly openDriver: OpenDriver;
}

/**
 * Opens a driver whose failures may be stored, shown and logged; a remote's text leaves a driver only through this code. Any error
 * of the driver becomes a plain `DestinationFailure` without a cause. The values of the call and the credentials of the destination
 * are removed from its texts, in any form, before the remote's text is cut. Names may be shown.
 *
 * An unexpected failure is logged, with its origin.
 */
export function openRedacted(
  destination: Destination,
  connection: Input<DestinationDefinition['fields']>,
  context: Omit<DriverContext, 'obtained'>,
): Driver {
  const { definition, openDriver } = destination;
  const credentials = new Credentials(definition, connection);
  const parts = { type: definition.type, log: context.log, credentials };
  const driver = redactingNow({ ...parts, verb: 'open' }, () =>
    openDriver(connection, {
      ...context,
      app: credentials.noting(context.app),
      obtained: (credential) => credentials.add(credential),
    }),
  );
  const putMany = driver.putMany?.bind(driver);
  const survey = driver.survey?.bind(driver);
  const list = driver.list?.bind(driver);
  return {
    put: (item, signal) => redacting({ ...parts, verb: 'put', items: [item] }, () => driver.put(item, signal)),
    ...(putMany !== undefined && {
      putMany: (items, signal) => {
        const call: Call = { ...parts, verb: 'put', items };
        return redacting(call, async () => shownOutcomes(call, await putMany(items, signal)));
      },
    }),
    remove: (item, signal) =>
      redacting({ ...parts, verb: 'remove', names: [item.name] }, () => driver.remove(item, signal)),
    inspect: (name, signal) =>
      redacting({ ...parts, verb: 'inspect', names: [name] }, () => driver.inspect(name, signal)),
    ...(survey !== undefined && {
      survey: (names, signal) => redacting({ ...parts, verb: 'inspect', names }, () => survey(names, signal)),
    }),
    ...(list !== undefined && {
      list: (from, signal) => redacting({ ...parts, verb: 'list', names: [] }, () => list(from, signal)),
    }),
    check: (name, signal) => {
      const call: Call = { ...parts, verb: 'check', names: [name] };
      return redacting(call, async () => (await driver.check(name, signal)).map((one) => shownCheck(call, one)));
    },
    close: () => driver.close(),
  };
}

interface Call {
  readonly type: string;
  readonly verb: string;
  readonly log: Log;
  readonly credentials: Credentials;
  readonly items?: readonly PutItem[];
  readonly names?: readonly string[];
}

async function redacting<Answer>(call: Call, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    throw shown(call, error);
  }
}

function redactingNow<Answer>(call: Call, run: () => Answer): Answer {
  try {
    return run();
  } catch (error) {
    throw shown(call, error);
  }
}

/** Items that share a failure share its redacted form. */
function shownOutcomes(call: Call, outcomes: readonly PutOutcome[]): readonly PutOutcome[] {
  const known = new Map<DestinationFailure, DestinationFailure>();
  return outcomes.map((outcome) => {
    if (outcome.ok) return outcome;
    const failure = known.get(outcome.failure) ?? shown(call, outcome.failure);
    known.set(outcome.failure, failure);
    return { ok: false, failure };
  });
}

const shownCheck = (call: Call, checked: CheckedPermission): CheckedPermission =>
  checked.outcome === 'failed' ? { ...checked, failure: shown(call, checked.failure) } : checked;

function shown(call: Call, error: unknown): DestinationFailure {
  const { items = [], credentials } = call;
  const names = call.names ?? items.map(({ name }) => name);
  const secrets = [...items.flatMap(({ value }) => membersOf(value.reveal())), ...credentials.texts()];
  const failure = error instanceof DestinationFailure ? error : unexpectedFailure(call.verb, error);
  const message = redact(failure.message, secrets, { names, grain: ownWords });
  if (failure.kind === 'internal') logFailure(call, names, message, secrets, failure);
  const said = redact(failure.said?.reveal() ?? '', secrets, { names })
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, saidLengthMax);
  const text = said === '' ? message : `${message}; the remote says "${said}"`;
  // A remote may put anything into its headers.
  const { requestId } = failure;
  const isHarmless = requestId === undefined || redact(requestId, secrets) === requestId;
  return failure.withMessage(text, { cause: undefined, said: undefined, ...(!isHarmless && { requestId: undefined }) });
}

const unexpectedFailure = (verb: string, cause: unknown) =>
  new DestinationFailure('internal', `the ${verb} failed unexpectedly; see the log of the worker`, {
    cause,
  });

function logFailure(
  { type, verb, log }: Call,
  names: readonly string[],
  message: string,
  secrets: readonly string[],
  failure: DestinationFailure,
) {
  const trail = trailOf(failure.cause ?? failure).map((link) => redact(link, secrets));
  log.error({ type, verb, names: names.slice(0, 3), message, trail }, 'a call of a driver failed unexpectedly');
}
