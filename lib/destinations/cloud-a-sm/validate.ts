import { type Problem, problemOf } from '#core/problem.ts';
import type { FieldRelation } from '../contract.ts';
import type { Connection } from './fields/fields.ts';

export const relations: readonly FieldRelation[] = [
  { kind: 'together', fields: ['access_key_id', 'secret_access_key'] },
  { kind: 'only-with', fields: ['external_id'], field: 'role_arn' },
];

/** Rules over several fields of a connection. */
export function validate(connection: Connection): readonly Problem[] {
  return [...credentialProblems(connection), ...keyProblems(connection)];
}

function credentialProblems(connection: Connection): readonly Problem[] {
  const { access_key_id, secret_access_key, role_arn, external_id } = connection;
  const problems: Problem[] = [];
  if ((access_key_id === undefined) !== (secret_access_key === undefined)) {
    const rule = 'set both access_key_id and secret_access_key, or neither to use the credentials of the environment';
    problems.push(problemOf(['access_key_id', 'secret_access_key'], rule));
  }
  if (external_id !== undefined && role_arn === undefined) {
    problems.push(
      problemOf(['external_id', 'role_arn'], 'external_id is set without role_arn: it is used only to assume a role'),
    );
  }
  return problems;
}

/** A KMS key works only in its own region. Ids and aliases do not show their region. */
function keyProblems({ region, kms_key_id, replica_regions = {} }: Connection): readonly Problem[] {
  const problems: Problem[] = [];
  if (kms_key_id !== undefined && region !== undefined && isElsewhere(kms_key_id, region)) {
    const rule = `kms_key_id is not a key of ${region}: a secret needs a key of its own region`;
    problems.push(problemOf('kms_key_id', rule));
  }
  for (const [replica, key] of Object.entries(replica_regions)) {
    if (replica === region) problems.push(replicaProblem(`contains ${replica}, which is the region of the secrets`));
    if (isElsewhere(key, replica)) {
      const rule = `the key of ${replica} in replica_regions is of another region: a replica needs a key of its own region`;
      problems.push(problemOf('replica_regions', rule));
    }
  }
  return problems;
}

const replicaProblem = (text: string): Problem => problemOf('replica_regions', `replica_regions ${text}`);

function isElsewhere(key: string, region: string): boolean {
  const [arn, , service, keyRegion] = key.split(':');
  return arn === 'arn' && service === 'kms' && keyRegion !== region;
}
