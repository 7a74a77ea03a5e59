import { StringDecoder } from 'node:string_decoder';
import { yieldToOthers } from '../concurrency/yielding.ts';
import { type Json, parseJson } from '../json.ts';
import { JsonProblem } from './problem.ts';
import { JsonReader } from './reader.ts';

const unbounded = { levelsMax: Number.POSITIVE_INFINITY, membersMax: Number.POSITIVE_INFINITY };
/** Longer texts are only written again, and take less memory as bytes. */
const wholeMax = 4_096;
const sliceCharacters = 32_768;

/** Reads JSON of our own from its pieces in UTF-8, in slices, so that everything else goes on. */
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
    // Before half characters were refused they were stored; the plain parser takes them.
    return parseJson(Buffer.concat(pieces).toString());
  }
}
