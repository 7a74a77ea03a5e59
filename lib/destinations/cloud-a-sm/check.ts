import type { Permission } from '../frame/verb/check.ts';
import type { Client } from './client.ts';
import type { Connection } from './fields/fields.ts';
import { look } from './look/look.ts';

/**
 * What the policy of the credentials has to allow (docs/destinations/cloud-a-sm.md). The service answers a call without
 * permission in the same way whether or not the secret exists, so a name that does not exist is enough.
 */
export const permissionsOf = (client: Client, connection: Connection): readonly Permission[] => [
  { name: 'secretsmanager:DescribeSecret', test: (name, signal) => look(client, name, signal) },
  ...['CreateSecret', 'PutSecretValue', 'TagResource', 'UntagResource', 'DeleteSecret', 'RestoreSecret'].map(writing),
  ...(connection.kms_key_id === undefined ? [] : [writing('UpdateSecret'), { name: 'kms:GenerateDataKey' }]),
  ...(connection.kms_key_id === undefined ? [] : [{ name: 'kms:Decrypt' }]),
  ...(connection.replica_regions === undefined
    ? []
    : ['ReplicateSecretToRegions', 'RemoveRegionsFromReplication'].map(writing)),
];

const writing = (action: string): Permission => ({ name: `secretsmanager:${action}` });
