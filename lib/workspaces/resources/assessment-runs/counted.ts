import { sql, type Transaction } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { whole } from '#path/jsonapi/fields.ts';
import type { Database } from '#store/tables.ts';
import type { outcomeFields } from '../plans-and-applies/report.ts';

const count = () => whole(0, 1_000_000_000);

/** What an agent counts in an assessment, in addition to the outcome of a plan. */
export const assessmentFields = {
  'resources-drifted': count(),
  'resources-undrifted': count(),
  'checks-passed': count(),
  'checks-failed': count(),
  'checks-errored': count(),
  'checks-unknown': count(),
};

export type Counted = { readonly [K in keyof typeof assessmentFields]?: number | undefined };

type Sent = Attributes<typeof outcomeFields & typeof assessmentFields>;

/** Splits the report on a job into the outcome of its part, and what only assessments count. */
export function splitReport({ 'resources-drifted': drifted, 'resources-undrifted': undrifted, ...sent }: Sent) {
  const { 'checks-passed': passed, 'checks-failed': failed, ...others } = sent;
  const { 'checks-errored': errored, 'checks-unknown': unknown, ...attributes } = others;
  const counted: Counted = {
    'resources-drifted': drifted,
    'resources-undrifted': undrifted,
    'checks-passed': passed,
    'checks-failed': failed,
    'checks-errored': errored,
    'checks-unknown': unknown,
  };
  return { attributes, counted };
}

/** Stores what an agent has counted, before the run of the assessment ends. For other runs there is nothing to store. */
export async function recordCounts(
  tx: Transaction<Database>,
  runId: string,
  counted: Counted,
  hasChanges: boolean,
): Promise<void> {
  const drifted = counted['resources-drifted'] ?? 0;
  await sql`
    update ws_assessments set drifted = ${hasChanges || drifted > 0}, resources_drifted = ${drifted},
           resources_undrifted = ${counted['resources-undrifted'] ?? 0}, checks_passed = ${counted['checks-passed'] ?? 0},
           checks_failed = ${counted['checks-failed'] ?? 0}, checks_errored = ${counted['checks-errored'] ?? 0},
           checks_unknown = ${counted['checks-unknown'] ?? 0}
     where run_id = ${runId} and succeeded is null`.execute(tx);
}
