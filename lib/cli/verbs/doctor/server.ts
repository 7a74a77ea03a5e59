import { system } from '#client/operations/system.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { explained } from '../../command/explain.ts';
import type { Context } from '../../context.ts';
import { type Finding, failed, passed, unanswered, warning } from './finding.ts';

/** Tokens and codes of second factors depend on the time. */
const aheadSecondsMax = 60;

/** Whether the server can be reached, is unsealed, has the version of this program, and the same time. */
export async function serverFindings(context: Context): Promise<readonly Finding[]> {
  const { settings, host } = context;
  const client = context.clientWith(undefined);
  const { address } = settings.connection;
  let seal: Value | undefined;
  try {
    seal = (await client.call(system.sealStatus, {})).data;
  } catch (error) {
    const { message } = explained(error, 'doctor');
    return [failed('server', message, 'check KEYFERRY_ADDR, the network, and that the server runs')];
  }
  const reached = passed('server', `${address} answers`);
  if (memberOf(seal, 'initialized') !== true) return [reached, failed('seal', 'not initialised', 'keyferry init')];
  if (memberOf(seal, 'sealed') === true) return [reached, failed('seal', 'sealed', 'keyferry unseal')];
  const [theirs, own] = [textOf(seal, 'version'), host.version];
  return [
    reached,
    passed('seal', 'unsealed'),
    theirs === own
      ? passed('version', theirs)
      : warning('version', `the server is ${theirs}, this program ${own}`, 'use the program of the same release'),
    ...(await clockFindings(client)),
  ];
}

async function clockFindings(client: Context['client']): Promise<readonly Finding[]> {
  try {
    const { data } = await client.call(system.health, {});
    const ahead = Math.round(Number(textOf(data, 'server_time_utc')) - Date.now() / 1_000);
    if (Math.abs(ahead) <= aheadSecondsMax) return [passed('clock', 'as on this machine')];
    const finding = `${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine`;
    return [warning('clock', finding, 'synchronise both clocks, for example by NTP')];
  } catch (error) {
    return unanswered('clock', error);
  }
}
