import { z } from 'zod';
import { crc32c } from '#core/digest/crc32c.ts';
import { type Answer, parseJson, type Question } from '../../frame/fake/rest.ts';
import { invalid, notFound, ok, problem } from './answer.ts';
import { addVersion, newEtag, type Operation, type Project, type StoredSecret } from './project.ts';
import { isKeptWhere, labelsProblem, replicationShape } from './rules.ts';
import { versionBody } from './version-operations.ts';

/** By method and the action after the colon; `all` is the collection. */
export const secretOperations: Readonly<Record<string, Operation>> = {
  'POST all': { name: 'create', writes: true, run: create },
  'GET all': { name: 'list', writes: false, run: list },
  GET: { name: 'get', writes: false, run: get },
  PATCH: { name: 'update', writes: true, run: update },
  DELETE: { name: 'delete', writes: true, run: remove },
  'POST :addVersion': { name: 'addVersion', writes: true, run: add },
};

const payloadBytesMax = 64 * 1024;

const labels = z.record(z.string(), z.string()).default({});
const createShape = z.object({ replication: replicationShape, labels });
const updateShape = z.object({ labels, replication: replicationShape.optional(), etag: z.string().optional() });
/** Paths of the update mask that this stand-in supports. */
const changeable = ['labels', 'replication'];
const addShape = z.object({
  payload: z.object({ data: z.base64(), dataCrc32c: z.union([z.string(), z.number()]).optional() }),
});

function create(project: Project, id: string, { body }: Question): Answer {
  const parsed = createShape.safeParse(parseJson(body));
  if (!parsed.success) return invalid('The replication policy or the labels are not valid.');
  const wrong = labelsProblem(parsed.data.labels);
  if (wrong !== undefined) return invalid(wrong);
  if (project.secrets.has(id)) return problem('ALREADY_EXISTS', `Secret [${nameOf(project, id)}] already exists.`);
  return ok(secretBody(project, project.add(id, parsed.data.labels, parsed.data.replication)));
}

const pageSizeMax = 25_000;

/** A filter `name:x` finds the names with x in any place; the pages are sorted by name. */
function list(project: Project, _id: string, { query }: Question): Answer {
  const [, part] = /^name:([\w-]+)$/.exec(query.get('filter') ?? 'name:projects') ?? [];
  if (part === undefined) return invalid('The filter is not valid.');
  const size = Math.min(Number(query.get('pageSize') ?? 0) || pageSizeMax, pageSizeMax);
  const from = query.get('pageToken') ?? '';
  const all = [...project.secrets.values()].filter(({ id }) => nameOf(project, id).includes(part) && id > from);
  const page = all.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, size);
  const next = page.length < all.length ? page.at(-1)?.id : undefined;
  return ok({
    ...(page.length > 0 && { secrets: page.map((secret) => secretBody(project, secret)) }),
    totalSize: project.secrets.size,
    ...(next !== undefined && { nextPageToken: next }),
  });
}

function get(project: Project, id: string): Answer {
  const secret = project.secrets.get(id);
  return secret === undefined ? absent(project, id) : ok(secretBody(project, secret));
}

function update(project: Project, id: string, { body, query }: Question): Answer {
  const secret = project.secrets.get(id);
  if (secret === undefined) return absent(project, id);
  const parsed = updateShape.safeParse(parseJson(body));
  const mask = (query.get('updateMask') ?? '').split(',');
  if (!parsed.success || !mask.every((path) => changeable.includes(path)))
    return invalid('The update mask, the labels or the replication policy are not valid.');
  const { data } = parsed;
  const wrong = labelsProblem(data.labels);
  if (wrong !== undefined) return invalid(wrong);
  const replication = mask.includes('replication') ? data.replication : secret.replication;
  if (replication === undefined || !isKeptWhere(replication, secret.replication))
    return invalid('The locations of the replication policy cannot be changed.');
  if (data.etag !== undefined && data.etag !== secret.etag) return otherEtag;
  if (mask.includes('labels')) secret.labels = data.labels;
  secret.replication = replication;
  secret.etag = newEtag();
  return ok(secretBody(project, secret));
}

function remove(project: Project, id: string, { query }: Question): Answer {
  const secret = project.secrets.get(id);
  if (secret === undefined) return absent(project, id);
  if ((query.get('etag') ?? secret.etag) !== secret.etag) return otherEtag;
  project.secrets.delete(id);
  return ok({});
}

const otherEtag = problem('FAILED_PRECONDITION', 'The etag provided does not match the current etag.');

function add(project: Project, id: string, { body }: Question): Answer {
  const secret = project.secrets.get(id);
  if (secret === undefined) return absent(project, id);
  const parsed = addShape.safeParse(parseJson(body));
  if (!parsed.success || parsed.data.payload.data === '') return invalid('Field [payload] is required.');
  const { data, dataCrc32c } = parsed.data.payload;
  const value = Buffer.from(data, 'base64');
  if (value.length > payloadBytesMax) return invalid('The payload exceeds the maximum size of 65536 bytes.');
  if (dataCrc32c !== undefined && Number(dataCrc32c) !== crc32c(value)) return invalid('The checksum does not match.');
  return ok(versionBody(project, secret, addVersion(secret, value)));
}

const nameOf = (project: Project, id: string): string => `projects/${project.id}/secrets/${id}`;

export const absent = (project: Project, id: string): Answer => notFound(`Secret [${nameOf(project, id)}]`);

function secretBody(project: Project, { id, created, labels, etag, replication }: StoredSecret) {
  return { name: nameOf(project, id), createTime: created.toISOString(), labels, etag, replication };
}
