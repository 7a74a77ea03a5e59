import { Readable } from 'node:stream';
import { Turns } from '#core/concurrency/turns.ts';
import type { Outgoing } from '../wire/exchange.ts';
import { mediaType } from './document.ts';

const space = Buffer.from(' ');
/** What stands for a reply without a body. */
const noData = JSON.stringify({ data: null });
/** Proxies that gather replies pass this one on as it comes. */
const headers = { 'x-accel-buffering': 'no' };

/**
 * Sends a byte of white space now and then while a reply is awaited, so that proxies leave the connection open. JSON permits white space in front of
 * a document.
 */
export class Padding {
  readonly #turns: Turns;

  /** `everyMs`: from one byte to the next. */
  constructor(everyMs: number) {
    this.#turns = new Turns(everyMs);
  }

  /**
   * The reply, which must not reject. It stays as it is if it comes before the first byte is due. A later one has the status 200: its document has
   * `errors` with the status, or `data`, which is null in place of a 204.
   */
  async around(reply: Promise<Outgoing>): Promise<Outgoing> {
    const due = Promise.withResolvers<undefined>();
    let turn = (): void => due.resolve(undefined);
    const leave = this.#turns.enter(() => turn());
    const early = await Promise.race([reply, due.promise]);
    if (early !== undefined) {
      leave();
      return early;
    }
    const body = new Readable({ read() {} });
    const send = (bytes: Buffer | string | null): void => {
      if (!body.destroyed) body.push(bytes);
    };
    turn = () => send(space);
    turn();
    body.once('close', leave);
    const work = reply.then((outgoing) => {
      leave();
      send(textOf(outgoing));
      send(null);
    });
    return { status: 200, contentType: mediaType, headers, body, work };
  }
}

const textOf = ({ body }: Outgoing): string => (typeof body === 'string' ? body : noData);
