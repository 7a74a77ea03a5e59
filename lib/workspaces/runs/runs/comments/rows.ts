import { type RawBuilder, sql } from 'kysely';
import { attributesOf } from '../../../../path/jsonapi/body.ts';
import { invalidAttribute, notFound } from '../../../../path/jsonapi/error.ts';
import { text } from '../../../../path/jsonapi/fields.ts';
import { pageOf, told } from '../../../../path/jsonapi/page.ts';
import { type Resource, timeText, toOne } from '../../../../path/jsonapi/resource.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../../path/jsonapi/row.ts';
import { runLevels } from '../../../access/levels.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { changeRun } from '../actions.ts';
import { commentsMax, findRun } from '../store.ts';
import { addComment, commentCharactersMax } from './write.ts';

const ofRun = '/api/v2/runs/:run_id/comments';

/** What people say of a run. Those who may read the run may comment on it. */
export const commentRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  { method: 'GET', path: ofRun, summary: 'Comments on a run', run: (call) => list(parts, call) },
  { method: 'POST', path: ofRun, summary: 'Adds a comment to a run', run: (call) => create(parts, call) },
  {
    method: 'GET',
    path: '/api/v2/comments/:comment_id',
    summary: 'A comment on a run',
    run: (call) => show(parts, call),
  },
];

const fields = { body: text(commentCharactersMax).min(1, "can't be blank") };

interface CommentRow {
  readonly id: string;
  readonly run_id: string;
  readonly event_id: string;
  readonly body: string;
  readonly created_at: Date;
}

const found = ({ store }: WorkspaceParts, { caller }: ApiCall, runId: string) =>
  findRun(store, caller, runId, runLevels.read);

/** A run has few. */
async function commentsWhere(
  { store }: WorkspaceParts,
  condition: RawBuilder<unknown>,
): Promise<readonly CommentRow[]> {
  const { rows } = await sql<CommentRow>`
    select id, run_id, event_id, body, created_at from ws_run_comments where ${condition}
     order by position limit ${commentsMax}`.execute(store.db);
  return rows;
}

async function list(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const page = pageOf(call.query);
  const { run } = await found(parts, call, call.parameters['run_id'] ?? '');
  const rows = await commentsWhere(parts, sql`run_id = ${run.id}`);
  return { data: rows.slice(page.offset, page.offset + page.size).map(commentOf), page: told(page, rows.length) };
}

async function create(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { run } = await found(parts, call, call.parameters['run_id'] ?? '');
  const { body } = attributesOf(call, 'comments', fields);
  if (body === undefined) throw invalidAttribute('body', "Body can't be blank");
  let id = '';
  await changeRun(parts, run, async (tx) => {
    id = await addComment(tx, run.id, body, call.caller);
  });
  return { status: 201, data: commentOf(await readComment(parts, id)) };
}

async function show(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const comment = await readComment(parts, call.parameters['comment_id'] ?? '');
  await found(parts, call, comment.run_id);
  return { data: commentOf(comment) };
}

async function readComment(parts: WorkspaceParts, id: string): Promise<CommentRow> {
  const [comment] = await commentsWhere(parts, sql`id = ${id}`);
  if (comment === undefined) throw notFound();
  return comment;
}

const commentOf = (row: CommentRow): Resource => ({
  id: row.id,
  type: 'comments',
  attributes: { body: row.body, 'created-at': timeText(row.created_at) },
  relationships: {
    run: toOne('runs', row.run_id),
    'run-event': { ...toOne('run-events', row.event_id), links: { related: `/api/v2/run-events/${row.event_id}` } },
  },
  links: { self: `/api/v2/comments/${row.id}` },
});
