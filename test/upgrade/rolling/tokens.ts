import type { Answer, Rotation } from './caller.ts';
import type { Play } from './secrets.ts';

/** Creates tokens, uses them at processes of both releases, and revokes them: then every process must refuse them. */
export async function playTokens({ call, tally, rootToken, isOver }: Play, rotation: Rotation): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    const made = await call('token', 'POST', '/v1/auth/token/create', {
      token: rootToken,
      body: { ttl: '10m', policies: ['default'] },
    });
    const { client_token: token } = made.body['auth'] as { readonly client_token: string };
    const kept = { note: `turn ${turn}` };
    await call('cubbyhole', 'POST', '/v1/cubbyhole/note', { token, body: kept });
    for (const address of rotation) {
      const { status, body } = await call('cubbyhole', 'GET', '/v1/cubbyhole/note', { token, address }).catch(left);
      if (status !== 0 && JSON.stringify(body['data']) !== JSON.stringify(kept)) {
        tally.violation(`the cubbyhole of a token is ${JSON.stringify(body)} (${status})`);
      }
    }
    await call('token', 'POST', '/v1/auth/token/revoke-self', { token });
    for (const address of rotation) {
      const { status } = await call('token', 'GET', '/v1/auth/token/lookup-self', { token, address }).catch(left);
      if (status !== 0 && status !== 403) tally.violation(`a revoked token was answered with ${status}`);
    }
  }
}

/** The process ended during the request. */
const left = (): Answer => ({ status: 0, body: {} });
