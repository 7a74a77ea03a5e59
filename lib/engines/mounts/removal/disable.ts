import { beginMountRemoval } from './begin.ts';
import { type RemovalParts, removeWhile } from './remove.ts';

/** For so long the request that disables a mount removes its content. The sweep removes what is left then, in milliseconds. */
const requestMsMax = 1_000;

/**
 * Disables a mount: its path leads nowhere from the first commit on. Its content goes in this call as far as its time goes, and
 * the rest by the sweep. Answers warnings.
 */
export async function disableMount(
  parts: RemovalParts,
  namespaceId: string,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(requestMsMax)]);
  const mount = await parts.store.transaction((tx) => beginMountRemoval(tx, namespaceId, path));
  if (mount === undefined) return [];
  const { state, warnings } = await removeWhile(parts, mount, inTime);
  return state === 'gone' ? warnings : [...warnings, goesOn];
}

const goesOn =
  'the mount is disabled; its content is being removed in the background: sys/removals shows it until that has ended';
