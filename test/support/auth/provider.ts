import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpsServer, startHttps } from './https-server.ts';
import { type Issuer, newIssuer } from './tokens.ts';

/** Stands in for a provider of OpenID Connect: its discovery document, and its keys. */
export interface Provider extends HttpsServer {
  /** Who signs; more of them are keys that were rotated in. */
  readonly issuers: Issuer[];
  /** Paths that were asked for. */
  readonly calls: string[];
  /** Members of the discovery document that are otherwise. */
  document: object;
  /** Answers instead, as long as it is set. */
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
