import { z } from 'zod';
import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { jsonOf, oneOf, textMap } from '#store/sql/kinds.ts';
import { wsPolicyEvaluationsTable, wsPolicyOutcomesTable } from '#store/tables/runs.ts';
import { policyLevels } from '../../frame/policies.ts';

/**
 * An evaluation waits (`pending`), is made (`running`), and ends: no mandatory policy has found anything (`passed`), one has (`failed`), one could
 * not be evaluated (`errored`), or the run ended before (`canceled`). Somebody with the right may override a failure (`overridden`).
 */
export const evaluationStatuses = [
  'pending',
  'running',
  'passed',
  'failed',
  'errored',
  'overridden',
  'canceled',
] as const;
export type EvaluationStatus = (typeof evaluationStatuses)[number];

/** Policies of an evaluation, or of its part for one set, by their outcome. */
export type Counts = z.infer<typeof counts>;

const counts = z
  .strictObject({
    'advisory-failed': z.number().exactOptional(),
    'mandatory-failed': z.number().exactOptional(),
    passed: z.number().exactOptional(),
    errored: z.number().exactOptional(),
  })
  .readonly();

/** What one policy says, by the names of the API. */
export type Outcome = z.infer<typeof outcome>;

const outcome = z
  .strictObject({
    policy_name: z.string(),
    description: z.string(),
    enforcement_level: z.enum(policyLevels),
    query: z.string(),
    status: z.enum(['passed', 'failed', 'errored']),
    /** What it has found, in words. */
    output: z.array(z.string()).readonly(),
  })
  .readonly();

export type EvaluationRow = RowOf<typeof evaluationColumns>;

export const evaluationColumns = {
  ...wsPolicyEvaluationsTable,
  status: oneOf(...evaluationStatuses),
  counts: jsonOf(counts),
  timestamps: textMap,
};

export type OutcomeRow = RowOf<typeof outcomeColumns>;

export const outcomeColumns = {
  ...wsPolicyOutcomesTable,
  counts: jsonOf(counts),
  outcomes: jsonOf(z.array(outcome).readonly()),
};

export const evaluationOf = ({ id, ...row }: EvaluationRow): Resource => ({
  id,
  type: 'policy-evaluations',
  attributes: {
    status: row.status,
    'policy-kind': 'opa',
    'policy-tool-version': row.tool_version,
    'result-count': { ...noCounts, ...row.counts },
    'status-timestamps': row.timestamps,
    'created-at': timeText(row.created_at),
    'updated-at': timeText(row.updated_at),
  },
  relationships: {
    'policy-attachable': toOne('task-stages', row.stage_id),
    'policy-set-outcomes': { links: { related: `/api/v2/policy-evaluations/${id}/policy-set-outcomes` } },
  },
  links: { self: `/api/v2/policy-evaluations/${id}` },
});

export const outcomeOf = ({ id, ...row }: OutcomeRow): Resource => ({
  id,
  type: 'policy-set-outcomes',
  attributes: {
    outcomes: row.outcomes,
    error: row.error,
    overridable: row.overridable,
    'policy-set-name': row.policy_set_name,
    'policy-set-description': row.policy_set_description,
    'result-count': { ...noCounts, ...row.counts },
  },
  relationships: { 'policy-evaluation': toOne('policy-evaluations', row.evaluation_id) },
  links: { self: `/api/v2/policy-set-outcomes/${id}` },
});

export const noCounts: Counts = { 'advisory-failed': 0, 'mandatory-failed': 0, passed: 0, errored: 0 };

/** The sum of two counts. */
export const added = (one: Counts, other: Counts): Counts => ({
  'advisory-failed': (one['advisory-failed'] ?? 0) + (other['advisory-failed'] ?? 0),
  'mandatory-failed': (one['mandatory-failed'] ?? 0) + (other['mandatory-failed'] ?? 0),
  passed: (one.passed ?? 0) + (other.passed ?? 0),
  errored: (one.errored ?? 0) + (other.errored ?? 0),
});
