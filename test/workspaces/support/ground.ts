import { sql } from 'kysely';
import { namedLevels, type OrganizationFlag } from '#workspaces/access/levels.ts';
import { newId } from '#workspaces/frame/ids.ts';
import { hashOf, newTokenText } from '#workspaces/resources/authentication-tokens/text.ts';
import { type OpenService, serviceOf } from '../../support/flow/open-service.ts';
import { patience } from '../../support/measures/patience.ts';

/** One answer of the workspace service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The document; undefined without one. */
  readonly body: Document | undefined;
  /** `data` of a document about one resource. */
  readonly item: Item;
  /** `data` of a document with a list. */
  readonly items: readonly Item[];
  /** Empty without errors. */
  readonly errors: readonly { status: string; title: string; detail?: string; source?: { pointer: string } }[];
}

export interface Document {
  readonly data?: Item | readonly Item[] | null;
  readonly included?: readonly Item[];
  readonly links?: Readonly<Record<string, string | null>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly errors?: Answer['errors'];
}

export interface Item {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: Readonly<Record<string, { readonly data?: unknown; readonly links?: unknown }>>;
  readonly links: Readonly<Record<string, unknown>>;
}

/** Creates the rows that a test needs directly in the store, so that it uses only the part of the API that it tests. */
export interface WorkspaceGround {
  readonly service: OpenService;
  /** Sends a request. `path` is relative to `/api/v2`, or an absolute URL. Without a token the caller is the site administrator. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  organization(): Promise<{ readonly id: string; readonly name: string; readonly projectId: string }>;
  /** A member of an organization, with a token. */
  user(organizationId: string): Promise<{ readonly id: string; readonly token: string }>;
  team(
    organizationId: string,
    options?: {
      readonly flags?: readonly OrganizationFlag[];
      readonly owners?: boolean;
      readonly members?: readonly string[];
    },
  ): Promise<{ readonly id: string; readonly token: string }>;
  organizationToken(organizationId: string): Promise<string>;
  project(organizationId: string): Promise<string>;
  workspace(organizationId: string, projectId: string): Promise<{ readonly id: string; readonly name: string }>;
  /** Grants a team a named permission set on a workspace or a project. */
  grant(
    teamId: string,
    on: { readonly workspace: string } | { readonly project: string },
    access: keyof typeof namedLevels,
  ): Promise<void>;
}

const mediaType = 'application/vnd.api+json';

/** Call it at the top of a test file: it opens the whole service, without a rate limit, for the tests in the file. */
export function workspaceGround(changes: Readonly<Record<string, string>> = {}): WorkspaceGround {
  return groundOn(serviceOf([], { KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0', ...changes }));
}

/** The same for a service that the test has opened itself. */
export function groundOn(service: OpenService): WorkspaceGround {
  const run = async (query: ReturnType<typeof sql>) => void (await query.execute(service.store.db));
  const tokenOf = async (column: 'user_id' | 'team_id' | 'organization_id', owner: string) => {
    const text = newTokenText();
    await run(
      sql`insert into ws_tokens (id, hash, ${sql.raw(column)}) values (${newId('at')}, ${hashOf(service.store, text)}, ${owner})`,
    );
    return text.reveal();
  };
  return {
    service,
    async call(method, path, body, token = service.rootToken) {
      const url = path.startsWith('http') ? path : `${service.address}/api/v2${path}`;
      const answer = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': mediaType },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(patience.conditionMs),
      });
      const text = await answer.text();
      const isDocument = answer.headers.get('content-type')?.includes('json') === true && text !== '';
      return answerOf(answer, text, isDocument ? JSON.parse(text) : undefined);
    },
    async organization() {
      const [id, projectId] = [newId('org'), newId('prj')];
      const name = service.name('org');
      await service.store.transaction(async (tx) => {
        await sql`insert into ws_organizations (id, name, email, default_project_id) values (${id}, ${name}, 'a@b.test', ${projectId})`.execute(
          tx,
        );
        await sql`insert into ws_projects (id, organization_id, name) values (${projectId}, ${id}, 'Default Project')`.execute(
          tx,
        );
        await sql`insert into ws_teams (id, organization_id, name, owners) values (${newId('team')}, ${id}, 'owners', true)`.execute(
          tx,
        );
      });
      return { id, name, projectId };
    },
    async user(organizationId) {
      const id = newId('user');
      await run(sql`insert into ws_users (id, username, email) values (${id}, ${id}, ${`${id}@b.test`})`);
      await run(
        sql`insert into ws_memberships (id, organization_id, user_id, status) values (${newId('ou')}, ${organizationId}, ${id}, 'active')`,
      );
      return { id, token: await tokenOf('user_id', id) };
    },
    async team(organizationId, { flags = [], owners = false, members = [] } = {}) {
      const id = newId('team');
      const access = JSON.stringify(Object.fromEntries(flags.map((flag) => [flag, true])));
      await run(
        sql`insert into ws_teams (id, organization_id, name, owners, access) values (${id}, ${organizationId}, ${id}, ${owners}, ${access})`,
      );
      for (const member of members)
        await run(sql`insert into ws_team_members (team_id, user_id) values (${id}, ${member})`);
      return { id, token: await tokenOf('team_id', id) };
    },
    organizationToken: (organizationId) => tokenOf('organization_id', organizationId),
    async project(organizationId) {
      const id = newId('prj');
      await run(sql`insert into ws_projects (id, organization_id, name) values (${id}, ${organizationId}, ${id})`);
      return id;
    },
    async workspace(organizationId, projectId) {
      const id = newId('ws');
      await run(
        sql`insert into ws_workspaces (id, organization_id, project_id, name, engine_version) values (${id}, ${organizationId}, ${projectId}, ${id}, '1.11.4')`,
      );
      return { id, name: id };
    },
    async grant(teamId, on, access) {
      const { runs, variables, state_versions, locking, run_tasks, admin } = namedLevels[access];
      const [workspace, project] = 'workspace' in on ? [on.workspace, null] : [null, on.project];
      await run(sql`
        insert into ws_grants (id, team_id, workspace_id, project_id, access, runs, variables, state_versions, locking, run_tasks, admin)
        values (${newId('tws')}, ${teamId}, ${workspace}, ${project}, ${access}, ${runs}, ${variables}, ${state_versions}, ${locking}, ${run_tasks}, ${admin})`);
    },
  };
}

const noItem: Item = { id: '', type: '', attributes: {}, relationships: {}, links: {} };

function answerOf({ status, headers }: Response, text: string, body: Document | undefined): Answer {
  const data = body?.data ?? noItem;
  const [item, items] = Array.isArray(data) ? [noItem, data] : [data as Item, []];
  return { status, headers, text, body, item, items, errors: body?.errors ?? [] };
}

/** An unknown token. */
export const unknownToken = 'nobody';
