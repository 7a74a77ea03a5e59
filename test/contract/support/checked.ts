import type { CheckedPermission } from '#destinations/contract.ts';

/** Rejects with the first failure of a check. */
export async function failing(check: Promise<readonly CheckedPermission[]>): Promise<readonly CheckedPermission[]> {
  const checked = await check;
  for (const one of checked) if (one.outcome === 'failed') throw one.failure;
  return checked;
}
