import type { Answer } from '../../frame/fake/rest.ts';

/** The vault's error body: https://learn.microsoft.com/azure/key-vault/general/rest-error-codes */
export function problem(status: number, code: string, message: string, innerCode?: string): Answer {
  const inner = innerCode === undefined ? {} : { innererror: { code: innerCode } };
  return { status, body: { error: { code, message, ...inner } } };
}

export const badParameter = (message: string): Answer => problem(400, 'BadParameter', message);

export const notFound = (name: string): Answer =>
  problem(404, 'SecretNotFound', `A secret with (name/id) ${name} was not found in this key vault.`);
