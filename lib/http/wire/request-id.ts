import { uuid } from '../../core/ids.ts';
import { type Headers, header } from './exchange.ts';

/** What may stand in logs and replies as it came. */
const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/;

/** The id that the client or a proxy gave the request, if it looks like one; else a new one. */
export function requestIdOf(headers: Headers): string {
  const given = header(headers, 'x-request-id') ?? header(headers, 'x-correlation-id');
  return given !== undefined && sane.test(given) ? given : uuid();
}
