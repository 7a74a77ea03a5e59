import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { meets, wishes } from './filter.ts';
import { evaluationsWhere, outcomesWhere } from './store.ts';
import { evaluationOf, outcomeOf } from './view.ts';

const one = '/api/v2/policy-evaluations/:policy_evaluation_id';
const needs = { workspace: 'read-runs' } as const;

/** What policies say of the plans of runs. */
export const policyEvaluationRows = ({ store: { db } }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/task-stages/:task_stage_id/policy-evaluations',
    summary: 'List the policy evaluations of a stage of a run',
    needs,
    query: { page: paged() },
    replies: { 200: ['policy-evaluations'] },
    async run({ parameters, query: { page } }) {
      const rows = await evaluationsWhere(db, sql`e.stage_id = ${parameters.task_stage_id}`);
      const shown = rows.slice(page.offset, page.offset + page.size);
      return { data: shown.map(evaluationOf), page: pageInfo(page, rows.length) };
    },
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a policy evaluation',
    needs,
    replies: { 200: 'policy-evaluations' },
    async run({ parameters }) {
      const [row] = await evaluationsWhere(db, sql`e.id = ${parameters.policy_evaluation_id}`);
      if (row === undefined) throw notFound();
      return { data: evaluationOf(row) };
    },
  }),
  operation({
    method: 'GET',
    path: `${one}/policy-set-outcomes`,
    summary: 'List what the policy sets of an evaluation say',
    needs,
    query: { page: paged(), wishes },
    replies: { 200: ['policy-set-outcomes'] },
    async run({ parameters, query: { page, wishes: wanted } }) {
      const rows = await outcomesWhere(db, sql`u.evaluation_id = ${parameters.policy_evaluation_id}`);
      const met = rows.filter((row) => meets(row, wanted));
      const shown = met.slice(page.offset, page.offset + page.size);
      return { data: shown.map(outcomeOf), page: pageInfo(page, met.length) };
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v2/policy-set-outcomes/:policy_set_outcome_id',
    summary: 'Read what a policy set says of a plan',
    needs,
    replies: { 200: 'policy-set-outcomes' },
    async run({ parameters }) {
      const [row] = await outcomesWhere(db, sql`u.id = ${parameters.policy_set_outcome_id}`);
      if (row === undefined) throw notFound();
      return { data: outcomeOf(row) };
    },
  }),
];
