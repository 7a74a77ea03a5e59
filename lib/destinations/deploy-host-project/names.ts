import type { NameRule } from '../contract.ts';
import { nameProblem } from '../frame/rules/fit.ts';

const lengthMax = 256;

/**
 * Names that functions of a deployment get from their runtime, so a variable of that name is refused.
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
  text:
    '1 to 256 characters of A-Z a-z 0-9 _, not starting with a digit; other characters become _, and a leading digit ' +
    'gets a _ before it; names of the runtime (TZ, AWS_LAMBDA_..., VERCEL_...) are reserved',
  normalise: (name) => name.replaceAll(/[^A-Za-z0-9_]/gu, '_').replace(/^(?=\d)/, '_'),
  refuse,
  key: (name) => name,
};

function refuse(name: string): string | undefined {
  const rule = 'a name takes A-Z a-z 0-9 _ and does not start with a digit';
  const problem = nameProblem(name, lengthMax, /^[A-Za-z_][A-Za-z0-9_]*$/, rule);
  return problem ?? (isReserved(name) ? 'the name is reserved for the runtime of deployments' : undefined);
}

// The host sets VERCEL_* itself; one that is set by hand is shadowed or steers the build.
const isReserved = (name: string): boolean => reserved.has(name) || name === 'VERCEL' || name.startsWith('VERCEL_');
