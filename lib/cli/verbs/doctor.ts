import type { Client } from '#client/client.ts';
import { examine, isWell } from '#client/doctor/examine.ts';
import type { Installation } from '#client/doctor/installation.ts';
import { requestOf } from '#client/request.ts';
import { rowsOf } from '../output/result.ts';
import type { Verb } from '../verb.ts';

export const doctor: Verb = {
  name: 'doctor',
  summary: 'Show what is wrong with this installation, and what helps',
  examples: ['keyferry doctor || true'],
  async run({ client, clientWith, settings, host }) {
    const findings = await examine({
      address: settings.connection.address,
      version: host.version,
      hasToken: settings.connection.token !== undefined,
      look: lookWith(client),
      lookWithoutToken: lookWith(clientWith(undefined)),
    });
    const columns = { check: 'check', outcome: 'outcome', finding: 'finding', remedy: 'remedy' };
    return { ...rowsOf(columns, findings), exit: isWell(findings) ? 'done' : 'differences' };
  },
};

const lookWith =
  (client: Client): Installation['look'] =>
  async (operation, { parameters = {}, fields } = {}) =>
    (await client.ask(requestOf(operation, parameters, fields))).data;
