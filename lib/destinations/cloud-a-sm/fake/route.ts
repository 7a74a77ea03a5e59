import { type Account, expire } from './account.ts';
import { type Answer, json, type Protocol, Refused, refusal } from './answer.ts';
import { deleteSecret, restoreSecret } from './deletion.ts';
import { denied } from './faults.ts';
import {
  describeSecret,
  listSecrets,
  removeRegionsFromReplication,
  replicateSecretToRegions,
  tagResource,
  untagResource,
} from './metadata.ts';
import { authenticate, type Signed } from './signature.ts';
import { sts } from './sts.ts';
import { createSecret, getSecretValue, putSecretValue, updateSecret } from './values.ts';

/** A request that was understood; `answer` carries it out. */
export interface Routed {
  readonly operation: string;
  readonly protocol: Protocol;
  readonly writes: boolean;
  answer(): Answer;
}

/** Requests with a target header are for Secrets Manager; all others are for STS. */
export function route(account: Account, signed: Signed): Routed {
  const target = /^secretsmanager\.(\w+)$/.exec(signed.headers['x-amz-target'] ?? '')?.[1];
  const form = new URLSearchParams(signed.body.toString());
  const operation = target ?? form.get('Action') ?? 'unknown';
  const protocol = target === undefined ? 'query' : 'json';
  const run = () => (target === undefined ? stsAnswer(account, signed, form) : secretsAnswer(account, signed, target));
  return { operation, protocol, writes: writes(operation), answer: () => orRefusal(protocol, run) };
}

function secretsAnswer(account: Account, signed: Signed, operation: string): Answer {
  const run = operations.get(operation);
  if (run === undefined) throw new Refused('UnknownOperationException', '');
  authenticate(account, signed, 'secretsmanager');
  if (account.denied.has(operation)) throw denied('json', operation);
  expire(account);
  return json(run(account, parseBody(signed.body)));
}

function stsAnswer(account: Account, signed: Signed, form: URLSearchParams): Answer {
  return sts(account, authenticate(account, signed, 'sts'), form);
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new Refused('SerializationException', 'The body is not JSON');
  }
}

function orRefusal(protocol: Protocol, run: () => Answer): Answer {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refused) return refusal(protocol, error);
    throw error;
  }
}

type Operation = (account: Account, body: unknown) => object;

const operations: ReadonlyMap<string, Operation> = new Map([
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

const writes = (operation: string): boolean => !/^(Get|Describe|List|AssumeRole)/.test(operation);
