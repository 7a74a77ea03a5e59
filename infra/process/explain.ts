import { AppError } from '#core/errors.ts';

/** One readable line with the reason why a process could not start; with the stack only for unforeseen errors. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AppError) return advised(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = listening(code, error);
  if (known !== undefined) return known;
  if (code !== '' || !mistakes.has(error.name)) return error.message;
  return error.stack ?? error.message;
}

/** Names of errors that the language throws: they are faults in our code, so their location is needed. */
const mistakes: ReadonlySet<string> = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);

function advised(error: AppError): string {
  if (error.kind !== 'unavailable') return error.message;
  return `${error.message}; check DATABASE_URL, then start again`;
}

function listening(code: string, error: Error): string | undefined {
  const port = 'port' in error ? `port ${String(error.port)}` : 'the port';
  const host = 'address' in error ? String(error.address) : 'this machine';
  if (code === 'EADDRINUSE')
    return `${port} of ${host} is in use: end the program that listens there, or set PORT to a free port`;
  if (code === 'EADDRNOTAVAIL')
    return `${host} is not an address of this machine: set KEYFERRY_HOST to one of its addresses`;
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen') {
    return `${port} of ${host} needs more rights to listen on: set PORT to 1024 or higher`;
  }
  return undefined;
}
