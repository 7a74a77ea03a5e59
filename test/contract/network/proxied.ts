import http from 'node:http';
import { text } from 'node:stream/consumers';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { Secret } from '#core/secret.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver, loadFake } from '#destinations/load.ts';
import { strictPolicy } from '../../support/network/policy.ts';
import { outsideWorker } from '../../support/outside-worker.ts';

/**
 * Runs in a separate process whose environment names a proxy: a put and a removal at the stand-in of each type. Prints as JSON which
 * of them succeeded, and whether a plain request of Node went through the proxy.
 */
const calm = new AbortController().signal;
const ways = ['destination', 'roleDestination', 'appDestination'];
const done: string[] = [];
for (const definition of definitions) {
  const fake = await (await loadFake(definition.type))();
  const openDriver = await loadDriver(definition.type);
  for (const way of ways) {
    const body: unknown = Reflect.get(fake, way);
    if (typeof body !== 'object' || body === null) continue;
    const known = Object.entries(body).filter(([name]) => name in definition.fields);
    const connection = Object.fromEntries(known.map(([name, value]) => [name, definition.fields[name]?.parse(value)]));
    const defaults = Object.entries(definition.fields).flatMap(([name, field]) => {
      const parsed = name in connection ? undefined : field.safeParse(undefined);
      return parsed?.success === true && parsed.data !== undefined ? [[name, parsed.data]] : [];
    });
    const pem = Reflect.get(body, 'tls_ca_cert');
    const driver = openDriver(
      { ...Object.fromEntries(defaults), ...connection },
      {
        network: { ...strictPolicy, disabled: true, caCertificates: typeof pem === 'string' ? pem : undefined },
        timeouts: { connectMs: 10_000, requestMs: 20_000 },
        clock: systemClock,
        log: silentLog,
        app: async () => appOf(fake, Reflect.get(body, 'endpoint')),
        ...outsideWorker,
      },
    );
    const name = definition.names.normalise(`proxied/${way}`);
    const mark = '0'.repeat(32);
    const tags = definition.tags?.builtIn(mark) ?? {};
    const value = new Secret('the value that goes straight');
    const item = {
      name,
      value,
      tags,
      staleTags: [],
      mode: 'adopt' as const,
      mark,
      intendedAt: new Date(),
      intent: mark,
      asRecorded: false,
      remoteVersion: null,
    };
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name, mark, remoteVersion, asRecorded: false }, calm);
    await driver.close();
    done.push(`${definition.type} ${way}`);
  }
  await fake.close();
}
const control = await new Promise((resolve) => {
  http.get('http://control.invalid/', (answer) => resolve(text(answer))).once('error', () => resolve('no proxy'));
});
process.stdout.write(JSON.stringify({ done, control }));

function appOf(fake: object, endpoint: unknown) {
  const app: unknown = Reflect.get(fake, 'app');
  if (typeof app !== 'object' || app === null) return undefined;
  const privateKey = new Secret(String(Reflect.get(app, 'private_key')));
  return { appId: Number(Reflect.get(app, 'app_id')), privateKey, addresses: { endpoint: String(endpoint) } };
}
