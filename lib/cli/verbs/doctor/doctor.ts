import { rowsOf } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';
import { auditFindings, tokenFindings } from './access.ts';
import { serverFindings } from './server.ts';
import { syncFindings } from './sync.ts';

export const doctor: Verb = {
  name: 'doctor',
  summary: 'Show what is wrong with this installation, and what helps',
  examples: ['keyferry doctor || true'],
  async run(context) {
    const server = await serverFindings(context);
    const isUp = server.every(({ outcome }) => outcome !== 'failed');
    const token = isUp ? await tokenFindings(context) : [];
    const isKnown = isUp && token.every(({ outcome }) => outcome !== 'failed');
    const rest = isKnown ? [...(await auditFindings(context)), ...(await syncFindings(context))] : [];
    const findings = [...server, ...token, ...rest];
    const isWell = findings.every(({ outcome }) => outcome === 'passed' || outcome === 'not checked');
    const columns = { check: 'check', outcome: 'outcome', finding: 'finding', remedy: 'remedy' };
    return { ...rowsOf(columns, findings), exit: isWell ? 'done' : 'differences' };
  },
};
