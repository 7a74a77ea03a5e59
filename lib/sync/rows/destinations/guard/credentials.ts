import { badField } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { refusePath } from '#destinations/frame/named-file.ts';
import { withDefaults } from '#sync/drivers/connection.ts';
import { namesWith } from '../../fields/forms.ts';
import { missingCredentials } from '../../fields/mask.ts';
import type { DestinationValues } from '../store.ts';
import { widenedAccess } from './network.ts';

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
  throw badField(
    names.flatMap((name) => name.match(/\w+/g) ?? []).filter((word) => Object.hasOwn(definition.fields, word)),
    `${names.join(', ')} cannot be changed once the destination exists: create another destination instead`,
  );
}

/**
 * Credentials are write-only. A caller that redirects the calls of a destination, or widens their network access, has to prove
 * that it knows the credentials that would be sent there: such a request has to contain all sensitive values.
 *
 * @param request as received, before masks are replaced by stored values
 * @throws AppError `bad-request` naming the changed fields and those that have to be sent
 */
export function requireCredentials(
  definition: DestinationDefinition,
  before: Guarded,
  after: Guarded,
  request: Given,
): void {
  const missing = missingCredentials(definition, after.connection, request);
  const changed = [...rerouted(definition, before, after), ...widenedAccess(before.network, after.network)];
  if (missing.length === 0 || changed.length === 0) return;
  const what = `${changed.join(', ')}: a change of where a destination's calls go, or of what they may reach,`;
  throw badField(
    missing,
    `${what} needs its credentials in the same request, not masked: send ${missing.join(', ')} as well`,
  );
}

/** @throws AppError `bad-request` when a field names a file that workers would not read */
export function checkNamedFiles(definition: DestinationDefinition, request: Given, folder: string | undefined): void {
  for (const name of namesWith(definition.fields, 'namesFile')) {
    const value = request[name];
    const refusal = typeof value === 'string' && value.startsWith('@') ? refusePath(folder, value.slice(1)) : undefined;
    if (refusal !== undefined) throw badField(name, `invalid ${name}: ${refusal}`);
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
