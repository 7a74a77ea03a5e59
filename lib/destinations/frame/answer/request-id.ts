import type { HeaderOf } from './retry-after.ts';

/** What may stand in a log as it came: ids of requests, and of the places that one went through. */
const sane = /^[\w.:/+=-]{1,128}$/;

/**
 * The id that a remote gave a request: its support finds the request by it.
 *
 * @param name of the header, such as `x-ms-request-id`
 */
export function requestIdOf(header: HeaderOf, name: string): string | undefined {
  const id = header(name);
  return typeof id === 'string' && sane.test(id) ? id : undefined;
}
