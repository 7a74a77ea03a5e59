import { uuid } from '#core/ids.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { claimsOf, type Workload } from './claims.ts';

/** A variable of a run with its value. */
interface EnvironmentVariable {
  readonly key: string;
  readonly value: string;
  readonly category: string;
}

/** Tokens of one plan or apply; the first by the names of their variables. */
const tokensMax = 50;

const audienceName = /^TFC_WORKLOAD_IDENTITY_AUDIENCE(|_[A-Za-z0-9_]{1,64})$/;

/**
 * Signs a token for each audience that the environment variables of a run name: `TFC_WORKLOAD_IDENTITY_AUDIENCE` gives
 * `TFC_WORKLOAD_IDENTITY_TOKEN`, and one with a tag gives the one with this tag.
 *
 * @returns environment variables of the run
 */
export async function identityTokens(
  { workloadTokens, clock }: Pick<WorkspaceParts, 'workloadTokens' | 'clock'>,
  variables: readonly EnvironmentVariable[],
  { workload, issuer }: { readonly workload: Workload; readonly issuer: string },
): Promise<readonly { readonly key: string; readonly value: string }[]> {
  const asked = variables.flatMap(({ key, value, category }) => {
    const [, tag] = audienceName.exec(key) ?? [];
    return category !== 'env' || tag === undefined || value === '' ? [] : [{ tag, audience: value }];
  });
  const first = asked.toSorted((one, other) => (one.tag < other.tag ? -1 : 1)).slice(0, tokensMax);
  return Promise.all(
    first.map(async ({ tag, audience }) => {
      const claims = claimsOf(workload, { id: uuid(), issuer, audience, at: clock.now() });
      return { key: `TFC_WORKLOAD_IDENTITY_TOKEN${tag}`, value: await workloadTokens.sign(claims) };
    }),
  );
}
