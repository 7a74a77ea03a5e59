import { explanationOf } from '../explanation.ts';
import { system } from '../operations/system.ts';
import { CallFailure } from '../wire/failure.ts';
import { memberOf, textOf, type Value } from '../wire/json.ts';
import { type Finding, failed, passed, unanswered, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Tokens and codes of second factors depend on the time. */
const aheadSecondsMax = 60;

/** Whether the server can be reached, is unsealed, has the version of the program, and the same time. */
export async function serverFindings(installation: Installation): Promise<readonly Finding[]> {
  const { address, lookWithoutToken } = installation;
  let seal: Value | undefined;
  try {
    seal = await lookWithoutToken(system.sealStatus);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    const { message } = explanationOf(error, 'doctor');
    return [failed('server', message, 'check KEYFERRY_ADDR, the network, and that the server runs')];
  }
  const reached = passed('server', `${address} answers`);
  if (memberOf(seal, 'initialized') !== true) return [reached, failed('seal', 'not initialised', 'keyferry init')];
  if (memberOf(seal, 'sealed') === true) return [reached, failed('seal', 'sealed', 'keyferry unseal')];
  const theirs = textOf(seal, 'version');
  const own = installation.version ?? theirs;
  return [
    reached,
    passed('seal', 'unsealed'),
    theirs === own
      ? passed('version', theirs)
      : warning('version', `the server is ${theirs}, this program ${own}`, 'use the program of the same release'),
    ...(await clockFindings(lookWithoutToken)),
  ];
}

async function clockFindings(look: Installation['look']): Promise<readonly Finding[]> {
  try {
    const data = await look(system.health);
    const ahead = Math.round(Number(textOf(data, 'server_time_utc')) - Date.now() / 1_000);
    if (Math.abs(ahead) <= aheadSecondsMax) return [passed('clock', 'as on this machine')];
    const finding = `${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine`;
    return [warning('clock', finding, 'synchronise both clocks, for example by NTP')];
  } catch (error) {
    return unanswered('clock', error);
  }
}
