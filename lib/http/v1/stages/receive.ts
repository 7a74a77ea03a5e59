import { LargeBody, readBody, type Weigh } from '../../wire/body/data.ts';
import { type Data, queryFields } from '../../wire/body/fields.ts';
import { tooLarge } from '../../wire/body/reader.ts';
import { header, type Incoming } from '../../wire/exchange.ts';
import type { Exchange } from '../exchange.ts';
import type { V1Parts } from '../parts.ts';
import { bringsBody } from '../request/request.ts';

/** Bytes of a body that are read before the sender is known. */
const firstBytesMax = 65_536;
/** Limit for bodies that hold no secret. The server's own limit is for secrets. */
const plainBytesMax = 1_048_576;

/**
 * Longer texts of secrets stay in pieces of bytes, because they are only written. Bytes cost the garbage collector little, and a
 * character beyond Latin-1 does not double the size of all the others.
 */
const textCharactersMax = 4_096;

/**
 * Reads the data of a request with a small body, before the first stage. Returns false for a larger body, which `receiveLarge`
 * reads once its sender is known.
 *
 * @throws AppError 400, 413, 503
 */
export async function receiveSmall({ bodyLimitBytes }: V1Parts, exchange: Exchange): Promise<boolean> {
  const { asked, incoming } = exchange;
  if (!bringsBody(asked.verb)) {
    exchange.data = queryFields(asked.query);
    return true;
  }
  const { body } = incoming;
  mustFit(body, bodyLimitBytes);
  if (!(await body.first(Math.min(firstBytesMax, bodyLimitBytes)))) return false;
  exchange.data = await readBody(body.text(), header(incoming.headers, 'content-type'), weighing(body));
  return true;
}

/** @throws AppError 400, 413, 503 */
export async function receiveLarge({ bodyLimitBytes }: V1Parts, exchange: Exchange): Promise<void> {
  if (!isWanted(exchange)) return;
  const { incoming } = exchange;
  const bytesMax = Math.min(bytesMaxFor(exchange), bodyLimitBytes);
  mustFit(incoming.body, bytesMax);
  exchange.data = await largeDataOf(incoming, bytesMax, isForSecrets(exchange));
}

async function largeDataOf({ body, headers }: Incoming, bytesMax: number, forSecrets: boolean): Promise<Data> {
  const large = new LargeBody(
    header(headers, 'content-type'),
    forSecrets ? textCharactersMax : bytesMax,
    weighing(body),
  );
  await body.rest(bytesMax, (piece) => large.take(piece));
  return large.data();
}

const weighing =
  (body: Incoming['body']): Weigh =>
  (members) =>
    body.weigh(members);

function mustFit({ length = 0 }: Incoming['body'], bytesMax: number): void {
  if (length > bytesMax) throw tooLarge(bytesMax);
}

/** The answer to any other request does not depend on its body. */
const isWanted = ({ asked, target }: Exchange): boolean => !asked.help && target?.match?.operation !== undefined;

function bytesMaxFor(exchange: Exchange): number {
  if (exchange.caller === undefined) return firstBytesMax;
  return isForSecrets(exchange) ? Number.POSITIVE_INFINITY : plainBytesMax;
}

const isForSecrets = ({ target }: Exchange): boolean => target?.match?.operation?.marks.large === true;
