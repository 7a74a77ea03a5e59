import type { AuditedOperation, AuditedOutcome, AuditedRequest, Auditor, Recording } from '#audit/contract.ts';
import { rootNamespace } from '#core/namespace.ts';
import type { Exchange, Outcome } from '../exchange.ts';
import type { Stage } from '../stage.ts';
import { secretsOf } from './resolve-target.ts';

/**
 * Records every request before it runs, and its outcome before it is answered. A request that cannot be recorded does not run,
 * and an outcome that cannot be recorded is not sent.
 */
export function auditStages(auditor: Auditor): readonly Stage[] {
  const recorded = new WeakMap<Exchange, Recording>();
  return [
    {
      at: 'audit-request',
      before(exchange) {
        return auditor.idle || !isAudited(exchange) ? undefined : begin(exchange);
      },
    },
    {
      at: 'audit-reply',
      concerns: (exchange) => isAudited(exchange) && (!auditor.idle || recorded.has(exchange)),
      async after(exchange, outcome) {
        const recording = recorded.get(exchange);
        if (recording !== undefined) await recording.end(outcomeOf(exchange, outcome));
        else if ('error' in outcome) await auditor.refused(requestOf(exchange), outcome.error);
        return outcome;
      },
    },
  ];

  async function begin(exchange: Exchange): Promise<void> {
    const recording = await auditor.begin(requestOf(exchange));
    if (recording !== undefined) recorded.set(exchange, recording);
  }
}

/** Health checks and unsealing clients call these constantly, some of them while there is no key. */
const notAudited = new Set(['sys/health', 'sys/init', 'sys/leader', 'sys/seal-status', 'sys/unseal']);

const isAudited = ({ always, asked }: Exchange): boolean => always === undefined || !notAudited.has(asked.path);

function requestOf({ asked, incoming, target, context, caller, decision, creates, data }: Exchange): AuditedRequest {
  return {
    id: incoming.requestId,
    operation: asked.help ? 'help' : creates === true ? 'create' : operations[asked.verb],
    path: asked.path,
    secrets: secretsOf(asked.path, target),
    namespace: context?.namespace ?? rootNamespace,
    mount: target?.mount,
    data,
    token: asked.token,
    caller,
    decision,
    connection: incoming.connection,
    headers: incoming.headers,
    wrapSeconds: asked.wrapSeconds,
  };
}

/** Whether a write creates something is known only when the decision depended on it. */
const operations = {
  read: 'read',
  list: 'list',
  write: 'update',
  patch: 'patch',
  delete: 'delete',
} as const satisfies Record<string, AuditedOperation>;

function outcomeOf({ parsed, context }: Exchange, outcome: Outcome): AuditedOutcome {
  if ('error' in outcome) return outcome;
  const warnings = [
    ...(parsed?.ok === true ? [...parsed.ignored, ...parsed.warnings] : []),
    ...(context?.warnings ?? []),
  ];
  return { reply: outcome.reply, warnings: [...warnings, ...(outcome.reply?.warnings ?? [])] };
}
