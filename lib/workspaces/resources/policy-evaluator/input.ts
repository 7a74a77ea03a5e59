import { parseJson } from '#core/json/json.ts';
import { Mask } from '#core/log/mask.ts';
import { ApiError } from '#path/jsonapi/error.ts';
import type { Store } from '#store/store.ts';
import { blobPieces, endingOf } from '../state-blobs/read.ts';
import { effectiveVariables } from '../variables/effective.ts';
import { valueName } from '../variables/view.ts';
import { type RunFacts, runInput } from './material.ts';
import { sensitiveIn } from './sensitive.ts';

/** What policies are asked about, as JSON, and what hides its sensitive values in what they say. */
export interface PolicyInput {
  readonly json: Buffer;
  /** Undefined when the plan is too large to know its sensitive values: nothing that policies say is kept then. */
  readonly mask: ((text: string) => string) | undefined;
}

/** Why there is no input. */
export class NoInput extends Error {
  override readonly name = 'NoInput';
}

/** Larger plans are not evaluated, and of larger ones the findings are not kept. */
const planBytesMax = 64 * 1024 * 1024;
const maskedBytesMax = 16 * 1024 * 1024;

/** @throws NoInput without a plan in JSON, or with one that is too large or cannot be read */
export async function inputOf(store: Store, facts: RunFacts): Promise<PolicyInput> {
  const plan = await planOf(store, facts.plan_json_id);
  const json = Buffer.concat([
    Buffer.from('{"plan":'),
    plan,
    Buffer.from(`,"run":${JSON.stringify(runInput(facts))}}`),
  ]);
  return { json, mask: plan.length > maskedBytesMax ? undefined : await maskOf(store, facts, plan) };
}

async function planOf(store: Store, id: string | null): Promise<Buffer> {
  const none = () => new NoInput('The agent has stored no plan in JSON.');
  const ending = await endingOf(store, id).catch((error: unknown) => {
    throw error instanceof ApiError ? none() : error;
  });
  if (ending.bytes > planBytesMax) throw new NoInput(`The plan in JSON is larger than ${planBytesMax} bytes.`);
  const pieces: Buffer[] = [];
  for await (const piece of blobPieces(store, id ?? '', ending)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function maskOf(store: Store, facts: RunFacts, plan: Buffer): Promise<(text: string) => string> {
  const workspace = {
    id: facts.workspace_id,
    project_id: facts.project_id,
    organization_id: facts.organization_id,
  };
  const variables = (await effectiveVariables(store, workspace))
    .filter(({ sensitive }) => sensitive)
    .map(({ id, value }) => store.barrier.open(value, valueName(id)).toString());
  const mask = new Mask([...variables, ...sensitiveIn(parsedPlan(plan))]);
  return (text) => `${mask.take(text)}${mask.end()}`;
}

function parsedPlan(plan: Buffer) {
  try {
    return parseJson(plan.toString());
  } catch {
    throw new NoInput('The plan in JSON cannot be read.');
  }
}
