import type { Gatekeeper, Need } from '../../auth/contract.ts';
import { AppError, permissionDenied } from '../../core/errors.ts';
import type { Parsed } from '../../path/parse.ts';
import type { Caller, RequestContext } from '../../path/row.ts';
import type { Match } from '../../path/table.ts';
import { capabilityOf } from './context.ts';
import type { HttpParts } from './parts.ts';
import type { Asked, AskedHead } from './request.ts';
import type { Target } from './target.ts';

/**
 * The caller. An operation that needs no token still learns who calls, but not one that must answer in any state: it
 * may not wait for the store.
 *
 * @throws AppError `permission-denied` when a token is needed and none that is valid came.
 */
export async function identify(
  parts: HttpParts,
  asked: AskedHead,
  target: Target | undefined,
): Promise<Caller | undefined> {
  const marks = asked.help ? undefined : target?.match?.operation?.marks;
  const open = marks?.unauthenticated === true;
  const always = marks?.whileSealed === true;
  const ready = parts.state() === 'ready';
  if (always && (open || !ready)) return undefined;
  const caller = asked.token === undefined ? undefined : await parts.gatekeeper.authenticate(asked.token);
  if (caller === undefined && !open) throw new AppError('permission-denied', 'permission denied');
  return caller;
}

/** @throws AppError `permission-denied` unless the caller may do what was asked, whether the path is there or not. */
export async function authorise(
  gatekeeper: Gatekeeper,
  asked: Asked,
  target: Target | undefined,
  parsed: Parsed | undefined,
  context: RequestContext,
): Promise<void> {
  const marks = target?.match?.operation?.marks;
  const { caller } = context;
  // Without a caller `identify` has let pass only what needs none.
  if (marks?.unauthenticated === true || caller === undefined) return;
  const capability = await capabilityFor(asked, target?.match, parsed, context, caller);
  const { path, data: parameters, wrapSeconds } = asked;
  const need = { capability, path, sudo: marks?.sudo === true, parameters, wrapSeconds };
  const decision = await gatekeeper.authorise(caller, need);
  if (!decision.allowed) throw permissionDenied();
}

/** A write is create or update as the row says; root may do both, so for root nobody looks. */
async function capabilityFor(
  asked: Asked,
  match: Match | undefined,
  parsed: Parsed | undefined,
  context: RequestContext,
  caller: Caller,
): Promise<Need['capability']> {
  const exists = match?.row.exists;
  if (asked.verb !== 'write' || match === undefined || exists === undefined || caller.root)
    return capabilityOf(asked.verb);
  const known = parsed?.ok === true ? parsed.input : { ...asked.data, ...match.parameters };
  return (await exists(known, context)) ? 'update' : 'create';
}
