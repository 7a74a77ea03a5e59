import { crc32c } from '#core/digest/crc32c.ts';
import type { Answer, Question } from '../../frame/fake/rest.ts';
import { notFound, ok, problem } from './answer.ts';
import {
  findVersion,
  type Operation,
  type Project,
  replaceVersion,
  type StoredSecret,
  type Version,
} from './project.ts';
import { replicasOf } from './rules.ts';

type RunOnVersion = (project: Project, secret: StoredSecret, version: Version) => Answer;

export const versionOperations: Readonly<Record<string, Operation>> = {
  'GET all': { name: 'listVersions', writes: false, run: list },
  GET: { name: 'getVersion', writes: false, run: onVersion((...found) => ok(versionBody(...found))) },
  'GET :access': { name: 'access', writes: false, run: onVersion(access) },
  'POST :disable': { name: 'disable', writes: true, run: onVersion(disable) },
  'POST :destroy': { name: 'destroy', writes: true, run: onVersion(destroy) },
};

const pageSizeMax = 25_000;
/** The SDK asks for enums as numbers. */
const stateNumbers = { ENABLED: 1, DISABLED: 2, DESTROYED: 3 } as const;

function onVersion(run: RunOnVersion): Operation['run'] {
  return (project, id, { path }) => {
    const secret = project.secrets.get(id);
    const name = path[6]?.split(':')[0] ?? '';
    const version = secret === undefined ? undefined : findVersion(secret, name);
    if (secret !== undefined && version !== undefined) return run(project, secret, version);
    return notFound(`Secret [projects/${project.id}/secrets/${id}] not found or has no versions. It`);
  };
}

/** Newest first. */
function list(project: Project, id: string, { query }: Question): Answer {
  const secret = project.secrets.get(id);
  if (secret === undefined) return notFound(`Secret [projects/${project.id}/secrets/${id}]`);
  const state = /^state:(\w+)$/.exec(query.get('filter') ?? '')?.[1];
  const matching = secret.versions.filter((version) => state === undefined || version.state === state).reverse();
  const size = Math.min(pageSizeMax, Number(query.get('pageSize') ?? pageSizeMax));
  const from = Number(query.get('pageToken') ?? 0);
  const nextPageToken = from + size < matching.length ? String(from + size) : '';
  const versions = matching.slice(from, from + size).map((version) => versionBody(project, secret, version));
  return ok({ versions, nextPageToken, totalSize: matching.length });
}

function access(project: Project, secret: StoredSecret, version: Version): Answer {
  const { value } = version;
  const { name } = versionBody(project, secret, version);
  if (version.state !== 'ENABLED' || value === undefined) {
    return problem('FAILED_PRECONDITION', `Secret Version [${name}] is in ${version.state} state.`);
  }
  return ok({ name, payload: { data: value.toString('base64'), dataCrc32c: String(crc32c(value)) } });
}

function disable(project: Project, secret: StoredSecret, version: Version): Answer {
  if (version.state === 'DESTROYED') return problem('FAILED_PRECONDITION', 'The version is destroyed.');
  return ok(versionBody(project, secret, replaceVersion(secret, { ...version, state: 'DISABLED' })));
}

function destroy(project: Project, secret: StoredSecret, version: Version): Answer {
  if (version.state === 'DESTROYED') return problem('FAILED_PRECONDITION', 'The version is destroyed.');
  const destroyed = replaceVersion(secret, { ...version, state: 'DESTROYED', value: undefined });
  return ok(versionBody(project, secret, destroyed));
}

export function versionBody(project: Project, secret: StoredSecret, version: Version) {
  return {
    name: `projects/${project.id}/secrets/${secret.id}/versions/${version.number}`,
    createTime: version.created.toISOString(),
    state: stateNumbers[version.state],
    etag: `"${version.number}-${version.state}"`,
    replicationStatus: statusOf(version),
  };
}

/** The keys that encrypted the version: https://cloud.google.com/secret-manager/docs/reference/rest/v1/ReplicationStatus */
function statusOf({ replication }: Version) {
  const replicas = replicasOf(replication).map(({ location, key }) => ({
    location,
    ...(key !== undefined && { customerManagedEncryption: { kmsKeyVersionName: `${key}/cryptoKeyVersions/1` } }),
  }));
  if ('userManaged' in replication) return { userManaged: { replicas } };
  const { location, ...automatic } = replicas[0] ?? { location: 'global' };
  return { automatic };
}
