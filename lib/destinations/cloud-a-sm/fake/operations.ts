import type { Account } from './account.ts';
import { deleteSecret, restoreSecret } from './deletion.ts';
import {
  describeSecret,
  listSecrets,
  removeRegionsFromReplication,
  replicateSecretToRegions,
  tagResource,
  untagResource,
} from './metadata.ts';
import { createSecret, getSecretValue, putSecretValue, updateSecret } from './values.ts';

type Operation = (account: Account, body: unknown) => object;

export const operations: ReadonlyMap<string, Operation> = new Map([
  ['CreateSecret', createSecret],
  ['PutSecretValue', putSecretValue],
  ['UpdateSecret', updateSecret],
  ['GetSecretValue', getSecretValue],
  ['DescribeSecret', describeSecret],
  ['ListSecrets', listSecrets],
  ['TagResource', tagResource],
  ['UntagResource', untagResource],
  ['ReplicateSecretToRegions', replicateSecretToRegions],
  ['RemoveRegionsFromReplication', removeRegionsFromReplication],
  ['DeleteSecret', deleteSecret],
  ['RestoreSecret', restoreSecret],
]);

export const writes = (operation: string): boolean => !/^(Get|Describe|List|AssumeRole)/.test(operation);
