import type { Permission } from '../frame/verb/check.ts';
import type { Client } from './client/client.ts';
import type { Target } from './fields/target.ts';

/** What the token needs for the target. The host answers 404 for a target that the token may not see. */
export const permissionsOf = (client: Client, { rightNames }: Target): readonly Permission[] => [
  { name: rightNames.read, test: (_name, signal) => client.page(1, signal) },
  { name: rightNames.write },
];
