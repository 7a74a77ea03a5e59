import type { Permission } from '../frame/verb/check.ts';
import type { Client } from './client/client.ts';
import type { Connection } from './fields/fields.ts';
import { listDenied, readDenied } from './look/look.ts';

/**
 * What the role or the access policy has to grant. Each has the name of the data action, which a role grants, and that of access
 * policies: https://learn.microsoft.com/azure/role-based-access-control/permissions/security#microsoftkeyvault
 */
export const permissionsOf = (client: Client, { purge_on_delete }: Connection): readonly Permission[] => [
  { name: named('readMetadata/action', 'list'), test: (name, signal) => listDenied(client, name, signal) },
  // No secret has the name of the check, so no value is read.
  { name: named('getSecret/action', 'get'), test: (name, signal) => readDenied(client, name, signal) },
  { name: named('setSecret/action', 'set') },
  { name: named('delete', 'delete') },
  { name: named('recover/action', 'recover') },
  ...(purge_on_delete ? [{ name: named('purge/action', 'purge') }] : []),
];

const named = (action: string, inPolicy: string): string =>
  `Microsoft.KeyVault/vaults/secrets/${action} (access policy: ${inPolicy})`;
