import fastifyModule from 'fastify';
import http from 'node:http';
import autocannon from 'autocannon';
import { createServer } from './lib/http/server.ts';
import { sampleParts } from './test/http/sample.ts';
import { silentLog } from './lib/core/log.ts';
const which = process.argv[2];
const parts = sampleParts({ log: silentLog });
const gate = parts.gatekeeper;
const quiet = { authenticate: gate.authenticate.bind(gate), authorise: async () => true };
let port; 
const app = createServer({ ...parts, gatekeeper: quiet });
await app.inject({ method: 'PUT', url: '/v1/secret/a', headers: { 'x-vault-token': 'root' }, payload: '{"a":"b","c":"dddddddddddddddddddddddddd"}' });
let stop;
if (which === 'ours') { port = (await app.listen({ port: 0, host: '127.0.0.1' })).port; stop = () => app.close(0); }
else {
  const f = fastifyModule();
  const body = (await app.inject({ method: 'GET', url: '/v1/secret/a', headers: { 'x-vault-token': 'root' } })).json();
  f.get('/v1/*', async () => body);
  await f.listen({ port: 0, host: '127.0.0.1' }); port = f.server.address().port; stop = () => f.close();
}

import { spawn } from 'node:child_process';
const go = (n) => new Promise((r) => { const c = spawn('autocannon', ['-j','-c','20','-a',String(n),'-H','x-vault-token: root',`http://127.0.0.1:${port}/v1/secret/a`]); let o=''; c.stdout.on('data',d=>o+=d); c.on('close',()=>r(JSON.parse(o))); });
await go(15000);
const c0 = process.cpuUsage();
const r = await go(30000);
const c = process.cpuUsage(c0);
console.log(which, 'us cpu per request', ((c.user + c.system) / r['2xx']).toFixed(1), r['2xx']);
await stop(); process.exit();
