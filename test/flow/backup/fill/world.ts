import type { OpenService } from '#test/support/flow/open-service.ts';
import type { WorkspaceGround } from '#test/workspaces/support/ground.ts';

/** What fillings use: the whole service, and values that they pass to later fillings and to the tests. */
export interface World {
  readonly service: OpenService;
  readonly ground: WorkspaceGround;
  /** A folder that is deleted after the tests. */
  readonly folder: string;
  /** Values that a client keeps, by name: tokens, ids, addresses. */
  readonly kept: Map<string, string>;
}

/** Fills some tables of the schema, so that a backup has rows of each. */
export interface Filling {
  readonly tables: readonly string[];
  fill(world: World): Promise<void>;
}

/** A value that an earlier filling has kept. */
export function keptIn({ kept }: World, name: string): string {
  const value = kept.get(name);
  if (value === undefined) throw new Error(`no filling has kept ${name}`);
  return value;
}

/** Sends a request that has to succeed and returns its body. */
export async function done(
  { service }: World,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await service.ask(method, path, body, { headers });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

export const dataOf = (body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object(body['data']);
export const authOf = (body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object(body['auth']);
