import { badRequest } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { AnyReply, WrapInfo } from '#path/contract/reply.ts';
import { hidden, shownPath } from '#path/shown-path.ts';
import { status } from '../../server/failure.ts';
import { systemMount } from '../engines.ts';
import { envelope } from '../envelope.ts';
import type { Exchange, Outcome } from '../exchange.ts';
import type { Stage } from '../stage.ts';
import { secretsOf } from './resolve-target.ts';

/** Stores a reply and creates the token that fetches it. */
export type KeepReply = (reply: {
  readonly namespace: Namespace;
  readonly text: string;
  readonly path: string;
  readonly seconds: number;
  readonly wrappedAccessor: string | undefined;
}) => Promise<WrapInfo>;

/**
 * Wraps replies when the client requests it. Errors and answers without a body are not wrapped: they contain nothing to hide, and
 * the client must see them.
 */
export const wrapStages = (keep: KeepReply): readonly Stage[] => [
  { at: 'audit-request', before: mustBeKeepable },
  { at: 'wrap', concerns: wantsWrapping, after: (exchange, outcome) => wrapped(keep, exchange, outcome) },
];

const wantsWrapping = ({ asked }: Exchange): boolean => asked.wrapSeconds !== undefined;

/** The reply of an operation that works while sealed, such as an initialisation with its keys, cannot be stored. */
function mustBeKeepable({ asked, always }: Exchange): void {
  if (asked.wrapSeconds === undefined || always === undefined || asked.verb !== 'write') return;
  throw badRequest('the reply of this path cannot be wrapped');
}

async function wrapped(keep: KeepReply, exchange: Exchange, outcome: Outcome): Promise<Outcome> {
  const { wrapSeconds, help, verb, path } = exchange.asked;
  if (wrapSeconds === undefined || help || exchange.always !== undefined) return outcome;
  if ('error' in outcome || outcome.reply === undefined || !isWrappable(outcome.reply)) return outcome;
  const { reply } = outcome;
  const warnings = [
    ...(exchange.parsed?.ok === true ? [...exchange.parsed.ignored, ...exchange.parsed.warnings] : []),
    ...(exchange.context?.warnings ?? []),
  ];
  const mount = exchange.context?.mount ?? systemMount;
  const { body } = envelope(reply, { requestId: exchange.incoming.requestId, verb, mount, warnings });
  if (body === undefined) return outcome;
  const text = typeof body === 'string' ? body : Buffer.concat(body).toString();
  const wrappedAccessor = reply.auth?.accessor ?? reply.secretAccessor;
  const { namespace, target } = exchange;
  const shown = shownPath(path, secretsOf(path, target), hidden);
  const wrapInfo = await keep({ namespace, text, path: shown, seconds: wrapSeconds, wrappedAccessor });
  exchange.context?.warnings.splice(0);
  return { reply: { wrapInfo } };
}

function isWrappable({ wrapInfo, status: own = status.ok, text }: NonNullable<AnyReply>): boolean {
  if (text !== undefined && text.contentType !== 'application/json')
    throw badRequest('this reply cannot be wrapped: it is not JSON');
  return wrapInfo === undefined && own < 400;
}
