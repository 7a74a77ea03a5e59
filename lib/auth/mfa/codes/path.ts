import type { Caller, RequestContext } from '../../../path/contract/request.ts';
import type { Store } from '../../../store/store.ts';
import { methodsNamed } from '../methods/store.ts';
import { attempt, notPassed, type Proof } from './attempt.ts';
import { codesOfHeader, type GivenCode } from './header.ts';
import { spend } from './spend.ts';

/** Checks that a caller has passed all of these methods with the codes of the request. @throws AppError `permission-denied` */
export type PassMethods = (
  caller: Pick<Caller, 'entityId' | 'namespace'>,
  methods: readonly string[],
  headers: RequestContext['headers'],
) => Promise<void>;

/** The methods of a rule of a policy, by their names in the namespace of the caller. Codes are used up only if all are right. */
export const methodsPasser =
  (store: Store): PassMethods =>
  async ({ entityId, namespace }, names, headers) => {
    const given = codesOfHeader(headers) ?? [];
    const methods = entityId === '' ? [] : await methodsNamed(store, namespace.id, names);
    const wanted = methods.flatMap(({ id, name }) => {
      const code = codeFor(given, { id, name });
      return code === undefined ? [] : [{ methodId: id, code }];
    });
    // Nothing is counted as an attempt that cannot succeed.
    if (wanted.length < new Set(names).size) throw notPassed();
    const proofs: Proof[] = [];
    for (const one of wanted) {
      const proof = await attempt(store, entityId, one);
      if (typeof proof === 'string') throw notPassed(proof);
      proofs.push(proof);
    }
    await store.transaction(async (tx) => {
      if (!(await spend(tx, entityId, proofs))) throw notPassed();
    });
  };

/** The code that was sent for a method by either of its names. */
export const codeFor = (
  given: readonly GivenCode[],
  { id, name }: { readonly id: string; readonly name: string },
): string | undefined =>
  given.find(({ method }) => method === id || (name !== '' && method === name))?.code || undefined;
