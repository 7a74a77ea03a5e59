import type { Connection } from './fields.ts';

/** Rules over several fields of a connection. */
export function validate(connection: Connection): readonly string[] {
  return [...credentialProblems(connection), ...keyProblems(connection)];
}

function credentialProblems(connection: Connection): readonly string[] {
  const { access_key_id, secret_access_key, role_arn, external_id } = connection;
  const problems: string[] = [];
  if ((access_key_id === undefined) !== (secret_access_key === undefined)) {
    problems.push('access_key_id and secret_access_key must be set together, or neither to use the environment');
  }
  if (external_id !== undefined && role_arn === undefined) {
    problems.push('external_id is set without role_arn: it is checked when a role is assumed');
  }
  return problems;
}

/** A KMS key serves its own region only. Ids and aliases do not say theirs. */
function keyProblems({ region, kms_key_id, replica_regions = {} }: Connection): readonly string[] {
  const problems: string[] = [];
  if (kms_key_id !== undefined && region !== undefined && isElsewhere(kms_key_id, region)) {
    problems.push(`kms_key_id is a key of another region than ${region}: a secret needs a key of its own region`);
  }
  for (const [replica, key] of Object.entries(replica_regions)) {
    if (replica === region) problems.push(`replica_regions names ${replica}, the region of the secrets themselves`);
    if (isElsewhere(key, replica)) {
      problems.push(`the key of ${replica} in replica_regions is of another region: a replica needs one of its own`);
    }
  }
  return problems;
}

function isElsewhere(key: string, region: string): boolean {
  const [arn, , service, keyRegion] = key.split(':');
  return arn === 'arn' && service === 'kms' && keyRegion !== region;
}
