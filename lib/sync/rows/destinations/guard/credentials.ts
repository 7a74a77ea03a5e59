import { badRequest } from '../../../../core/errors.ts';
import type { DestinationDefinition } from '../../../../destinations/contract.ts';
import { refusePath } from '../../../../destinations/frame/named-file.ts';
import { withDefaults } from '../../../drivers/connection.ts';
import { namesWith } from '../fields.ts';
import { missingCredentials } from '../mask.ts';
import type { DestinationValues } from '../store.ts';
import { opened } from './network.ts';

type Given = Readonly<Record<string, unknown>>;
type Guarded = Pick<DestinationValues, 'connection' | 'network'>;

/** @throws AppError `bad-request` naming every field that may not change once the destination exists */
export function checkImmutable(definition: DestinationDefinition, before: Given, after: Given): void {
  const [old, fresh] = [withDefaults(definition.fields, before), withDefaults(definition.fields, after)];
  const names = [
    ...differing(namesWith(definition.fields, 'immutable'), old, fresh),
    ...differingKnown(definition.fixed?.(old) ?? {}, definition.fixed?.(fresh) ?? {}),
  ];
  if (names.length === 0) return;
  throw badRequest(
    `${names.join(', ')} cannot be changed once the destination exists: create another destination instead`,
  );
}

/**
 * Credentials are write-only: whoever leads the calls elsewhere, or opens more of the network to them, has to know what goes
 * there. So such a request gives all sensitive values that the destination then has.
 *
 * @param request as it came, before masks stood for stored values
 * @throws AppError `bad-request` naming what changes and what has to be sent
 */
export function mustGiveCredentials(
  definition: DestinationDefinition,
  before: Guarded,
  after: Guarded,
  request: Given,
): void {
  const owed = missingCredentials(definition, after.connection, request);
  const changed = [...rerouted(definition, before, after), ...opened(before.network, after.network)];
  if (owed.length === 0 || changed.length === 0) return;
  const what = `${changed.join(', ')}: a change of where the calls of a destination go, or of what they may reach,`;
  throw badRequest(`${what} needs its credentials in the same request, not masked: send ${owed.join(', ')} as well`);
}

/** @throws AppError `bad-request` when a field names a file that workers would not read */
export function mustNameReadable(definition: DestinationDefinition, request: Given, folder: string | undefined): void {
  for (const name of namesWith(definition.fields, 'namesFile')) {
    const value = request[name];
    const refusal = typeof value === 'string' && value.startsWith('@') ? refusePath(folder, value.slice(1)) : undefined;
    if (refusal !== undefined) throw badRequest(`invalid ${name}: ${refusal}`);
  }
}

function rerouted({ fields }: DestinationDefinition, before: Guarded, after: Guarded): readonly string[] {
  const routes = namesWith(fields, 'routes');
  return differing(routes, withDefaults(fields, before.connection), withDefaults(fields, after.connection));
}

const differing = (names: readonly string[], before: Given, after: Given): readonly string[] =>
  names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));

const differingKnown = (before: Given, after: Given) =>
  differing(
    Object.keys(before).filter((name) => name in after),
    before,
    after,
  );
