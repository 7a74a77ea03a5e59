import { runAgentProcess } from '../process/agent.ts';
import { endProcess } from '../process/end.ts';
import { explain } from '../process/explain.ts';

/** `npm run agent`: takes plans and applies of an agent pool, with the settings of the environment. */
try {
  await runAgentProcess({ environment: process.env });
  await endProcess(0);
} catch (error) {
  process.stderr.write(`keyferry: ${explain(error)}\n`);
  await endProcess(1);
}
