export const usualUniverse = 'googleapis.com';

/**
 * Credentials name the cloud (universe) that they are for, and the SDK goes by it. Another one than the public one is taken
 * only where `endpoint` is in it: who pastes a key does not choose by that where assertions signed with it go. Undefined: fine.
 * The provider's own clients demand the same: https://google.aip.dev/auth/4110, "universe domain".
 */
export function universeProblem(universe: string | undefined, endpoint: string | undefined): string | undefined {
  if (universe === undefined || universe === usualUniverse) return undefined;
  const host = endpoint === undefined ? undefined : URL.parse(endpoint)?.hostname;
  if (host !== undefined && (host === universe || host.endsWith(`.${universe}`))) return undefined;
  return `their universe_domain is not ${usualUniverse}: set endpoint to the address of the service in that universe (https://secretmanager.<universe_domain>)`;
}
