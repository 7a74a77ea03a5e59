import type { Transaction } from 'kysely';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { attempt, notPassed, notPassedText, type Proof } from '../codes/attempt.ts';
import type { GivenCode } from '../codes/header.ts';
import { codeFor } from '../codes/path.ts';
import { spend } from '../codes/spend.ts';
import type { EnforcedMethod, Enforcement } from '../enforcements/store.ts';

/** One enforcement of a login, which needs a code of any of its methods. */
export type Constraint = Pick<Enforcement, 'name' | 'methods'>;

/**
 * Checks the codes of a login. Each constraint needs one correct code. No code is used up yet.
 *
 * @throws AppError `permission-denied` with the first constraint that is not satisfied
 */
export async function satisfy(
  store: Pick<Store, 'db' | 'barrier'>,
  entityId: string,
  constraints: readonly Constraint[],
  given: readonly GivenCode[],
): Promise<readonly Proof[]> {
  // A method of two constraints is checked once, since a second check would count as a second attempt.
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
    if (problem !== undefined) throw notSatisfied(name, problem);
  }
  return [...proofs.values()];
}

/**
 * Uses up the codes of a login. A code that was used before is refused like an incorrect one.
 *
 * @throws AppError `permission-denied`, which has to roll back the transaction
 */
export async function spendFor(
  tx: Transaction<Database>,
  entityId: string,
  [constraint]: readonly Constraint[],
  proofs: readonly Proof[],
): Promise<void> {
  if (!(await spend(tx, entityId, proofs))) throw notSatisfied(constraint?.name ?? '', notPassedText);
}

const notSatisfied = (name: string, problem: string) =>
  notPassed(`failed to satisfy enforcement ${name}. error: ${problem}`);
