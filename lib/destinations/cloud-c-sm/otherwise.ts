import { codeOf } from './failure.ts';

/** The value that stands for the service's code in `answers`; other failures go on. */
export async function otherwise<T, A>(promise: Promise<T>, answers: Readonly<Record<string, A>>): Promise<T | A> {
  try {
    return await promise;
  } catch (error) {
    const code = codeOf(error);
    for (const [known, answer] of Object.entries(answers)) if (known === code) return answer;
    throw error;
  }
}

/** What a call answers that names an etag: https://cloud.google.com/secret-manager/docs/etags, another one is FAILED_PRECONDITION. */
export const changedIf = (etag: string | undefined) => ({
  ABORTED: 'changed' as const,
  ...(etag && { FAILED_PRECONDITION: 'changed' as const }),
});
