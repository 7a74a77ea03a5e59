import { Mask } from '#core/log/mask.ts';
import type { Outcome } from '../api/job.ts';
import { countsOfAssessment } from '../engine/assessment.ts';
import { initCommand, planCommand, schemaCommand, showCommand } from '../engine/commands.ts';
import { countsOfPlan } from '../engine/counts.ts';
import { type Engine, engineFor } from '../engine/find.ts';
import { redactedPlan } from '../engine/redact.ts';
import type { Ended } from '../run/command.ts';
import { secretsOf } from '../run/inputs.ts';
import { packedPlan } from './packed.ts';
import { type Prepared, prepare, type Stage } from './stage.ts';

const jsonBytesMax = 64 * 1024 * 1024;

/** Plans, and stores the plan for the apply. */
export async function plan(stage: Stage): Promise<Outcome | Ended> {
  const { job, material, settings } = stage;
  const engine = engineFor(material['engine-version'], stage.engines, settings.engine);
  await stage.log.line(`Agent ${settings.name}, engine ${engine.version}: plan of ${job.runId}`);
  const prepared = await prepare(stage);
  const initialised = await prepared.run(engine, initCommand());
  if (initialised.code !== 0) return initialised;
  const planned = await prepared.run(engine, planCommand(material, prepared.variableFiles));
  if (planned.code !== 0 && planned.code !== 2) return planned;
  const isAssessment = material['is-assessment'];
  const json = await jsonOf(prepared, engine, showCommand());
  if (json !== undefined) {
    await job.store('plan-json', new Uint8Array(json));
    const secrets = new Mask(secretsOf(material, job.connection.token.reveal()));
    const shown = redactedPlan(json, await jsonOf(prepared, engine, schemaCommand()), secrets);
    if (shown !== undefined) await job.store('plan-redacted', new Uint8Array(Buffer.from(shown)));
  }
  if (!isAssessment) {
    const archive = await packedPlan(prepared.folder, prepared.writer, { engine, parent: settings.folder });
    await job.store('plan-file', new Uint8Array(archive));
  }
  return {
    status: 'finished',
    'has-changes': planned.code === 2,
    ...(json === undefined ? {} : countsOfPlan(json)),
    ...(json === undefined || !isAssessment ? {} : countsOfAssessment(json)),
  };
}

/** The JSON that the engine prints. Undefined when it is too large, or the engine fails. */
async function jsonOf(prepared: Prepared, engine: Engine, words: readonly string[]): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const { code } = await prepared.run(engine, words, async (piece) => {
    bytes += piece.length;
    if (bytes <= jsonBytesMax) pieces.push(piece);
  });
  return code === 0 && bytes <= jsonBytesMax ? Buffer.concat(pieces) : undefined;
}
