import type { Terminal } from '../show/terminal.ts';
import type { SecretId } from './copies.ts';
import type { Stage } from './stage.ts';

/** Creates a token that may write one KV v2 secret and see its sync status, and shows that other requests are refused. */
export async function showNarrowToken(stage: Stage, terminal: Terminal, secret: SecretId, data: object): Promise<void> {
  const [path, status] = [`${secret.mount}/data/${secret.secret_name}`, statusPath(secret)];
  const policy = [
    `path "${path}" { capabilities = ["create", "update"] }`,
    `path "${status}" { capabilities = ["read"] }`,
  ];
  await stage.api.write('sys/policies/acl/demo', { policy: policy.join('\n') });
  for (const line of policy) terminal.line(`  ${line}`);
  const token = await stage.api.token('auth/token/create', { policies: ['demo'], ttl: '5m' });
  const narrow = stage.api.as(token);

  const { version } = await narrow.write<{ version: number }>(path, { data });
  terminal.line(`  it writes version ${version}, and reads the sync status`);
  await narrow.read(status);
  const attempts = [
    ['read the secret', () => narrow.read(path)],
    ['write another secret', () => narrow.write(`${path}-other`, { data })],
    ['list the destinations', () => narrow.read('sys/sync/destinations?list=true')],
    ['extend its own policy', () => narrow.write('sys/policies/acl/demo', { policy: 'path "*" { policy = "sudo" }' })],
  ] as const;
  for (const [what, attempt] of attempts) terminal.line(`  it may not ${what}: ${await refusalOf(what, attempt)}`);
}

const statusPath = ({ mount, secret_name }: SecretId): string => `sys/sync/associations/${mount}/${secret_name}`;

/** @throws Error if the attempt succeeds, or fails in another way than by a refusal */
async function refusalOf(what: string, attempt: () => Promise<unknown>): Promise<string> {
  const text = await attempt().then(
    () => 'it succeeded',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (!text.includes(': 403 ')) throw new Error(`a token that may not ${what}: ${text}`);
  return text.replaceAll(/\\[nt]/g, ' ');
}
