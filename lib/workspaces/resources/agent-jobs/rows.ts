import { badRequest } from '#path/jsonapi/error.ts';
import { flag, whole } from '#path/jsonapi/fields.ts';
import { bytesBody, document } from '#path/jsonapi/input.ts';
import { readBy } from '#path/jsonapi/query.ts';
import type { ApiReply, ApiRow, DocumentReply } from '#path/jsonapi/row.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { assessmentFields, splitReport } from '../assessment-runs/counted.ts';
import { outcomeFields } from '../plans-and-applies/report.ts';
import { runIdOf } from '../run-lifecycle/store.ts';
import { blobBytesMax } from '../state-blobs/parts.ts';
import { blobReply } from '../state-blobs/read.ts';
import type { Board } from './board.ts';
import { jobIdOf, materialOf } from './material.ts';
import { nextJob, takerOf, waitMsOf, waitSecondsMax } from './poll.ts';
import type { TakenJob } from './take.ts';
import { extendLease, finishJob, type PlanFile, readPlanFile, writeLog, writePlanFile } from './work.ts';

const job = '/api/v2/agent-jobs/:job_id';
/** An agent sends a longer log piece by piece. */
const logPieceBytesMax = 1024 * 1024;

/** What agents ask for: work, and what belongs to it. */
export const agentJobRows = (parts: WorkspaceParts, board: Board): readonly ApiRow[] => [
  takeRow(parts, board),
  ...workRows(parts),
  ...fileRows(parts),
  ...readerRows(parts),
];

const takeRow = (parts: WorkspaceParts, board: Board): ApiRow =>
  operation({
    method: 'POST',
    path: '/api/v2/agents/:agent_id/actions/take',
    summary: 'Take the next job of the pool, waiting for one if there is none',
    needs: { caller: 'agents' },
    body: document({ attributes: { 'wait-seconds': whole(0, waitSecondsMax), padded }, optional: true }),
    replies: { 200: 'agent-jobs', 204: null },
    async run({ caller, parameters, body: { attributes }, signal, mayPad }) {
      const taker = takerOf(caller, parameters.agent_id);
      const isPadded = mayPad && attributes.padded === true;
      const waitMs = waitMsOf(attributes['wait-seconds'], { isPadded, limitMs: parts.waitMsMax });
      const reply = nextJob(parts, board, taker, { waitMs, signal, isPadded }).then(takenReply);
      return isPadded ? { awaited: reply } : reply;
    },
  });

const padded = flag().describe(
  'The request may wait for ten minutes. Meanwhile the reply has the status 200 and begins with white space. Its document then has `data`, which is null when there was no job, or `errors`',
);

function takenReply(taken: TakenJob | undefined): DocumentReply | undefined {
  if (taken === undefined) return undefined;
  const { runId, part, token } = taken;
  const attributes = { 'run-id': runId, part, token: token.reveal() };
  return { data: { id: jobIdOf({ id: runId, part }), type: 'agent-jobs', attributes } };
}

const workRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: job,
    summary: 'Read what a job needs: settings, variables with their values, the address of the state',
    needs: { job: 'work' },
    replies: { 200: 'agent-jobs' },
    run: async ({ found, origin }) => ({ data: await materialOf(parts, found, origin) }),
  }),
  operation({
    method: 'POST',
    path: `${job}/actions/extend`,
    summary: 'Extend the lease of a job',
    needs: { job: 'work' },
    replies: { 200: 'agent-jobs' },
    run: ({ found }) => extendLease(parts, found),
  }),
  operation({
    method: 'POST',
    path: `${job}/actions/finish`,
    summary: 'Report the outcome of a job, which ends its token',
    needs: { job: 'work' },
    body: document({ attributes: { ...outcomeFields, ...assessmentFields } }),
    replies: { 204: null },
    run: ({ found, body }) => finishJob(parts, found, splitReport(body.attributes)),
  }),
];

const fileRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: `${job}/log`,
    summary: 'Append to the log of a job',
    needs: { job: 'work' },
    streamBytesMax: logPieceBytesMax,
    query: { offset },
    body: bytesBody,
    replies: { 200: 'agent-jobs', 409: 'Bytes in front of the offset are missing', 413: 'The log is too long' },
    run: async ({ found, query, stream }) =>
      writeLog(parts, found, { offset: query.offset, bytes: await bytesIn(stream) }),
  }),
  operation({
    method: 'POST',
    path: `${job}/plan-file`,
    summary: 'Store the plan for the apply',
    needs: { job: 'work' },
    streamBytesMax: blobBytesMax,
    body: bytesBody,
    replies: { 200: 'agent-jobs' },
    run: ({ found, stream }) => writePlanFile(parts, found, 'plan_file_id', stream),
  }),
  operation({
    method: 'POST',
    path: `${job}/plan-json`,
    summary: 'Store the JSON form of the plan',
    needs: { job: 'work' },
    streamBytesMax: blobBytesMax,
    body: bytesBody,
    replies: { 200: 'agent-jobs' },
    run: ({ found, stream }) => writePlanFile(parts, found, 'plan_json_id', stream),
  }),
  operation({
    method: 'POST',
    path: `${job}/plan-redacted`,
    summary: 'Store the JSON form of the plan that shows no sensitive value',
    needs: { job: 'work' },
    streamBytesMax: blobBytesMax,
    body: bytesBody,
    replies: { 200: 'agent-jobs' },
    run: ({ found, stream }) => writePlanFile(parts, found, 'plan_redacted_id', stream),
  }),
  operation({
    method: 'GET',
    path: `${job}/plan-file`,
    summary: 'Read the plan to apply',
    needs: { job: 'work' },
    replies: { 200: { mediaType: 'application/octet-stream' } },
    run: ({ found }) => readPlanFile(parts.store, found.id, 'plan_file_id'),
  }),
  operation({
    method: 'GET',
    path: `${job}/configuration`,
    summary: 'Download the archive of the configuration of a job',
    needs: { job: 'work' },
    replies: { 200: { mediaType: 'application/octet-stream' } },
    run: async ({ found }) => configurationOf(parts, found.id),
  }),
];

/** The JSON form of a plan holds values of sensitive variables, so it takes the right to administer the workspace. */
const readerRows = ({ store }: WorkspaceParts): readonly ApiRow[] =>
  (
    [
      ['json-output', 'Read the JSON form of a plan', 'plan_json_id', 'read-plan-json'],
      [
        'json-output-redacted',
        'Read the JSON form of a plan without its sensitive values',
        'plan_redacted_id',
        'read-runs',
      ],
    ] as const
  ).flatMap(([name, summary, column, right]) => {
    const common = {
      method: 'GET',
      needs: { workspace: right },
      replies: { 200: { mediaType: 'application/json' } },
    } as const;
    return [
      operation({
        ...common,
        path: `/api/v2/plans/:plan_id/${name}`,
        summary,
        run: ({ parameters }) => planJson(store, runIdOf(parameters.plan_id), column),
      }),
      operation({
        ...common,
        path: `/api/v2/runs/:run_id/plan/${name}`,
        summary: `${summary}, by the id of the run`,
        run: ({ parameters }) => planJson(store, parameters.run_id, column),
      }),
    ];
  });

const planJson = async (store: WorkspaceParts['store'], runId: string, column: PlanFile): Promise<ApiReply> => ({
  ...(await readPlanFile(store, runId, column)),
  contentType: 'application/json',
});

async function configurationOf({ store }: WorkspaceParts, runId: string): Promise<ApiReply> {
  const { rows } = await rowsOf({ blob_id: nullable(text) })`
    select c.blob_id from ws_runs r join ws_configuration_versions c on c.id = r.configuration_version_id
     where r.id = ${runId}`.execute(store.db);
  return blobReply(store, rows[0]?.blob_id ?? null);
}

/** Where the bytes of a request belong in the log. Absent: the request only asks for the size. */
const offset = readBy([{ name: 'offset', schema: { type: 'integer', minimum: 0 } }], (query) => {
  const sent = query.get('offset');
  if (sent === null) return undefined;
  if (!/^\d{1,12}$/.test(sent)) throw badRequest('offset must be a number of bytes');
  return Number(sent);
});

async function bytesIn(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
