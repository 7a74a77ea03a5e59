import { badField } from '#core/errors.ts';
import { policySet } from '../../policy/names.ts';
import { matchesGlob } from '../roles/glob.ts';
import type { TokenRole } from '../roles/role.ts';

/** What determines the policies of a new token. */
export interface PolicyChoice {
  /** The requested policies. Blank names are dropped, but count as a request. */
  readonly asked: readonly string[];
  /** The request or the role leaves `default` out. */
  readonly noDefault: boolean;
  readonly parent: readonly string[];
  /** The caller has the root policy, or the sudo capability on the path. */
  readonly privileged: boolean;
  readonly role: TokenRole | undefined;
}

/** Policies that clients cannot assign. */
const internal = ['response-wrapping'];

/**
 * All policies of a new token, with `default` where it is added.
 *
 * @throws AppError `bad-request` when the caller may not assign them
 */
export function choosePolicies(choice: PolicyChoice): readonly string[] {
  const { role, parent } = choice;
  const chosen = role !== undefined && namesPolicies(role) ? byRole(choice, role) : byParent(choice);
  const reserved = chosen.find((policy) => internal.includes(policy));
  if (reserved !== undefined) throw badField('policies', `cannot assign policy ${JSON.stringify(reserved)}`);
  if (chosen.includes('root') && !parent.includes('root')) {
    throw badField('policies', 'root tokens may not be created without parent token being root');
  }
  return chosen;
}

/** Only a role that allows policies replaces those of the caller. Disallowed policies only take away. */
const namesPolicies = ({ allowed_policies, allowed_policies_glob }: TokenRole): boolean =>
  allowed_policies.length + allowed_policies_glob.length > 0;

function byParent({ asked, noDefault, parent, privileged, role }: PolicyChoice): readonly string[] {
  const addDefault = !noDefault && !(role !== undefined && isDisallowed('default', role));
  const wanted = asked.length > 0 ? policySet(asked) : without(!addDefault, policySet(parent));
  mustNotBeDisallowed(wanted, role);
  if (asked.length === 0) return wanted;
  if (privileged) return withDefault(addDefault, wanted);
  if (!parent.includes('root') && !wanted.every((policy) => parent.includes(policy))) {
    throw badField('policies', 'child policies must be subset of parent');
  }
  return withDefault(addDefault && parent.includes('default'), wanted);
}

function byRole({ asked, noDefault }: PolicyChoice, role: TokenRole): readonly string[] {
  const addDefault = !noDefault && !isDisallowed('default', role);
  const allowed = withDefault(addDefault, policySet(role.allowed_policies));
  // Without a request, `default` is left out silently where it is not wanted. Globs do not name policies.
  const wanted = asked.length > 0 ? policySet(asked) : without(!addDefault, allowed);
  if (asked.length > 0) mustBeAllowed(wanted, allowed, role);
  mustNotBeDisallowed(wanted, role);
  return withDefault(addDefault, without(noDefault, wanted));
}

function mustNotBeDisallowed(wanted: readonly string[], role: TokenRole | undefined): void {
  const refused = role && wanted.find((policy) => isDisallowed(policy, role));
  if (refused !== undefined)
    throw badField('policies', `token policy ${JSON.stringify(refused)} is disallowed by this role`);
}

const isDisallowed = (policy: string, { disallowed_policies, disallowed_policies_glob }: TokenRole): boolean =>
  disallowed_policies.includes(policy) || disallowed_policies_glob.some((glob) => matchesGlob(glob, policy));

function mustBeAllowed(wanted: readonly string[], allowed: readonly string[], role: TokenRole): void {
  const fits = (policy: string): boolean =>
    allowed.includes(policy) || role.allowed_policies_glob.some((glob) => matchesGlob(glob, policy));
  if (wanted.every(fits)) return;
  throw badField(
    'policies',
    `token policies (${shown(wanted)}) must be subset of the role's allowed policies (${shown(allowed)}) or glob policies (${shown(role.allowed_policies_glob)})`,
  );
}

const withDefault = (add: boolean, names: readonly string[]): readonly string[] =>
  add ? policySet([...names, 'default']) : names;

const without = (leaveOut: boolean, names: readonly string[]): readonly string[] =>
  leaveOut ? names.filter((name) => name !== 'default') : names;

const shown = (names: readonly string[]): string => `[${names.map((name) => JSON.stringify(name)).join(' ')}]`;
