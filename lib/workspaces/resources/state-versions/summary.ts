import { StringDecoder } from 'node:string_decoder';
import { inSlices } from '#core/concurrency/yielding.ts';
import { isJsonObject, type Json } from '#core/json/json.ts';
import { LongText } from '#core/json/long-text.ts';
import { type JsonPlace, JsonReader } from '#core/json/reader.ts';
import { JsonProblem } from '#core/json/text.ts';
import { unprocessable } from '#path/jsonapi/error.ts';
import { ResourceCounter, type ResourceCounts } from '../workspace-resources/counts.ts';

/** The data of a state that is stored beside its file. */
export interface StateSummary {
  readonly engineVersion: string | null;
  /** Version of the file format, such as 4. */
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
/** Longer strings of outputs are kept as bytes. */
const wholeMax = 4_096;
const bounds = { levelsMax: 500, membersMax: 50_000_000, textCharactersMax: 16 * 1024 * 1024 };
/** Limits for the members and characters of all outputs. A state beyond them is stored without outputs. */
const outputMembersMax = 100_000;
const outputCharactersMax = 4 * 1024 * 1024;

/** Nesting depth of a resource: inside the state and its list of resources. Members of a resource are one level deeper. */
const resourceDepth = 2;
/** The members that are read of a state, and of a resource beside its instances. */
const ofState = new Set(['version', 'terraform_version']);
const ofResource = new Set(['mode', 'type', 'name', 'module', 'provider']);

/**
 * Reads a state in slices while it is streamed. Resources are counted and dropped, and only the number of their instances is read,
 * so that memory use does not grow with the state.
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

  /** @throws ApiError 422 for invalid JSON */
  async take(piece: Buffer): Promise<void> {
    const text = this.#decoder.write(piece);
    let at = 0;
    await inSlices(() => {
      reading(() => this.#reader.read(text.slice(at, at + sliceCharacters)));
      at += sliceCharacters;
      return at >= text.length;
    });
  }

  /** @throws ApiError 422 when the state is not a JSON object */
  end(): StateSummary {
    const state = reading(() => {
      const rest = this.#decoder.end();
      if (rest !== '') this.#reader.read(rest);
      return this.#reader.end();
    });
    if (!isJsonObject(state)) throw unprocessable('the state must be a JSON object');
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

/** Outputs stored of one state. */
const outputsMax = 5_000;

/** Outputs by name, in the form used in states and in requests. */
export function outputsOf(outputs: Json | undefined): readonly Output[] {
  const found: Output[] = [];
  if (outputs === undefined || !isJsonObject(outputs)) return found;
  // Object.entries would be slow for an object with very many members.
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
