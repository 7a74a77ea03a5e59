import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

const lengthMax = 256;
const pattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Names that the runtime of a deployment's functions sets, so the host refuses variables of these names.
 * https://vercel.com/docs/environment-variables/reserved-environment-variables
 */
const reserved: ReadonlySet<string> = new Set([
  'AWS_SECRET_KEY',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'LAMBDA_RUNTIME_DIR',
  'LAMBDA_TASK_ROOT',
  'NOW_REGION',
  'TZ',
]);

export const names: NameRule = {
  lengthMax,
  pattern,
  text:
    '1 to 256 characters of A-Z a-z 0-9 _, not starting with a digit; other characters become _, and _ is added before a ' +
    'leading digit; names of the runtime (TZ, AWS_LAMBDA_..., VERCEL_...) are reserved',
  normalise: (name) => name.replaceAll(/[^A-Za-z0-9_]/gu, '_').replace(/^(?=\d)/, '_'),
  refuse,
  key: (name) => name,
};

function refuse(name: string): string | undefined {
  const rule = 'the name has characters other than A-Z a-z 0-9 _, or starts with a digit';
  const problem = nameProblem(name, lengthMax, pattern, rule);
  return problem ?? (isReserved(name) ? 'the name is reserved for the runtime of deployments' : undefined);
}

// The host sets VERCEL_* itself; a variable of such a name would be shadowed or would change the build.
const isReserved = (name: string): boolean => reserved.has(name) || name === 'VERCEL' || name.startsWith('VERCEL_');
