import type { Log } from '../../../core/log.ts';
import type { Input } from '../../../path/fields.ts';
import {
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

/** What people are shown of a remote's own words. */
const saidLengthMax = 300;

interface Destination {
  readonly definition: DestinationDefinition;
  readonly openDriver: OpenDriver;
}

/**
 * Opens a driver whose failures may be stored, shown and logged: the only code by which what a remote said comes out. Whatever
 * the driver throws becomes a plain `DestinationFailure` without a cause. The values of the call and the credentials of the
 * destination are taken out of its texts, in any form, and only then is the remote's text cut. Names may be shown.
 *
 * A failure that nobody foresaw leaves a line in the log, with where it came from.
 */
export function openAtExit(
  destination: Destination,
  connection: Input<DestinationDefinition['fields']>,
  context: DriverContext,
): Driver {
  const { definition, openDriver } = destination;
  const credentials = new Credentials(definition, connection);
  const parts = { type: definition.type, log: context.log, credentials };
  const driver = leavingAtOnce({ ...parts, verb: 'open' }, () =>
    openDriver(connection, {
      ...context,
      app: credentials.noting(context.app),
      obtained: (credential) => credentials.add(credential),
    }),
  );
  const putMany = driver.putMany?.bind(driver);
  const survey = driver.survey?.bind(driver);
  return {
    put: (item, signal) => leaving({ ...parts, verb: 'put', items: [item] }, () => driver.put(item, signal)),
    ...(putMany !== undefined && {
      putMany: (items, signal) => {
        const call: Call = { ...parts, verb: 'put', items };
        return leaving(call, async () => shownOutcomes(call, await putMany(items, signal)));
      },
    }),
    remove: (item, signal) =>
      leaving({ ...parts, verb: 'remove', names: [item.name] }, () => driver.remove(item, signal)),
    inspect: (name, signal) =>
      leaving({ ...parts, verb: 'inspect', names: [name] }, () => driver.inspect(name, signal)),
    ...(survey !== undefined && {
      survey: (names, signal) => leaving({ ...parts, verb: 'inspect', names }, () => survey(names, signal)),
    }),
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

async function leaving<Answer>(call: Call, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    throw shown(call, error);
  }
}

function leavingAtOnce<Answer>(call: Call, run: () => Answer): Answer {
  try {
    return run();
  } catch (error) {
    throw shown(call, error);
  }
}

/** Items that share a failure share what is shown of it. */
function shownOutcomes(call: Call, outcomes: readonly PutOutcome[]): readonly PutOutcome[] {
  const known = new Map<DestinationFailure, DestinationFailure>();
  return outcomes.map((outcome) => {
    if (outcome.ok) return outcome;
    const failure = known.get(outcome.failure) ?? shown(call, outcome.failure);
    known.set(outcome.failure, failure);
    return { ok: false, failure };
  });
}

function shown(call: Call, error: unknown): DestinationFailure {
  const { items = [], credentials } = call;
  const names = call.names ?? items.map(({ name }) => name);
  const secrets = [...items.flatMap(({ value }) => membersOf(value.reveal())), ...credentials.texts()];
  const failure = error instanceof DestinationFailure ? error : unforeseen(call.verb, error);
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
  return failure.again(text, { cause: undefined, said: undefined, ...(!isHarmless && { requestId: undefined }) });
}

const unforeseen = (verb: string, cause: unknown) =>
  new DestinationFailure('internal', `the ${verb} failed in an unforeseen way; the log of the worker says more`, {
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
  log.error({ type, verb, names: names.slice(0, 3), message, trail }, 'a call of a driver failed in an unforeseen way');
}
