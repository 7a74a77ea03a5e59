import type { Caller } from '../../path/row.ts';
import { LargeBody, readBody, type Weigh } from '../wire/body/data.ts';
import { type Data, fieldsOf, noData } from '../wire/body/fields.ts';
import { tooLarge } from '../wire/body/reader.ts';
import { header, type Incoming } from '../wire/exchange.ts';
import type { HttpParts } from './parts.ts';
import { type AskedHead, bringsBody } from './request.ts';
import type { Target } from './target.ts';

/** So much of a body is read whoever sends it; more only when it is known who does. */
const firstBytesMax = 65_536;
/** What a body may have where no secret is written. The server's own limit is for secrets. */
const plainBytesMax = 1_048_576;

/**
 * Longer texts of secrets are not put together; they are only written. As bytes they are no burden for the garbage collector,
 * and a character beyond Latin-1 does not make two bytes of each of the others.
 */
const textCharactersMax = 4_096;

/** Query parameters that speak to the server and are no fields. */
const reserved = new Set(['help', 'list', 'scan']);

/** Who asks, and for what, as it was found out before the body was read. */
export interface Admitted {
  readonly caller: Caller | undefined;
  readonly target: Target | undefined;
}

export interface Received {
  readonly data: Data;
  /** Undefined: nobody has looked yet. */
  readonly admitted: Admitted | undefined;
}

/**
 * The data of a request. A small body is read and understood before anybody asks for anything. The sender of a larger one is
 * looked up first: `admit` throws unless the request may go on.
 *
 * @throws AppError 400, 413, 503 and what `admit` throws
 */
export async function receive(
  { bodyLimitBytes }: HttpParts,
  incoming: Incoming,
  head: AskedHead,
  admit: () => Promise<Admitted>,
): Promise<Received> {
  if (!bringsBody(head.verb)) return { data: fieldsOf(head.query, reserved), admitted: undefined };
  const { body } = incoming;
  mustFit(body, bodyLimitBytes);
  const smallMax = Math.min(firstBytesMax, bodyLimitBytes);
  if (await body.first(smallMax)) {
    const data = await readBody(body.text(), header(incoming.headers, 'content-type'), weighing(body));
    return { data, admitted: undefined };
  }
  const admitted = await admit();
  if (!isWanted(head, admitted)) return { data: noData, admitted };
  const bytesMax = Math.min(bytesMaxFor(admitted), bodyLimitBytes);
  mustFit(body, bytesMax);
  return { data: await largeDataOf(incoming, bytesMax, isForSecrets(admitted)), admitted };
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
const isWanted = ({ help }: AskedHead, { target }: Admitted): boolean =>
  !help && target?.match?.operation !== undefined;

function bytesMaxFor({ caller, target }: Admitted): number {
  if (caller === undefined) return firstBytesMax;
  return isForSecrets({ caller, target }) ? Number.POSITIVE_INFINITY : plainBytesMax;
}

const isForSecrets = ({ target }: Admitted): boolean => target?.match?.operation?.marks.large === true;
