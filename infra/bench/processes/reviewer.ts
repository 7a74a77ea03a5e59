import https from 'node:https';
import { generate } from 'selfsigned';
import { z } from 'zod';
import { serveParent } from './parent.ts';

const name = 'localhost';

/** A stand-in for the API of an orchestrator. It answers that every token belongs to this one service account. */
await serveParent(z.object({ username: z.string(), uid: z.string() }), async (account) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
  const user = { ...account, groups: ['system:serviceaccounts'] };
  const answer = JSON.stringify({ kind: 'TokenReview', status: { authenticated: true, user } });
  const server = https.createServer({ cert, key }, (request, response) => {
    request.resume().once('end', () => response.writeHead(201, { 'content-type': 'application/json' }).end(answer));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    ready: { address: `https://${name}:${port}`, certificate: cert },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
});
