import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findEngines } from '#agent/engine/find.ts';
import type { WorkspaceGround } from '../workspaces/support/ground.ts';

const engines = await findEngines(undefined, { PATH: process.env['PATH'] });

/** The real engine of this machine; undefined where there is none. */
export const terraform = engines.find(({ program }) => program.endsWith('/terraform'));

/** A configuration without providers. */
const main = (organization: string, workspace: string) => `
  terraform {
    cloud {
      hostname     = "keys.test"
      organization = "${organization}"
      workspaces { name = "${workspace}" }
    }
  }
  variable "region" { type = string }
  resource "terraform_data" "one" { input = var.region }
  output "region" { value = terraform_data.one.output }
`;

interface Said {
  readonly code: number;
  readonly text: string;
}

interface Answered {
  readonly prompt: string;
  readonly answer: string;
}

/** A folder of a user with a `cloud` block, and the engine's command line in it. */
export async function cloudUser(
  ground: WorkspaceGround,
  { organization, workspace }: { readonly organization: { name: string }; readonly workspace: { name: string } },
  token: string,
) {
  const folder = await mkdtemp(join(tmpdir(), 'terraform-user-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const api = `${ground.service.address}/api/v2/`;
  await writeFile(join(folder, 'main.tf'), main(organization.name, workspace.name));
  await writeFile(
    join(folder, 'cli.tfrc'),
    `host "keys.test" { services = { "tfe.v2" = "${api}", "tfe.v2.1" = "${api}", "tfe.v2.2" = "${api}" } }
     credentials "keys.test" { token = "${token}" }`,
  );
  const environment = { PATH: '/usr/bin:/bin', HOME: folder, TF_CLI_CONFIG_FILE: join(folder, 'cli.tfrc') };
  /** Runs a command; the user answers each of the prompts in this order. */
  const sayWith = (answers: readonly Answered[], ...words: readonly string[]): Promise<Said> =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: environment, timeout: 120_000 };
      const child = execFile(terraform?.program ?? 'terraform', words, options, (error, out, errors) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: `${out}${errors}` });
      });
      const waiting = [...answers];
      let shown = '';
      child.stdout?.on('data', (piece) => {
        shown += piece;
        const [next] = waiting;
        if (next === undefined || !shown.includes(next.prompt)) return;
        shown = '';
        waiting.shift();
        child.stdin?.write(`${next.answer}\n`);
      });
      if (answers.length === 0) child.stdin?.end();
    });
  return { say: (...words: readonly string[]) => sayWith([], ...words), sayWith };
}
