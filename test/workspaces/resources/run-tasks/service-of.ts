import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ending } from '#test/support/services.ts';
import { documentOf } from '../../support/documents.ts';
import type { WorkspaceGround } from '../../support/ground.ts';

/** A request to the service of a task. */
export interface TaskRequest {
  readonly body: string;
  readonly signature: unknown;
  readonly payload: Readonly<Record<string, string>>;
}

/** The service of a task: it records its requests and answers with a status that a test may change. */
export async function taskService() {
  const answers = { status: 200 };
  const received: TaskRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString();
    received.push({ body, signature: request.headers['x-tfc-task-signature'], payload: JSON.parse(body) });
    response.writeHead(answers.status).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ending({ close: async () => void server.close() });
  return { answers, received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/task` };
}

interface Wanted {
  readonly stages: readonly string[];
  readonly level?: 'advisory' | 'mandatory';
}

/** Creates a task of an organization and adds it to a workspace. */
export async function addedTask(
  ground: WorkspaceGround,
  { organization, workspace }: { organization: { readonly name: string }; workspace: { readonly id: string } },
  { stages, level = 'mandatory' }: Wanted,
) {
  const service = await taskService();
  const attributes = { name: `scan-${service.url.replaceAll(/\D/g, '')}`, url: service.url, category: 'task' };
  const task = await ground.call(
    'POST',
    `/organizations/${organization.name}/tasks`,
    documentOf('tasks', { ...attributes, 'hmac-key': 'marker-key' }),
  );
  const added = await ground.call(
    'POST',
    `/workspaces/${workspace.id}/tasks`,
    documentOf(
      'workspace-tasks',
      { 'enforcement-level': level, stages },
      { task: { type: 'tasks', id: task.item.id } },
    ),
  );
  service.received.length = 0;
  /** Sends the due requests and returns the newest one. */
  const asked = async (): Promise<TaskRequest> => {
    await ground.service.notify();
    const request = service.received.at(-1);
    if (request === undefined) throw new Error('the service was not asked');
    return request;
  };
  /** What the service says, with the token of its request. */
  const say = ({ payload }: TaskRequest, sent: object) =>
    ground.call(
      'PATCH',
      payload['task_result_callback_url'] ?? '',
      documentOf('task-results', sent),
      payload['access_token'],
    );
  return { service, task, added, asked, say };
}
