import type { Decision, Gatekeeper, Need } from '#auth/contract.ts';
import { AppError, invalidToken, permissionDenied } from '#core/errors.ts';
import type { Caller } from '#path/contract/request.ts';
import { parametersOf } from '#path/input/parameters.ts';
import { fieldNames } from '../../wire/body/fields.ts';
import type { Target } from '../engines.ts';
import type { Exchange } from '../exchange.ts';
import type { V1Parts } from '../parts.ts';
import { capabilityOf } from '../request/context.ts';
import { bringsBody } from '../request/request.ts';

/**
 * Identifies the caller. An operation that needs no token still gets the caller, unless it must work in any state: such an
 * operation must not wait for the store.
 *
 * @throws AppError `permission-denied` when a token is needed and no valid one was sent
 */
export async function identify(
  parts: V1Parts,
  { asked, incoming }: Pick<Exchange, 'asked' | 'incoming'>,
  target: Target | undefined,
): Promise<Caller | undefined> {
  const marks = asked.help ? undefined : target?.match?.operation?.marks;
  const open = marks?.unauthenticated === true;
  const always = marks?.whileSealed === true;
  const ready = parts.state() === 'ready';
  if (always && (open || !ready)) return undefined;
  if (open && marks?.ignoresToken === true) return undefined;
  if (asked.token === undefined) {
    if (open) return undefined;
    throw new AppError('permission-denied', 'permission denied');
  }
  const purpose = marks?.takesReply?.(target?.path ?? '') === true ? 'take-reply' : undefined;
  const caller = await parts.gatekeeper.authenticate(asked.token, incoming.connection, purpose);
  if (typeof caller !== 'string') return caller;
  if (open) return undefined;
  throw caller === 'invalid' ? invalidToken() : permissionDenied();
}

/** @throws AppError `permission-denied` unless the caller may make the request, whether the path exists or not */
export async function authorise(gatekeeper: Gatekeeper, exchange: Exchange): Promise<void> {
  const { asked, data, target, caller } = exchange;
  const match = target?.match;
  exchange.parsed = match?.operation?.read({
    parameters: match.parameters,
    data,
    vocabulary: asked.vocabulary,
    queryNames: bringsBody(asked.verb) ? fieldNames(asked.query) : [],
  });
  const marks = match?.operation?.marks;
  // `identify` lets a request without a caller pass only when it needs none.
  if (marks?.unauthenticated === true || caller === undefined) return;
  const { wrapSeconds } = asked;
  const path = exchange.namespace.path + asked.path;
  const parameters = () => parametersOf(match?.operation, data);
  const need = { path, sudo: marks?.sudo === true, parameters, wrapSeconds };
  exchange.decision = await decisionOf(gatekeeper, exchange, caller, need);
  if (!exchange.decision.allowed) throw permissionDenied();
  if (exchange.context !== undefined) exchange.context.sudo = exchange.decision.sudo;
}

/**
 * A write is a create or an update, as the row decides. The row is not asked when the decision does not depend on it: for root,
 * for most policies, and for callers who may do neither.
 */
async function decisionOf(
  gatekeeper: Gatekeeper,
  exchange: Exchange,
  caller: Caller,
  need: Omit<Need, 'capability'>,
): Promise<Decision> {
  const { asked, data, target, parsed, context } = exchange;
  const match = target?.match;
  const exists = match?.row.exists;
  const update = await gatekeeper.authorise(caller, { ...need, capability: capabilityOf(asked.verb) });
  if (asked.verb !== 'write' || exists === undefined || caller.root || context === undefined) return update;
  const create = await gatekeeper.authorise(caller, { ...need, capability: 'create' });
  if (update.allowed === create.allowed) return update;
  const known = parsed?.ok === true ? parsed.input : { ...data, ...match?.parameters };
  exchange.creates = !(await exists(known, context));
  return exchange.creates ? create : update;
}
