import type { DestinationDefinition, Listed } from '#destinations/contract.ts';
import { isSameObject } from '#destinations/frame/rules/found.ts';
import type { Foreign } from './found.ts';
import type { Holding } from './holdings.ts';

type Rules = Pick<DestinationDefinition, 'markless' | 'isSameVersion' | 'isSameObject' | 'listing'>;

/**
 * What a listed object is to us; undefined when it is ours.
 *
 * @param here the record of this destination for its name
 * @param isElsewhere whether another destination of this installation holds it
 */
export function judgeListed(
  rules: Rules,
  listed: Listed,
  here: Holding | undefined,
  isElsewhere: boolean,
): Foreign | undefined {
  if (isElsewhere || (here !== undefined && isOurs(rules, listed, here))) return undefined;
  return {
    name: listed.name,
    origin: listed.mark === null ? 'other' : 'left-behind',
    version: listed.remoteVersion,
    changed_at: listed.changedAt?.toISOString() ?? null,
    tag_names: Object.keys(listed.tags ?? {}),
    in_place_of: here === undefined || here.removed ? null : here.association,
  };
}

/** By its mark. Where the mark was removed, a written object is ours if its version shows it. */
function isOurs(rules: Rules, { mark, remoteVersion }: Listed, here: Holding): boolean {
  if (rules.markless === true) return here.written;
  if (mark !== null) return mark === here.mark;
  return here.written && isSameObject(rules, here.remoteVersion, remoteVersion);
}

/** Whether only a look can show whose object it is: its mark was removed, and the list shows no version. */
export const needsLook = ({ markless, listing }: Rules, { mark }: Listed, here: Holding | undefined): boolean =>
  markless !== true && listing !== 'versions' && mark === null && here?.written === true;
