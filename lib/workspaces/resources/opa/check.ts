import { notYet, unprocessable } from '#path/jsonapi/error.ts';
import { OpaFailure, openOpa } from './opa.ts';

/** Texts that one process compiles at once: each keeps a processor busy. */
const atOnceMax = 2;
/** How long a text may take. */
const checkMsMax = 30_000;

/** Compiles the text of a policy. @throws ApiError 422 with the line and the reason, 503 */
export type PolicyCheck = (source: string, signal: AbortSignal) => Promise<void>;

/**
 * Compiles texts as an evaluation would, within its limits. Without a program nothing is compiled. It replies 503 while too many texts are compiled, or
 * when the program cannot be used.
 */
export function policyCheck(program: string | undefined): PolicyCheck {
  let underWay = 0;
  return async (source, signal) => {
    if (program === undefined) return;
    if (underWay >= atOnceMax) throw notYet(`${atOnceMax} policies are being compiled: try again`);
    underWay += 1;
    try {
      const problem = await problemOf(program, source, signal);
      if (problem !== undefined) throw unprocessable(`The policy cannot be compiled: ${problem}`);
    } finally {
      underWay -= 1;
    }
  };
}

async function problemOf(program: string, source: string, signal: AbortSignal): Promise<string | undefined> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(checkMsMax)]);
  try {
    const opa = await openOpa(program, deadline);
    try {
      return await opa.compile(source, deadline);
    } finally {
      await opa.close();
    }
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof OpaFailure) throw notYet(`The policy cannot be compiled: ${error.message}`);
    if (deadline.aborted) return `it takes longer than ${checkMsMax / 1_000} seconds`;
    throw error;
  }
}
