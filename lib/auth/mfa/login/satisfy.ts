import type { Store } from '../../../store/store.ts';
import { attempt, notPassed, notPassedText, type Proof } from '../codes/attempt.ts';
import type { GivenCode } from '../codes/header.ts';
import { codeFor } from '../codes/path.ts';
import type { EnforcedMethod, Enforcement } from '../enforcements/store.ts';

/** What one enforcement wants of a login: a code of any of its methods. */
export type Constraint = Pick<Enforcement, 'name' | 'methods'>;

/**
 * Checks the codes of a login. Each constraint needs one right code; nothing is used up yet.
 *
 * @throws AppError `permission-denied` with the first constraint that is not satisfied
 */
export async function satisfy(
  store: Pick<Store, 'db' | 'barrier'>,
  entityId: string,
  constraints: readonly Constraint[],
  given: readonly GivenCode[],
): Promise<readonly Proof[]> {
  // A method that two constraints name is asked once: a second attempt would be counted.
  const results = new Map<string, Promise<Proof | string>>();
  const resultOf = ({ id, code }: EnforcedMethod & { readonly code: string }) => {
    const known = results.get(id) ?? attempt(store, entityId, { methodId: id, code });
    results.set(id, known);
    return known;
  };
  const proofs = new Map<string, Proof>();
  for (const { name, methods } of constraints) {
    let problem: string | undefined = notPassedText;
    for (const method of methods) {
      const code = codeFor(given, method);
      if (code === undefined || problem === undefined) continue;
      const result = await resultOf({ ...method, code });
      problem = typeof result === 'string' ? result : undefined;
      if (typeof result !== 'string') proofs.set(method.id, result);
    }
    if (problem !== undefined) throw notPassed(`failed to satisfy enforcement ${name}. error: ${problem}`);
  }
  return [...proofs.values()];
}
