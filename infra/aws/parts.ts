import { deadLetters, deadLettersAlarm, doorbell } from './doorbell.ts';
import { assumesRoles, receives, roleOf } from './role.ts';
import { logicalName, type Resource, typeOf } from './template.ts';

/** The parts of `serverless.yml` that follow from the list of functions. */
export interface ServerlessParts {
  readonly Resources: Readonly<Record<string, Resource>>;
  /** `KEYFERRY_DOORBELL_SQS` of functions that ring for every type. */
  readonly everyDoorbell: object;
  readonly workerSecondsMax: number;
}

/** Limit for a run of a worker: several times the 27 s that one operation may take. */
const workerSecondsMax = 120;

/**
 * @param functions names of the files in `functions/`; names that begin with `sync-` are workers
 * @param assuming types whose workers assume roles
 */
export function serverlessParts(functions: readonly string[], assuming: ReadonlySet<string>): ServerlessParts {
  const workers = functions.filter((name) => typeOf(name) !== undefined);
  const bells = workers.map((name) => logicalName(name, 'Doorbell'));
  const addresses = workers.map((name) => `"${typeOf(name)}":"\${${logicalName(name, 'Doorbell')}}"`);
  return {
    Resources: Object.assign(
      {},
      ...functions.map((name) => ({ [logicalName(name, 'Role')]: roleFor(name, bells, assuming) })),
      ...workers.map((name) => queuesOf(name)),
    ),
    everyDoorbell: { 'Fn::Sub': `{${addresses.join(',')}}` },
    workerSecondsMax,
  };
}

/** A worker rings for itself only, the other functions for all types. */
function roleFor(name: string, bells: readonly string[], assuming: ReadonlySet<string>): Resource {
  const type = typeOf(name);
  if (type === undefined) return roleOf(name, { rings: bells, more: [] });
  const more = assuming.has(type) ? [receives(name), assumesRoles] : [receives(name)];
  return roleOf(name, { rings: [logicalName(name, 'Doorbell')], more });
}

function queuesOf(name: string): Readonly<Record<string, Resource>> {
  const letters = logicalName(name, 'DeadLetters');
  return {
    [logicalName(name, 'Doorbell')]: doorbell(letters, workerSecondsMax),
    [letters]: deadLetters(),
    [logicalName(name, 'DeadLettersAlarm')]: deadLettersAlarm(letters, name),
  };
}
