import { type RawBuilder, sql } from 'kysely';
import { invalidAttribute, notFound } from '#path/jsonapi/error.ts';
import { notBlank, text } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsRunCommentsTable } from '#store/tables/runs.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { commentsMax } from '../run-lifecycle/store.ts';
import { addComment, commentCharactersMax } from './write.ts';

const ofRun = '/api/v2/runs/:run_id/comments';
const fields = { body: text(commentCharactersMax).min(1, notBlank) };

/** Comments on runs. Every caller who may read a run may comment on it. */
export const commentRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofRun,
    summary: 'List the comments on a run',
    needs: { workspace: 'read-runs' },
    query: { page: paged() },
    replies: { 200: ['comments'] },
    async run({ parameters, query: { page } }) {
      const rows = await commentsWhere(store, sql`run_id = ${parameters.run_id}`);
      const shown = rows.slice(page.offset, page.offset + page.size);
      return { data: shown.map(commentOf), page: pageInfo(page, rows.length) };
    },
  }),
  operation({
    method: 'POST',
    path: ofRun,
    summary: 'Add a comment to a run',
    needs: { workspace: 'read-runs' },
    body: document({ type: 'comments', attributes: fields }),
    replies: { 201: 'comments' },
    async run({ found, parameters, body, caller }) {
      const { body: sent } = body.attributes;
      if (sent === undefined) throw invalidAttribute('body', "Body can't be blank");
      let id = '';
      const run = { id: parameters.run_id, workspace_id: found.workspace.id };
      await changeRun({ store }, run, async (tx) => {
        id = await addComment(tx, run.id, sent, caller);
      });
      return { status: 201, data: commentOf(await readComment(store, id)) };
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v2/comments/:comment_id',
    summary: 'Read a comment on a run',
    needs: { workspace: 'read-runs' },
    replies: { 200: 'comments' },
    run: async ({ parameters }) => ({ data: commentOf(await readComment(store, parameters.comment_id)) }),
  }),
];

type Db = Pick<Store, 'db'>;

type CommentRow = RowOf<typeof commentColumns>;

const commentColumns = pick(wsRunCommentsTable, 'id', 'run_id', 'event_id', 'body', 'created_at');

/** The number of comments on a run is limited, so one statement reads them all. */
async function commentsWhere({ db }: Db, condition: RawBuilder<unknown>): Promise<readonly CommentRow[]> {
  const { rows } = await rowsOf(commentColumns)`
    select id, run_id, event_id, body, created_at from ws_run_comments where ${condition}
     order by position limit ${commentsMax}`.execute(db);
  return rows;
}

async function readComment(store: Db, id: string): Promise<CommentRow> {
  const [comment] = await commentsWhere(store, sql`id = ${id}`);
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
