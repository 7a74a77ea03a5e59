import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpsServer, startHttps } from './https-server.ts';
import { type Issuer, newIssuer } from './tokens.ts';

/** Stands in for an OpenID Connect provider: its discovery document and its keys. */
export interface Provider extends HttpsServer {
  /** The signing keys; further ones have been rotated in. */
  readonly issuers: Issuer[];
  /** The paths that were requested. */
  readonly calls: string[];
  /** Members that replace those of the discovery document. */
  document: object;
  /** While set, answers every request instead. */
  fault: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

export async function startProvider(): Promise<Provider> {
  const state = {
    issuers: [await newIssuer()],
    calls: [] as string[],
    document: {},
    fault: undefined as Provider['fault'],
  };
  const server = await startHttps((request, response) => {
    state.calls.push(request.url ?? '');
    if (state.fault !== undefined) return state.fault(request, response);
    const address = `https://${request.headers.host}`;
    const body = request.url?.endsWith('/openid-configuration')
      ? { issuer: address, jwks_uri: `${address}/keys`, ...state.document }
      : { keys: state.issuers.map(({ jwk }) => jwk) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return Object.assign(state, server);
}
