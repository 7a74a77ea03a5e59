import type { Config } from '#core/config.ts';
import type { Service } from '#http/server/parts.ts';
import { withSession } from '#http/session/session.ts';
import { readPage } from './files.ts';
import { pageService } from './service.ts';

type Services = readonly [secrets: Service, workspaces: Service];

/** The services with the web page and its sessions, unless `KEYFERRY_UI` is off. */
export async function withPage(
  config: Pick<Config, 'KEYFERRY_UI'>,
  [secrets, workspaces]: Services,
): Promise<readonly [Service, ...Service[]]> {
  if (!config.KEYFERRY_UI) return [secrets, workspaces];
  return [
    withSession(secrets, (token) => ['x-service-token', token]),
    withSession(workspaces, (token) => ['authorization', `Bearer ${token}`]),
    pageService(await readPage(), secrets.refuse),
  ];
}
