import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpsServer, startHttps } from './https-server.ts';
import { type Issuer, inSeconds, newIssuer } from './tokens.ts';

/** What a provider received at its token endpoint. */
export interface Exchange {
  readonly form: URLSearchParams;
  readonly authorization: string;
}

/** A provider that answers as a test says. */
export interface ScriptedProvider extends HttpsServer {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly issuer: Issuer;
  readonly exchanges: Exchange[];
  /** Members that replace those of the discovery document. */
  document: object;
  /** Answers at the token endpoint. */
  token: (exchange: Exchange, response: ServerResponse) => unknown;
  /** The reply of the user info endpoint; undefined for an error. */
  userInfo: object | undefined;
  /** Claims of a good ID token for a nonce. */
  claims(nonce: string, changes?: object): Record<string, unknown>;
  /** Answers with tokens. */
  grant(response: ServerResponse, idToken: string): void;
}

export const accessToken = 'marker-of-the-access-token';

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const issuer = await newIssuer();
  const own = {
    clientId: 'keyferry',
    clientSecret: 'marker_of_the_client_secret',
    issuer,
    exchanges: [] as Exchange[],
  };
  const server = await startHttps((request, response) => void answer(scripted, request, response));
  const scripted: ScriptedProvider = Object.assign(server, own, {
    document: {},
    token: () => undefined,
    userInfo: undefined,
    claims: (nonce: string, changes: object = {}) => ({
      ...{ iss: server.address, aud: own.clientId, sub: 'ada', nonce, exp: inSeconds(300), iat: inSeconds(0) },
      ...changes,
    }),
    grant(response: ServerResponse, idToken: string) {
      asJson(response, { id_token: idToken, access_token: accessToken, token_type: 'Bearer' });
    },
  });
  return scripted;
}

async function answer(provider: ScriptedProvider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { address } = provider;
  if (request.url === '/token') {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const form = new URLSearchParams(Buffer.concat(pieces).toString());
    const exchange = { form, authorization: request.headers.authorization ?? '' };
    provider.exchanges.push(exchange);
    await provider.token(exchange, response);
  } else if (request.url === '/userinfo') {
    if (provider.userInfo === undefined) response.writeHead(500).end(request.headers.authorization);
    else asJson(response, provider.userInfo);
  } else if (request.url === '/keys') asJson(response, { keys: [provider.issuer.jwk] });
  else asJson(response, { ...documentOf(address), ...provider.document });
}

const documentOf = (address: string): object => ({
  issuer: address,
  jwks_uri: `${address}/keys`,
  authorization_endpoint: `${address}/authorize`,
  token_endpoint: `${address}/token`,
  userinfo_endpoint: `${address}/userinfo`,
});

const asJson = (response: ServerResponse, body: object) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
