import { StringDecoder } from 'node:string_decoder';
import { inSlices } from '../../../core/concurrency/yielding.ts';
import { LongText } from '../../../core/json/long-text.ts';
import { JsonProblem } from '../../../core/json/problem.ts';
import { JsonReader } from '../../../core/json/reader.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';

/** What of a state is kept beside its file. */
export interface StateSummary {
  readonly engineVersion: string | null;
  /** Of its format: 4. */
  readonly format: number | null;
  readonly resources: readonly ResourceSummary[];
  readonly outputs: readonly Output[];
}

export interface ResourceSummary {
  /** `data.` stands before the type of a data source. */
  readonly type: string;
  readonly name: string;
  readonly module: string;
  readonly provider: string;
  /** Instances. */
  readonly count: number;
  readonly managed: boolean;
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

/** Containers around an instance of a resource: the state, its resources, the resource, its instances. */
const instanceDepth = 4;

/**
 * Reads a state while it passes, in slices. Of what is in a resource only the number of its instances is kept, so that the memory it
 * takes does not grow with the values in the state.
 */
export class SummaryReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #reader = new JsonReader({ ...bounds, wholeMax, keep: (...value) => this.#keep(...value) });
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
      resources: objectsIn(state['resources']).map(resourceOf),
      outputs: this.#tooManyOutputs() ? [] : outputsOf(state['outputs']),
    };
  }

  #keep(value: Json, depth: number, member: string): Json {
    if (member === 'outputs') return this.#keepOutput(value);
    if (member !== 'resources') return depth === 1 && typeof value !== 'object' ? value : null;
    if (depth >= instanceDepth) return null;
    return value instanceof LongText ? null : value;
  }

  #keepOutput(value: Json): Json {
    this.#outputMembers += 1;
    if (typeof value === 'string') this.#outputCharacters += value.length;
    if (value instanceof LongText) this.#outputCharacters += value.pieces.reduce((sum, { length }) => sum + length, 0);
    return this.#tooManyOutputs() ? null : value;
  }

  #tooManyOutputs(): boolean {
    return this.#outputMembers > outputMembersMax || this.#outputCharacters > outputCharactersMax;
  }
}

/** Outputs by their names, as they stand in a state and in what clients send beside it. */
export function outputsOf(outputs: Json | undefined): readonly Output[] {
  if (outputs === undefined || !isJsonObject(outputs)) return [];
  return Object.entries(outputs).flatMap(([name, output]) =>
    isJsonObject(output)
      ? [
          {
            name,
            sensitive: output['sensitive'] === true,
            type: output['type'] ?? null,
            value: output['value'] ?? null,
          },
        ]
      : [],
  );
}

function resourceOf(resource: JsonObject): ResourceSummary {
  const managed = resource['mode'] !== 'data';
  const { instances } = resource;
  return {
    type: `${managed ? '' : 'data.'}${textOf(resource['type'])}`,
    name: textOf(resource['name']),
    module: textOf(resource['module'], 'root'),
    provider: textOf(resource['provider']),
    count: Array.isArray(instances) ? instances.length : 0,
    managed,
  };
}

const textOf = (value: Json | undefined, absent = ''): string => (typeof value === 'string' ? value : absent);

const objectsIn = (list: Json | undefined): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter((one: Json) => isJsonObject(one)) : [];

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonProblem) throw unprocessable(`the state is not valid JSON: ${error.message}`);
    throw error;
  }
}
