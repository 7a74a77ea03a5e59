import { yieldToOthers } from '#core/concurrency/yielding.ts';
import { type AppError, badRequest } from '#core/errors.ts';
import { isJsonObject, type Json } from '#core/json/json.ts';
import { LongText } from '#core/json/long-text.ts';
import { JsonReader } from '#core/json/reader.ts';
import { JsonProblem } from '#core/json/text.ts';
import { type Data, noData } from './fields.ts';
import { isForm, readForm, tooLongForm } from './media.ts';

const bounds = { levelsMax: 500, membersMax: 50_000 };
/** Characters that are parsed before the event loop gets a turn. */
const atOnceCharactersMax = 16_384;

/** Called with the number of members parsed so far. It may throw. */
export type Weigh = (members: number) => void;

/**
 * The members of a request's body. Everything except a form is parsed as JSON, whatever its content type; an empty body and
 * `null` are empty data.
 *
 * @throws AppError `bad-request`, whose text gives the position of the mistake and quotes nothing of the body
 */
export async function readBody(body: string, contentType: string | undefined, weigh: Weigh): Promise<Data> {
  const text = body.trimStart();
  if (text === '') return noData;
  if (isForm(text, contentType)) return readForm(text.trimEnd());
  const json = new JsonBody(text.length, weigh);
  for (let at = 0; at < text.length; at += atOnceCharactersMax) {
    if (at > 0) await yieldToOthers();
    json.take(text.slice(at, at + atOnceCharactersMax));
  }
  return json.data();
}

/** Parses a body that is too long to be read at once, from the pieces of its text. */
export class LargeBody {
  readonly #contentType: string | undefined;
  readonly #json: JsonBody;
  #begun = false;

  /** `wholeMax`: texts with more characters stay in pieces. */
  constructor(contentType: string | undefined, wholeMax: number, weigh: Weigh) {
    this.#contentType = contentType;
    this.#json = new JsonBody(wholeMax, weigh);
  }

  /** @throws AppError `bad-request`, and `too-large` for a form */
  take(piece: string): void {
    const text = this.#begun ? piece : piece.trimStart();
    if (text === '') return;
    if (!this.#begun && isForm(text, this.#contentType)) throw tooLongForm();
    this.#begun = true;
    this.#json.take(text);
  }

  /** @throws AppError `bad-request` */
  data(): Data {
    return this.#begun ? this.#json.data() : noData;
  }
}

class JsonBody {
  readonly #reader: JsonReader;
  readonly #weigh: Weigh;

  constructor(wholeMax: number, weigh: Weigh) {
    this.#reader = new JsonReader({ ...bounds, wholeMax });
    this.#weigh = weigh;
  }

  take(piece: string): void {
    decoding(() => this.#reader.read(piece));
    this.#weigh(this.#reader.members);
  }

  data(): Data {
    const json = decoding(() => this.#reader.end());
    if (json === null) return noData;
    if (!isJsonObject(json)) throw undecodable(`expected an object, got ${nameOf(json)}`);
    return json;
  }
}

function decoding<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonProblem) throw undecodable(error.message);
    throw error;
  }
}

const undecodable = (problem: string): AppError => badRequest(`failed to decode JSON input: ${problem}`);

function nameOf(json: Json): string {
  if (Array.isArray(json)) return 'an array';
  if (json instanceof LongText) return 'a string';
  return `a ${typeof json === 'object' ? 'number' : typeof json}`;
}
