import type pg from 'pg';
import type { DatabaseLogin, LoginKind } from '#core/settings/database/address.ts';
import { ConnectRefusal } from '../refusal.ts';

const boundMechanism = 'SCRAM-SHA-256-PLUS';

/**
 * Refuses login methods that are not allowed. The server chooses the method, so without this guard an impostor could ask for the
 * password in clear text, or for no password at all. The guard sees each message before the client does, and a connection that
 * it has destroyed sends nothing more.
 *
 * @returns a function that throws the refusal, if there was one; call it after connecting, since messages that arrived together
 * with the refused one may have opened the connection anyway
 */
export function guardLogin({ connection }: pg.Client, { allowed, channelBinding }: DatabaseLogin): () => void {
  let refusal: ConnectRefusal | undefined;
  let asked: LoginKind = 'none';
  let isBound = false;
  let isProven = false;
  const refuse = (text: string) => {
    refusal ??= new ConnectRefusal(text);
    connection.stream.destroy(refusal);
  };
  const ask = (kind: LoginKind) => {
    asked = kind;
    if (!allowed.has(kind)) refuse(`it asks for a login by ${kind}, which require_auth does not allow`);
    else if (channelBinding === 'require' && kind !== 'scram-sha-256') refuse(unbound);
  };
  connection.on('authenticationCleartextPassword', () => ask('password'));
  connection.on('authenticationMD5Password', () => ask('md5'));
  connection.on('authenticationSASL', ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    ask('scram-sha-256');
    isBound = mechanisms.includes(boundMechanism);
    if (channelBinding === 'require' && !isBound) refuse(unbound);
  });
  connection.on('authenticationSASLFinal', () => {
    isProven = true;
  });
  connection.on('authenticationOk', () => {
    if (asked === 'none') return ask('none');
    // A server that ends the exchange early has not proved that it knows the password.
    if (asked === 'scram-sha-256' && !isProven) refuse('it has not proved that it knows the password');
  });
  return () => {
    if (refusal !== undefined) throw refusal;
  };
}

const unbound = 'it does not bind the login to its certificate, as channel_binding=require demands';
