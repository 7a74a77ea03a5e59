import { z } from 'zod';
import { badRequest } from '../../core/errors.ts';
import { bool, duration, type Input, integer, text, textList, textMap } from '../../path/fields.ts';
import { systemLeases } from '../../path/lease-times.ts';
import type { Caller, Reply } from '../../path/row.ts';
import type { Identity } from '../methods/contract.ts';
import { missingPolicies } from '../policy/store/snapshot.ts';
import { issueToken } from './issue.ts';
import type { TokenParts } from './parts.ts';
import { policySet } from './policies.ts';
import { findTokens, hashToken, type TokenRow } from './store.ts';

/** Where PostgreSQL's `integer` ends. */
const storedMax = 2_147_483_647;
const stored = z.int().max(storedMax, `expected a number of at most ${storedMax}`);

/** Specification, section 4.1.1. */
export const createFields = {
  policies: textList().optional().meta({ description: 'Policies of the token; default: those of the caller' }),
  meta: textMap().optional().meta({ description: 'Names and values that are passed to audit devices' }),
  no_parent: bool().default(false).meta({ description: 'The token is not revoked with the caller; needs root' }),
  no_default_policy: bool().default(false).meta({ description: 'Leaves the policy default out' }),
  renewable: bool().default(true).meta({ description: 'May be renewed' }),
  ttl: duration().default(0).meta({ description: 'Time to live; 0: the longest; of a root token: unlimited' }),
  lease: duration().default(0).meta({ description: 'Old name of ttl, which wins' }),
  explicit_max_ttl: duration().pipe(stored).default(0).meta({ description: 'Fixed cap of the life time' }),
  display_name: text().default('').meta({ description: 'Name for people' }),
  num_uses: integer().pipe(stored).default(0).meta({ description: 'How often it may be used; 0: unlimited' }),
  period: duration().pipe(stored).default(0).meta({ description: 'Makes the token periodic; needs root' }),
  id: text().default('').meta({ description: 'Own token instead of a random one; needs root', sensitive: true }),
  type: text().default('').meta({ description: '"service", which is also the default' }),
  role_name: text().default('').meta({ description: 'Name of a token role; there are none' }),
  entity_alias: text().default('').meta({ description: 'Works only with a token role' }),
};

type CreateInput = Input<typeof createFields>;

/** Creates a child of the caller's token. @throws AppError `bad-request` with the rule that was broken, `already-exists` */
export async function createToken(parts: TokenParts, input: CreateInput, caller: Caller): Promise<Reply> {
  checkKind(input);
  checkRights(input, caller);
  const identity = identityOf(input, caller);
  const parent = await parentOf(parts, caller);
  const { auth, warnings } = await issueToken(parts, identity, {
    path: 'auth/token/create',
    parent: { hash: parent.hash, expires: parent.expire_at !== null },
    orphan: input.no_parent,
    id: input.id === '' ? undefined : input.id,
    leases: systemLeases,
  });
  const unknown = await missingPolicies(parts.store, auth.policies);
  return {
    auth,
    warnings: [
      ...warnings,
      ...(input.id === '' ? [] : [ownId]),
      ...unknown.map((policy) => `Policy ${JSON.stringify(policy)} does not exist`),
    ],
  };
}

const identityOf = (input: CreateInput, caller: Caller): Identity => ({
  displayName: displayNameOf(input),
  alias: '',
  policies: wantedPolicies(input, caller),
  metadata: input.meta ?? null,
  bounds: {
    ttl: input.ttl || input.lease,
    maxTtl: 0,
    explicitMaxTtl: input.explicit_max_ttl,
    period: input.period,
    numUses: input.num_uses,
    renewable: input.renewable,
    noDefaultPolicy: input.no_default_policy,
  },
});

const ownId =
  'Supplying a custom ID for the token makes it as easy to guess as that ID. Leave the ID out for a random token.';

/** What is not there must not be left out silently: the token would be another than the one that was asked for. */
function checkKind({ type, role_name, entity_alias }: CreateInput): void {
  if (type === 'batch') throw badRequest('batch tokens are not supported: leave type out, or send "service"');
  if (type !== '' && type !== 'service') throw badRequest("invalid 'token_type' value");
  if (role_name !== '') throw badRequest(`unknown role ${role_name}`);
  if (entity_alias !== '') throw badRequest("'entity_alias' is only allowed in combination with token role");
}

function checkRights(input: CreateInput, caller: Caller): void {
  if (input.num_uses < 0) throw badRequest('number of uses cannot be negative');
  if (input.id.startsWith('hvs.') || input.id.startsWith('s.') || input.id.includes('.')) {
    throw badRequest("custom token ID cannot have a '.' in the value");
  }
  if (caller.root) return;
  if (input.id !== '') throw badRequest('root or sudo privileges required to specify token id');
  if (input.no_parent) throw badRequest('root or sudo privileges required to create orphan token');
  if (input.period > 0) throw badRequest('root or sudo privileges required to create periodic token');
}

/** The caller's token. The last use of one leaves no row to find. */
async function parentOf({ store }: TokenParts, caller: Caller): Promise<TokenRow> {
  const [parent] = await findTokens(store, [hashToken(store.barrier, caller.token)]);
  if (parent !== undefined && parent.num_uses === 0) return parent;
  throw badRequest('restricted use token cannot generate child tokens');
}

/** Those that are asked for, else the caller's. Blank names are none, but something was asked for. */
function wantedPolicies({ policies = [] }: CreateInput, caller: Caller): readonly string[] {
  const wanted = policySet(policies.length > 0 ? policies : caller.policies);
  if (!caller.root && !wanted.every((policy) => policy === 'default' || caller.policies.includes(policy))) {
    throw badRequest('child policies must be subset of parent');
  }
  return wanted;
}

function displayNameOf({ display_name }: CreateInput): string {
  return `token-${display_name.replace(/[^A-Za-z0-9-]/g, '-')}`.replace(/-$/, '');
}
