import type { FailureKind } from '#destinations/contract.ts';
import type { SyncError } from '../model/finish.ts';

/** What to do about a failed sync, by the kind of its error. A kind that passes without help has none. */
const remedies: Readonly<Partial<Record<FailureKind, string>>> = {
  credentials: 'write new credentials to the destination: this also queues all its associations',
  permission: 'grant the credentials the right that the message names, then replay',
  missing: 'correct the destination, or create what it refers to, then replay',
  name: 'change secret_name_template of the destination, then set the association again',
  'too-large': 'make the secret smaller, or use granularity secret-key',
  conflict: 'remove or rename the other object, or set the association again with adopt',
  quota: "remove objects or raise the provider's quota, then replay",
  invalid: 'check the fields of the destination, then replay',
  blocked: 'allow the address or port by the setting that the message names, then replay',
  network: 'check name resolution, routes and tls_ca_cert; it is tried again by itself until the attempts are used up',
  internal: "read the worker's log of that time, then replay",
  changed: 'plan again and apply the new plan, or replay',
};

/** Undefined when waiting is enough, or when this version does not know the kind. */
export const remedyOf = (kind: string): string | undefined =>
  Object.hasOwn(remedies, kind) ? remedies[kind as FailureKind] : undefined;

/** An error as reads show it. */
export function withRemedy(error: SyncError | null): object | null {
  if (error === null) return null;
  const remedy = remedyOf(error.kind);
  return remedy === undefined ? error : { ...error, remedy };
}
