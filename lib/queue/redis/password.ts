import { readFileSync } from 'node:fs';

/** What ioredis reads of its options when it makes a connection. */
interface Login {
  password?: string | undefined;
}

/**
 * Makes ioredis read the file for each connection: passwords may live for minutes. A file that cannot be read is an empty
 * password, which the server refuses: ioredis does not survive a failure at this point.
 */
export function readPasswordEachTime(options: Login, file: string | undefined): void {
  if (file === undefined) return;
  Object.defineProperty(options, 'password', { configurable: true, enumerable: true, get: () => passwordIn(file) });
}

function passwordIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
