import { z } from 'zod';
import { rootNamespace } from '#core/namespace.ts';
import type { AnyReply } from '#path/contract/reply.ts';
import type { RequestContext, Verb } from '#path/contract/request.ts';
import type { Row } from '#path/contract/row.ts';

const mount = {
  id: '00000000-0000-0000-0000-000000000000',
  path: 'sys/',
  type: 'system',
  accessor: 'system_00000000',
  uuid: '00000000-0000-0000-0000-000000000000',
  description: '',
  options: null,
  config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
  local: false,
  sealWrap: false,
};

/** Calls an operation as the pipeline does: the fields read from what the client sent, then the handler. */
export async function call(
  rows: readonly Row[],
  verb: Verb,
  path: string,
  sent: Readonly<Record<string, unknown>> = {},
): Promise<AnyReply> {
  const operation = rows.find((row) => row.pattern === path)?.operations[verb];
  if (operation === undefined) throw new Error(`no row answers ${verb} ${path}`);
  const context: RequestContext = {
    requestId: 'test',
    caller: undefined,
    tokenSent: false,
    sudo: false,
    namespace: rootNamespace,
    connection: { remoteAddress: '', tls: false },
    mount,
    path,
    verb,
    vocabulary: 'canonical',
    headers: {},
    query: new URLSearchParams(),
    signal: new AbortController().signal,
    hold: () => {},
    warn: () => {},
    mustBeAllowed: async () => {},
    reaches: async () => true,
  };
  return operation.run(z.object(operation.fields).parse(sent), context);
}
