import { auth } from './auth.ts';
import { identity } from './identity.ts';
import { mfa } from './mfa.ts';
import { notices } from './notices.ts';
import { secrets } from './secrets.ts';
import { states } from './states.ts';
import { sync } from './sync.ts';
import { system } from './system.ts';
import { tokens } from './tokens.ts';
import { workspaces } from './workspaces.ts';
import type { Filling } from './world.ts';

/**
 * Each table of the schema is filled by one of these, in this order. Fill a new table in the file of its area, and add its name to the
 * list of tables there.
 */
export const fillings: readonly Filling[] = [
  secrets,
  auth,
  identity,
  mfa,
  tokens,
  system,
  sync,
  notices,
  workspaces,
  states,
];
