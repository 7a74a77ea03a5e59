import type { Caller, RequestContext } from '#path/contract/request.ts';
import type { Store } from '#store/store.ts';
import { methodsNamed } from '../methods/store.ts';
import { attempt, notPassed, type Proof } from './attempt.ts';
import { codesOfHeader, type GivenCode } from './header.ts';
import { spend } from './spend.ts';

/** Checks the codes of a request against all of these methods. @throws AppError `permission-denied` */
export type PassMethods = (
  caller: Pick<Caller, 'entityId' | 'namespace'>,
  methods: readonly string[],
  headers: RequestContext['headers'],
) => Promise<void>;

/** A policy rule names its methods in the namespace of the caller. Codes are used up only if all of them are correct. */
export const methodsPasser =
  (store: Store): PassMethods =>
  async ({ entityId, namespace }, names, headers) => {
    const given = codesOfHeader(headers) ?? [];
    const methods = entityId === '' ? [] : await methodsNamed(store, namespace.id, names);
    const wanted = methods.flatMap(({ id, name }) => {
      const code = codeFor(given, { id, name });
      return code === undefined ? [] : [{ methodId: id, code }];
    });
    // A request that cannot succeed does not count as an attempt.
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

/** The code that a client sent for a method, by its id or name. */
export const codeFor = (
  given: readonly GivenCode[],
  { id, name }: { readonly id: string; readonly name: string },
): string | undefined =>
  given.find(({ method }) => method === id || (name !== '' && method === name))?.code || undefined;
