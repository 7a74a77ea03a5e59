import { findServer, installServer } from '#infra/local/redis/program.ts';

/** Installs Redis where it is missing, before suites run beside each other: apt does one thing at a time, and the others begin later. */
const program = findServer() ?? installServer();
process.stdout.write(`${program} is there\n`);
