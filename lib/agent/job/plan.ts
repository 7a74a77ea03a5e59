import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Outcome } from '../api/job.ts';
import { countsOfAssessment } from '../engine/assessment.ts';
import { initCommand, planCommand, planFile, schemaCommand, showCommand } from '../engine/commands.ts';
import { countsOfPlan } from '../engine/counts.ts';
import { redactedPlan } from '../engine/redact.ts';
import type { Ended } from '../run/process.ts';
import { type Prepared, prepare, type Stage } from './stage.ts';

const lockFile = '.terraform.lock.hcl';
const jsonBytesMax = 64 * 1024 * 1024;

/** Plans, and stores the plan for the apply. */
export async function plan(stage: Stage): Promise<Outcome | Ended> {
  const prepared = await prepare(stage);
  const initialised = await prepared.engine(initCommand());
  if (initialised.code !== 0) return initialised;
  const planned = await prepared.engine(planCommand(stage.material, prepared.variableFiles));
  if (planned.code !== 0 && planned.code !== 2) return planned;
  const isAssessment = stage.material['is-assessment'];
  const json = await jsonOf(prepared, showCommand());
  if (json !== undefined) {
    await stage.job.store('plan-json', new Uint8Array(json));
    const shown = redactedPlan(json, await jsonOf(prepared, schemaCommand()));
    if (shown !== undefined) await stage.job.store('plan-redacted', new Uint8Array(Buffer.from(shown)));
  }
  if (!isAssessment) await stage.job.store('plan-file', new Uint8Array(await packed(prepared.folder)));
  return {
    status: 'finished',
    'has-changes': planned.code === 2,
    ...(json === undefined ? {} : countsOfPlan(json)),
    ...(json === undefined || !isAssessment ? {} : countsOfAssessment(json)),
  };
}

/** The JSON that the engine prints. Undefined when it is too large, or the engine fails. */
async function jsonOf(prepared: Prepared, words: readonly string[]): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const { code } = await prepared.engine(words, async (piece) => {
    bytes += piece.length;
    if (bytes <= jsonBytesMax) pieces.push(piece);
  });
  return code === 0 && bytes <= jsonBytesMax ? Buffer.concat(pieces) : undefined;
}

/** The plan, and the versions of providers for which it was made. */
async function packed(folder: string): Promise<Buffer> {
  const hasLock = await access(join(folder, lockFile)).then(
    () => true,
    () => false,
  );
  const archive = join(folder, `${planFile}.tar.gz`);
  const files = hasLock ? [planFile, lockFile] : [planFile];
  await promisify(execFile)('tar', ['-czf', archive, '-C', folder, ...files], { env: { PATH: '/usr/bin:/bin' } });
  return readFile(archive);
}
