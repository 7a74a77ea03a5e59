import { permissionDenied } from '#core/errors.ts';
import type { AnyReply } from '#path/contract/reply.ts';
import { helpOf } from '#path/documents/help.ts';
import { noParameters } from '#path/input/parameters.ts';
import { noRoute, UnsupportedPath } from '../../wire/refusals.ts';
import type { Exchange } from '../exchange.ts';
import type { V1Parts } from '../parts.ts';

/**
 * Any valid token may read the help of a path. For a path without help, only callers with read access learn that.
 *
 * @throws AppError `permission-denied`
 */
export async function authoriseHelp(
  { gatekeeper, typeNames }: Pick<V1Parts, 'gatekeeper' | 'typeNames'>,
  exchange: Exchange,
): Promise<void> {
  const { asked, target, caller } = exchange;
  const at = asked.path.replace(/\/$/, '');
  exchange.help = target && helpOf(typeNames, target.engine.table.rows, target.path, at, asked.vocabulary);
  if (exchange.help !== undefined) return;
  if (caller === undefined) throw permissionDenied();
  const path = exchange.namespace.path + asked.path;
  const need = { capability: 'read', path, sudo: false, parameters: noParameters, wrapSeconds: undefined } as const;
  exchange.decision = await gatekeeper.authorise(caller, need);
  if (!exchange.decision.allowed) throw permissionDenied();
}

/** @throws AppError `not-found`, `unsupported-path` when there is no help */
export function helpReply({ asked, target, help }: Exchange): AnyReply {
  if (help !== undefined) return { body: help };
  if (target === undefined) throw noRoute(asked);
  throw new UnsupportedPath(target.engine.unsupportedPathWarning?.(asked.verb));
}
