import { optionsOf } from '../show/options.ts';
import { openTerminal } from '../show/terminal.ts';
import { openStage, type Stage } from './stage.ts';
import { steps } from './steps.ts';

/** `npm run demo`: the main job, step by step, on this machine alone. `-- --keep` leaves everything running. */
const terminal = openTerminal();
const { keep } = optionsOf('demo', { keep: { type: 'boolean', default: false } });

let stage: Stage | undefined;
let signalled = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    signalled = true;
    if (stage !== undefined) void stage.close().then(() => process.exit(130));
    else terminal.line('interrupted: what is starting is ended first');
  });
}

try {
  stage = await openStage(terminal);
  if (signalled) {
    await stage.close();
    process.exit(130);
  }
  for (const [index, step] of steps.entries()) {
    terminal.line();
    terminal.line(terminal.styled('bold', `[${index + 1}/${steps.length}] ${step.title}`));
    await step.run(stage, terminal);
  }
  terminal.line();
  terminal.line(terminal.styled('green', 'All steps passed: every copy was created, updated and removed as expected.'));
  if (keep) await stayOpen(stage);
  await stage.close();
  process.exit(0);
} catch (error) {
  // What is open is closed by the signal, and ends the process.
  if (signalled && stage === undefined) process.exit(130);
  if (!signalled) {
    terminal.line(
      terminal.styled('red', `failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
    );
    await stage?.close();
    process.exit(1);
  }
}

async function stayOpen(open: Stage): Promise<void> {
  terminal.line();
  terminal.line(
    `Everything keeps running until Ctrl-C. Web page ${open.address}/ui/, address ${open.address}, root token ${open.rootToken}. Try:`,
  );
  terminal.line();
  for (const line of open.curlLines()) terminal.line(`  ${line}`);
  await new Promise(() => {});
}
