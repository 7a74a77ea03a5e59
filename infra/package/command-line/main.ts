import { stat } from 'node:fs/promises';
import { packProgram } from './pack.ts';

/** `npm run package:command-line`: the program `keyferry` as a package that needs nothing else. */
const { tarball, programBytes } = await packProgram();
const { size } = await stat(tarball);
process.stdout.write(`${tarball}: ${size} bytes, the program in it ${programBytes}\n`);
