import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { Secret } from '#core/secret.ts';

/** A request as `POST /agent-jobs/plan-x/log`, without the query. */
type Answer = (request: string, response: ServerResponse, body: string) => void;

/** A service that answers as a test says. */
export async function scriptedService(answer: Answer) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const path = (request.url ?? '').replace('/api/v2', '').split('?', 1)[0];
    requests.push(`${request.method} ${path}`);
    answer(requests.at(-1) ?? '', response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { requests, connection: { address: `http://127.0.0.1:${port}`, token: new Secret('t') } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

export const documentText = (id: string, attributes: object): string =>
  JSON.stringify({ data: { id, type: 'agent-jobs', attributes } });

/** What an agent gets for a job. */
export const materialText = documentText('plan-x', {
  'run-id': 'run-x',
  'workspace-id': 'ws-x',
  'workspace-name': 'w',
  'organization-name': 'o',
  'project-name': 'p',
  part: 'plan',
  'working-directory': null,
  'engine-version': 'latest',
  'structured-run-output-enabled': false,
  'is-destroy': false,
  refresh: true,
  'refresh-only': false,
  'allow-config-generation': false,
  'target-addrs': [],
  'replace-addrs': [],
  variables: [],
  'run-variables': [],
  'ssh-key': null,
  'state-download-url': null,
  'cancel-requested': false,
  'lease-seconds': 60,
});
