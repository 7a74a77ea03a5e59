import { readFile } from 'node:fs/promises';
import { browse } from '../support/auth/browser.ts';

/** `log-in <URL> <certificate>`: logs in at a provider as its user, and prints the address that the provider sends the browser to. */
const [, , start = '', certificate = ''] = process.argv;
const provider = { address: new URL(start).origin, certificate: await readFile(certificate, 'utf8') };
const { url } = await browse(provider, start);
process.stdout.write(`${url.href}\n`);
