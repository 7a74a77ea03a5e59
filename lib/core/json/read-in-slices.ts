import { StringDecoder } from 'node:string_decoder';
import { yieldToOthers } from '../concurrency/yielding.ts';
import { type Json, parseJson } from './json.ts';
import { JsonReader } from './reader.ts';
import { JsonProblem } from './text.ts';

const unbounded = { levelsMax: Number.POSITIVE_INFINITY, membersMax: Number.POSITIVE_INFINITY };
/** Longer texts are only copied to the output, and take less memory as bytes. */
const wholeMax = 4_096;
const sliceCharacters = 32_768;

/** Parses JSON that this service has written, from pieces in UTF-8 and in slices that leave time for other work. */
export async function readJsonInSlices(pieces: readonly Buffer[]): Promise<Json> {
  const reader = new JsonReader({ ...unbounded, wholeMax });
  const decoder = new StringDecoder('utf8');
  try {
    for (const piece of pieces) {
      const text = decoder.write(piece);
      for (let at = 0; at < text.length; at += sliceCharacters) {
        await yieldToOthers();
        reader.read(text.slice(at, at + sliceCharacters));
      }
    }
    return reader.end();
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    // Earlier releases stored lone surrogates, which the plain parser accepts.
    return parseJson(Buffer.concat(pieces).toString());
  }
}
