import { inSlices } from '../../../../core/concurrency/yielding.ts';
import { AppError } from '../../../../core/errors.ts';
import { isLongJson, jsonPieces } from '../../../../core/json/write.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { jsonText } from '../../shared/sealing.ts';

const atOnceCharactersMax = 65_536;

/**
 * A patch may not make a secret that nobody could write at once: secrets would grow with each patch, beyond what can be read.
 *
 * @throws AppError `too-large`
 */
export async function mustNotBeTooLarge(data: JsonObject, bytesMax: number): Promise<void> {
  const bytes = isLongJson(data, atOnceCharactersMax) ? await bytesInTurns(data) : Buffer.byteLength(jsonText(data));
  if (bytes <= bytesMax) return;
  const rule = `a secret takes at most ${bytesMax} bytes`;
  throw new AppError('too-large', `the patched secret is too large: ${rule}; nothing was changed`);
}

async function bytesInTurns(data: JsonObject): Promise<number> {
  const pieces = jsonPieces(data);
  let bytes = 0;
  await inSlices(() => {
    const { value, done } = pieces.next();
    bytes += Buffer.byteLength(value ?? '');
    return done === true;
  });
  return bytes;
}
