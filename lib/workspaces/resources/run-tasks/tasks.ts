import { sql } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { ask, isAccepted, type TaskService } from './ask.ts';
import { mustBeWebhook, type taskFields } from './fields.ts';
import { keyName, shownTask, type TaskRow, taskColumns, taskOf } from './view.ts';

type Db = Pick<Store, 'db'>;

/** A task in a request, and the address under which the client knows this service: callbacks go there. */
export interface SentTask {
  readonly attributes: Attributes<typeof taskFields>;
  readonly origin: string;
}

/** Run tasks of one organization. */
export const tasksMax = 100;
const taken = { ws_organization_tasks_organization_id_name_key: 'name' };

export async function listTasks({ db }: Db, { organization }: Standing, page: Page): Promise<DocumentReply> {
  const { rows } = await rowsOf(taskColumns)`
    select ${shownTask} from ws_organization_tasks t join ws_organizations o on o.id = t.organization_id
     where t.organization_id = ${organization.id} order by t.name limit ${page.size} offset ${page.offset}`.execute(db);
  const { rows: counted } = await rowsOf({ total: int })`
    select count(*)::int as total from ws_organization_tasks where organization_id = ${organization.id}`.execute(db);
  return { data: rows.map(taskOf), page: pageInfo(page, counted[0]?.total ?? 0) };
}

/** @throws ApiError 404 */
export async function readTask({ db }: Db, id: string): Promise<TaskRow> {
  const { rows } = await rowsOf(taskColumns)`
    select ${shownTask} from ws_organization_tasks t join ws_organizations o on o.id = t.organization_id where t.id = ${id}`.execute(
    db,
  );
  return rows[0] ?? missing();
}

function missing(): never {
  throw notFound();
}

/** Creates a task whose service accepts a test request, and returns its id. @throws ApiError 422 */
export async function createTask(
  parts: WorkspaceParts,
  { organization }: Standing,
  { attributes: sent, origin }: SentTask,
): Promise<string> {
  const { name, url, category } = sent;
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  if (url === undefined) throw invalidAttribute('url', "Url can't be blank");
  if (category === undefined) throw invalidAttribute('category', "Category can't be blank");
  const id = newId('task');
  const key = sealed(parts, id, sent['hmac-key']);
  await verify(parts, { id, url, hmac_key: key }, organization.name);
  const made = sql`
    insert into ws_organization_tasks (id, organization_id, name, url, description, hmac_key, enabled, origin)
    select ${id}, ${organization.id}, ${name}, ${url}, ${sent.description ?? ''}, ${key}, ${sent.enabled ?? true}, ${origin}
     where (select count(*) from ws_organization_tasks where organization_id = ${organization.id}) < ${tasksMax}`;
  const { numAffectedRows } = await withRefusals(taken, () =>
    parts.store.transaction(async (tx) => {
      // Others that count the tasks wait until this one is stored.
      await sql`select 1 from ws_organizations where id = ${organization.id} for no key update`.execute(tx);
      return made.execute(tx);
    }),
  );
  if (numAffectedRows === 0n) throw unprocessable(`An organization may have at most ${tasksMax} run tasks.`);
  return id;
}

/** A stored key signs requests to its own service only. @throws ApiError 404, 422 */
export async function updateTask(
  parts: WorkspaceParts,
  before: TaskRow,
  { attributes: sent, origin }: SentTask,
): Promise<void> {
  const { id } = before;
  const { name = before.name, url = before.url, 'hmac-key': sentKey } = sent;
  const isMoved = url !== before.url;
  const key = sentKey !== undefined ? sealed(parts, id, sentKey) : isMoved ? null : before.hmac_key;
  if (isMoved || sentKey !== undefined) await verify(parts, { id, url, hmac_key: key }, before.organization_name);
  const changed = sql`
    update ws_organization_tasks set name = ${name}, url = ${url}, description = ${sent.description ?? before.description},
           hmac_key = ${key}, enabled = ${sent.enabled ?? before.enabled}, origin = ${origin} where id = ${id}`;
  const { numAffectedRows } = await withRefusals(taken, () => changed.execute(parts.store.db));
  if (numAffectedRows === 0n) throw notFound();
}

const sealed = ({ store }: WorkspaceParts, id: string, key: string | null | undefined): Buffer | null =>
  key === undefined || key === null || key === '' ? null : store.barrier.seal(key, keyName(id));

/** @throws ApiError 422 unless the service accepts a test request */
async function verify(parts: WorkspaceParts, service: TaskService, organization: string): Promise<void> {
  mustBeWebhook(service.url);
  const status = await ask(parts.store, parts, service, {
    payload_version: 1,
    access_token: 'test-token',
    stage: 'test',
    is_speculative: false,
    task_result_callback_url: '',
    organization_name: organization,
  });
  if (!isAccepted(status))
    throw invalidAttribute('url', `Url did not accept a test request (${status ?? 'no answer'})`);
}
