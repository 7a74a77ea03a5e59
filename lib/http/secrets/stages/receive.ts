import { LargeBody, readBody, type Weigh } from '../../wire/body/data.ts';
import { type Data, queryFields } from '../../wire/body/fields.ts';
import { tooLarge } from '../../wire/body/reader.ts';
import { header, type Incoming } from '../../wire/exchange.ts';
import type { HttpParts } from '../parts.ts';
import { bringsBody } from '../request/request.ts';
import type { Exchange } from './stages.ts';

/** So much of a body is read whoever sends it; more only when it is known who does. */
const firstBytesMax = 65_536;
/** What a body may have where no secret is written. The server's own limit is for secrets. */
const plainBytesMax = 1_048_576;

/**
 * Longer texts of secrets are not put together; they are only written. As bytes they are no burden for the garbage collector,
 * and a character beyond Latin-1 does not make two bytes of each of the others.
 */
const textCharactersMax = 4_096;

/**
 * Reads and understands the data of a request whose body is small, before anybody asks for anything. False: the body is
 * larger, and `receiveLarge` reads it when its sender is known.
 *
 * @throws AppError 400, 413, 503
 */
export async function receiveSmall({ bodyLimitBytes }: HttpParts, exchange: Exchange): Promise<boolean> {
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
export async function receiveLarge({ bodyLimitBytes }: HttpParts, exchange: Exchange): Promise<void> {
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

/** The answer to everything else is the same whatever the body holds. */
const isWanted = ({ asked, target }: Exchange): boolean => !asked.help && target?.match?.operation !== undefined;

function bytesMaxFor(exchange: Exchange): number {
  if (exchange.caller === undefined) return firstBytesMax;
  return isForSecrets(exchange) ? Number.POSITIVE_INFINITY : plainBytesMax;
}

const isForSecrets = ({ target }: Exchange): boolean => target?.match?.operation?.marks.large === true;
