import type { Clock } from '../../core/clock.ts';
import { badRequest, permissionDenied } from '../../core/errors.ts';
import { bool, duration, integer, text, textList, textMap } from '../../path/fields.ts';
import { type Caller, type Engine, operation, type Reply, type RequestContext } from '../../path/row.ts';
import type { Store } from '../../store/store.ts';
import { mintToken } from './mint.ts';
import { findTokens, hashToken, revokeTree, type TokenRow } from './store.ts';

/** 32 days, in seconds: the system's default and longest lease (the API family's own). */
export const systemTtlMax = 2_764_800;

export interface TokenParts {
  readonly store: Store;
  readonly clock: Clock;
}

const createFields = {
  policies: textList().optional().meta({ description: 'Policies of the token; default: those of the caller' }),
  meta: textMap().optional().meta({ description: 'Names and values that are passed to audit devices' }),
  no_parent: bool().default(false).meta({ description: 'The token is not revoked with the caller; needs root' }),
  no_default_policy: bool().default(false).meta({ description: 'Leaves the policy default out' }),
  renewable: bool().default(true).meta({ description: 'May be renewed' }),
  ttl: duration().optional().meta({ description: 'Time to live; default: the longest; of a root token: unlimited' }),
  explicit_max_ttl: duration().default(0).meta({ description: 'Fixed cap of the life time' }),
  display_name: text().default('token').meta({ description: 'Name for people' }),
  num_uses: integer().default(0).meta({ description: 'How often it may be used; 0: unlimited' }),
  period: duration().default(0).meta({ description: 'Makes the token periodic; needs root' }),
  id: text().default('').meta({ description: 'Own token instead of a random one; needs root', sensitive: true }),
};

/** The engine at `auth/token/`. */
export function tokenEngine(parts: TokenParts): Engine {
  return {
    type: 'token',
    rows: [
      {
        pattern: 'create',
        help: 'Creates a token.',
        operations: {
          write: operation(createFields, {
            summary: 'Create a token',
            run: (input, context) => create(parts, input, callerOf(context)),
          }),
        },
      },
      {
        pattern: 'lookup-self',
        help: 'Shows the token of the caller.',
        operations: {
          read: operation(
            {},
            { summary: 'Look up the own token', run: (_input, context) => lookup(parts, callerOf(context)) },
          ),
        },
      },
      {
        pattern: 'revoke-self',
        help: 'Revokes the token of the caller with all its children.',
        operations: {
          write: operation(
            {},
            {
              summary: 'Revoke the own token',
              async run(_input, context) {
                await revokeTree(parts.store, hashToken(parts.store.barrier, callerOf(context).tokenId));
                return undefined;
              },
            },
          ),
        },
      },
    ],
  };
}

type CreateInput = Parameters<typeof create>[1];

async function create(
  parts: TokenParts,
  input: {
    readonly policies?: readonly string[] | undefined;
    readonly meta?: Readonly<Record<string, string>> | undefined;
    readonly no_parent: boolean;
    readonly no_default_policy: boolean;
    readonly renewable: boolean;
    readonly ttl?: number | undefined;
    readonly explicit_max_ttl: number;
    readonly display_name: string;
    readonly num_uses: number;
    readonly period: number;
    readonly id: string;
  },
  caller: Caller,
): Promise<Reply> {
  checkRights(input, caller);
  const policies = policiesOf(input, caller);
  const root = policies.includes('root');
  const warnings: string[] = [];
  const auth = await mintToken(parts.store, parts.clock.now(), {
    id: input.id === '' ? undefined : input.id,
    parent: input.no_parent ? null : hashToken(parts.store.barrier, caller.tokenId),
    policies,
    meta: input.meta ?? null,
    displayName:
      input.display_name === 'token' ? 'token' : `token-${input.display_name.replace(/[^A-Za-z0-9-]/g, '-')}`,
    path: 'auth/token/create',
    ttl: ttlOf(input, root, warnings),
    explicitMaxTtl: input.explicit_max_ttl,
    period: input.period,
    numUses: input.num_uses,
    renewable: input.renewable && !(root && input.ttl === undefined),
    orphan: input.no_parent,
  });
  return { auth, warnings };
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

/** Lower-cased, without doubles, sorted; `root` swallows the others. */
function policiesOf(input: CreateInput, caller: Caller): readonly string[] {
  const asked = (input.policies ?? []).map((policy) => policy.toLowerCase());
  const wanted = new Set(asked.length > 0 ? asked : caller.policies);
  if (!caller.root && ![...wanted].every((policy) => policy === 'default' || caller.policies.includes(policy))) {
    throw badRequest('child policies must be subset of parent');
  }
  if (wanted.has('root')) return ['root'];
  if (input.no_default_policy) wanted.delete('default');
  else wanted.add('default');
  return [...wanted].sort();
}

function ttlOf(input: CreateInput, root: boolean, warnings: string[]): number {
  const asked = input.period > 0 ? input.period : input.ttl;
  if (root && asked === undefined) return 0;
  const cap = input.explicit_max_ttl > 0 ? Math.min(input.explicit_max_ttl, systemTtlMax) : systemTtlMax;
  const ttl = asked === undefined || asked === 0 ? cap : asked;
  if (ttl > cap)
    warnings.push(`TTL of "${ttl}s" exceeded the effective max_ttl of "${cap}s"; TTL value is capped accordingly`);
  return Math.min(ttl, cap);
}

async function lookup(parts: TokenParts, caller: Caller): Promise<Reply> {
  const [row] = await findTokens(parts.store, [hashToken(parts.store.barrier, caller.tokenId)]);
  if (row === undefined) throw permissionDenied();
  return { data: tokenView(row, caller.tokenId, parts.clock.now()) };
}

/** A token as look-ups show it (specification 2.3). */
function tokenView(row: TokenRow, id: string, now: Date): object {
  const leased =
    row.expire_at === null ? {} : { renewable: row.renewable, issue_time: row.creation_time.toISOString() };
  return {
    id,
    accessor: row.accessor,
    policies: row.policies,
    path: row.path,
    meta: row.meta,
    display_name: row.display_name,
    num_uses: row.num_uses,
    orphan: row.orphan,
    creation_time: Math.floor(row.creation_time.getTime() / 1_000),
    creation_ttl: row.creation_ttl,
    expire_time: row.expire_at?.toISOString() ?? null,
    ttl: row.expire_at === null ? 0 : Math.max(0, Math.floor((row.expire_at.getTime() - now.getTime()) / 1_000)),
    explicit_max_ttl: row.explicit_max_ttl,
    entity_id: row.entity_id,
    type: row.type,
    ...(row.period > 0 ? { period: row.period } : {}),
    ...leased,
  };
}

function callerOf(context: RequestContext): Caller {
  if (context.caller === undefined) throw permissionDenied();
  return context.caller;
}
