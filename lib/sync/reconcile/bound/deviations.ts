import type { DestinationDefinition } from '#destinations/contract.ts';
import { isSameVersion } from '#destinations/frame/rules/found.ts';
import type { KeptAction } from '../../model/kept-action.ts';
import type { Planned } from '../plan/planned.ts';

type Rules = Pick<DestinationDefinition, 'isSameVersion'>;

/**
 * How what a sync would do now differs from the plan, as texts; none when it does the same, or has nothing left to do. A later attempt may
 * meet what an earlier one did without recording it, so it does not compare versions and takes a planned creation for an update.
 */
export function deviations(
  rules: Rules,
  kept: readonly KeptAction[],
  now: readonly Planned[],
  isFirst: boolean,
): readonly string[] {
  const open = now.filter(({ action }) => action !== 'leave');
  if (open.length === 0) return [];
  const planned = new Map(kept.map((one) => [one.name, one]));
  const present = new Set(open.map(({ external_name }) => external_name));
  const gone = isFirst ? kept.filter(({ name }) => !present.has(name)) : [];
  return [
    ...open.flatMap((one) => deviation(rules, planned.get(one.external_name), one, isFirst) ?? []),
    ...gone.map(({ name, action }) => `${quoted(name)}: planned ${action}, now nothing to do`),
  ];
}

function deviation(rules: Rules, kept: KeptAction | undefined, now: Planned, isFirst: boolean): string | undefined {
  const name = quoted(now.external_name);
  const does = `${now.action} (${now.reason})`;
  if (kept === undefined) return `${name}: not planned, now ${does}`;
  if (kept.action !== now.action) {
    const isOwnCreation = !isFirst && kept.action === 'create' && now.action === 'update';
    return isOwnCreation ? undefined : `${name}: planned ${kept.action}, now ${does}`;
  }
  if (!isFirst || !kept.looked || !now.looked) return undefined;
  return isSameVersion(rules, kept.version, now.version ?? null) ? undefined : `${name}: it was changed there`;
}

const quoted = (name: string): string => JSON.stringify(name);
