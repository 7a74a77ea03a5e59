import { ConfigError } from '../../core/config.ts';
import type { KeyServiceSettings } from '../contract.ts';

const region = /^[a-z]{2,}(-[a-z0-9]+)+$/;

/** An ARN names its region. @throws ConfigError */
export function regionOf({ keyId, region: configured }: KeyServiceSettings): string {
  const found = /^arn:[^:]+:kms:([^:]+):/.exec(keyId)?.[1] ?? configured;
  if (found !== undefined && region.test(found)) return found;
  throw new ConfigError(
    'KEYFERRY_SEAL_REGION is not set: it is the region of the key, unless KEYFERRY_SEAL_KEY_ID is an ARN or AWS_REGION is set',
  );
}

/** Partitions with another domain than these two are reached by KEYFERRY_SEAL_ENDPOINT. */
export const endpointOf = ({ endpoint }: KeyServiceSettings, region: string): string =>
  endpoint ?? `https://kms.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
