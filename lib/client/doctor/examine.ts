import { auditFindings, tokenFindings } from './access.ts';
import type { Finding } from './finding.ts';
import type { Installation } from './installation.ts';
import { ruleFindings } from './rules.ts';
import { serverFindings } from './server.ts';
import { syncFindings } from './sync.ts';
import { webhookFindings } from './webhooks.ts';

/** What is wrong with an installation, and what helps. What depends on a failed check is not examined. */
export async function examine(installation: Installation): Promise<readonly Finding[]> {
  const server = await serverFindings(installation);
  if (hasFailed(server)) return server;
  const token = await tokenFindings(installation);
  if (hasFailed(token)) return [...server, ...token];
  return [
    ...server,
    ...token,
    ...(await auditFindings(installation)),
    ...(await syncFindings(installation)),
    ...(await ruleFindings(installation)),
    ...(await webhookFindings(installation)),
  ];
}

const hasFailed = (findings: readonly Finding[]): boolean => findings.some(({ outcome }) => outcome === 'failed');

/** Whether nothing has to be done. What could not be checked does not count. */
export const isWell = (findings: readonly Finding[]): boolean =>
  findings.every(({ outcome }) => outcome === 'passed' || outcome === 'not checked');
