import { z } from 'zod';
import { strangeAdvice } from '../../network/strange-answer.ts';
import { DestinationFailure } from '../contract.ts';
import type { Client } from './client.ts';
import type { Answer, Call } from './exchange.ts';
import { isSigned, refusal } from './failure.ts';
import type { Location } from './location.ts';
import { remoteNow } from './throttle.ts';

/** What the host tells of a secret. */
export interface SecretRecord {
  readonly createdAt: Date;
  /** As the host writes it; changes with each put, in steps of a second. */
  readonly updatedAt: string;
  /** How far the host's clock is ahead of ours, in milliseconds, less what the answer took. */
  readonly clockAheadMs: number;
}

/** The secrets of one location, by name. */
export interface Secrets {
  /** Undefined: 404, which is also the host's answer when the location is not there. */
  read(name: string, signal: AbortSignal): Promise<SecretRecord | undefined>;
  /** Resolves to whether there was one. */
  remove(name: string, signal: AbortSignal): Promise<boolean>;
}

export function openSecrets(client: Client, location: Location): Secrets {
  const callOn = (name: string, verb: 'GET' | 'DELETE', action: string): Call => ({
    route: `${verb} ${location.route}/{secret_name}`,
    parameters: { ...location.parameters, secret_name: name },
    action: `${action} secret ${name} of ${location.text}`,
    rights: location.rights,
  });
  async function read(name: string, signal: AbortSignal): Promise<SecretRecord | undefined> {
    const call = callOn(name, 'GET', 'look at');
    const answer = await client.call(call, signal);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw refusal(answer, call);
    return parseRecord(answer, call.action);
  }
  return {
    read,
    async remove(name, signal) {
      const call = callOn(name, 'DELETE', 'remove');
      const answer = await client.call(call, signal);
      if (answer.status === 404) return false;
      if (answer.status !== 204 || (!isSigned(answer) && (await read(name, signal)) !== undefined)) {
        throw refusal(answer, call);
      }
      return true;
    },
  };
}

const moment = z.iso.datetime({ offset: true });
const recordBody = z.object({ created_at: moment, updated_at: moment });

function parseRecord(answer: Answer, action: string): SecretRecord {
  const body = recordBody.safeParse(answer.data);
  if (!body.success)
    throw new DestinationFailure('unavailable', `cannot ${action}: this is no answer of the host: ${strangeAdvice}`);
  return {
    createdAt: new Date(body.data.created_at),
    updatedAt: body.data.updated_at,
    clockAheadMs: remoteNow(answer).getTime() - answer.receivedAt.getTime(),
  };
}
