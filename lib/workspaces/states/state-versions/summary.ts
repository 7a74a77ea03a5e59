import { StringDecoder } from 'node:string_decoder';
import { inSlices } from '../../../core/concurrency/yielding.ts';
import { LongText } from '../../../core/json/long-text.ts';
import { JsonProblem } from '../../../core/json/problem.ts';
import { type JsonPlace, JsonReader } from '../../../core/json/reader.ts';
import { isJsonObject, type Json } from '../../../core/json.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import { ResourceCounter, type ResourceCounts } from './counts.ts';

/** What of a state is kept beside its file. */
export interface StateSummary {
  readonly engineVersion: string | null;
  /** Of its format: 4. */
  readonly format: number | null;
  readonly counts: ResourceCounts;
  readonly outputs: readonly Output[];
}

export interface Output {
  readonly name: string;
  readonly sensitive: boolean;
  readonly type: Json;
  readonly value: Json;
}

const sliceCharacters = 32_768;
/** Longer texts of outputs stay bytes. */
const wholeMax = 4_096;
const bounds = { levelsMax: 500, membersMax: 50_000_000, textCharactersMax: 16 * 1024 * 1024 };
/** Members of the outputs and characters of their texts together. Of a state with more no outputs are shown. */
const outputMembersMax = 100_000;
const outputCharactersMax = 4 * 1024 * 1024;

/** Containers around a resource: the state and its list of resources. Around what stands in a resource there is one more. */
const resourceDepth = 2;
/** What is read of a state, and of a resource in it beside its instances. */
const ofState = new Set(['version', 'terraform_version']);
const ofResource = new Set(['mode', 'type', 'name', 'module', 'provider']);

/**
 * Reads a state while it passes, in slices. Resources are counted when they have come and not kept, and of what is in one only the number
 * of its instances is looked at: the memory it takes does not grow with the state.
 */
export class SummaryReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #reader = new JsonReader({
    ...bounds,
    wholeMax,
    keep: (value, place) => this.#keep(value, place),
    isPassedOver: (place) => this.#isPassedOver(place),
  });
  readonly #counter = new ResourceCounter();
  #outputMembers = 0;
  #outputCharacters = 0;

  /** @throws ApiError 422 for what is no JSON */
  async take(piece: Buffer): Promise<void> {
    const text = this.#decoder.write(piece);
    let at = 0;
    await inSlices(() => {
      reading(() => this.#reader.read(text.slice(at, at + sliceCharacters)));
      at += sliceCharacters;
      return at >= text.length;
    });
  }

  /** @throws ApiError 422 for what is no JSON object */
  end(): StateSummary {
    const state = reading(() => {
      const rest = this.#decoder.end();
      if (rest !== '') this.#reader.read(rest);
      return this.#reader.end();
    });
    if (!isJsonObject(state)) throw unprocessable('the state has to be a JSON object');
    const { terraform_version: version, version: format } = state;
    return {
      engineVersion: typeof version === 'string' ? version.slice(0, 64) : null,
      format: typeof format === 'number' && Number.isSafeInteger(format) ? format : null,
      counts: this.#counter.counts(),
      outputs: this.#tooManyOutputs() ? [] : outputsOf(state['outputs']),
    };
  }

  #isPassedOver({ depth, member }: JsonPlace): boolean {
    if (depth === 0) return false;
    if (member === 'outputs') return this.#tooManyOutputs();
    return member !== 'resources' || depth > resourceDepth;
  }

  #keep(value: Json, place: JsonPlace): Json | undefined {
    const { depth, member, key, isPassedOver } = place;
    if (member === 'outputs') return this.#keepOutput(value, key);
    if (depth === 1) return ofState.has(key) ? value : undefined;
    if (depth === resourceDepth) {
      if (isJsonObject(value)) this.#counter.add(value);
      return undefined;
    }
    if (key === 'instances') return isPassedOver ? value : undefined;
    return ofResource.has(key) && typeof value === 'string' ? value : undefined;
  }

  #keepOutput(value: Json, key: string): Json | undefined {
    this.#outputMembers += 1;
    this.#outputCharacters += key.length;
    if (typeof value === 'string') this.#outputCharacters += value.length;
    if (value instanceof LongText) this.#outputCharacters += value.pieces.reduce((sum, { length }) => sum + length, 0);
    return this.#tooManyOutputs() ? undefined : value;
  }

  #tooManyOutputs(): boolean {
    return this.#outputMembers > outputMembersMax || this.#outputCharacters > outputCharactersMax;
  }
}

/** Of one state; more are not shown. */
const outputsMax = 5_000;

/** Outputs by their names, as they stand in a state and in what clients send beside it. */
export function outputsOf(outputs: Json | undefined): readonly Output[] {
  const found: Output[] = [];
  if (outputs === undefined || !isJsonObject(outputs)) return found;
  // Entries of an object with very many members would take long to make.
  for (const name in outputs) {
    const output = outputs[name];
    if (output === undefined || !isJsonObject(output)) continue;
    const { sensitive, type = null, value = null } = output;
    if (found.push({ name, sensitive: sensitive === true, type, value }) === outputsMax) break;
  }
  return found;
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonProblem) throw unprocessable(`the state is not valid JSON: ${error.message}`);
    throw error;
  }
}
