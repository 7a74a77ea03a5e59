import { AppError } from '../../lib/core/errors.ts';

/** One line for people on why a process could not start; with the stack only for what nobody foresaw. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AppError) return advised(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = listening(code, error);
  if (known !== undefined) return known;
  if (code !== '' || !mistakes.has(error.name)) return error.message;
  return error.stack ?? error.message;
}

/** Names of errors that the language throws: they are our own faults, so their location is what helps. */
const mistakes: ReadonlySet<string> = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);

function advised(error: AppError): string {
  if (error.kind !== 'unavailable') return error.message;
  return `${error.message}; see to DATABASE_URL, then start again`;
}

function listening(code: string, error: Error): string | undefined {
  const port = 'port' in error ? `port ${String(error.port)}` : 'the port';
  const host = 'address' in error ? String(error.address) : 'this machine';
  if (code === 'EADDRINUSE') return `${port} of ${host} is taken: end what listens there, or set PORT to a free one`;
  if (code === 'EADDRNOTAVAIL') return `${host} is no address of this machine: set KEYFERRY_HOST to one that is`;
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen') {
    return `${port} of ${host} may not be listened on without more rights: set PORT to one from 1024 on`;
  }
  return undefined;
}
