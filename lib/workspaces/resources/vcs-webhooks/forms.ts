import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestContext } from '#path/jsonapi/row.ts';
import type { Announcement } from '../vcs-ingresses/announcement.ts';
import { bitbucketAnnouncements } from './bitbucket.ts';
import { githubAnnouncements } from './github.ts';
import { gitlabAnnouncements } from './gitlab.ts';

type Headers = RequestContext['headers'];

/** How webhooks of a kind of repository host are verified and read. */
export interface WebhookForm {
  isSigned(headers: Headers, body: Buffer, secret: string): boolean;
  /** The header with the kind of an event. */
  readonly event: string;
  read(event: string, payload: unknown): readonly Announcement[];
  /** Tells one delivery from another. It is part of what was signed where there is a signature, so that a copy is known. */
  deliveryOf(headers: Headers, body: Buffer): string;
}

const digestOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

export const forms: Readonly<Record<'github' | 'gitlab' | 'bitbucket', WebhookForm>> = {
  github: {
    isSigned: (headers, body, secret) => hasHmac(headers['x-hub-signature-256'], body, secret),
    event: 'x-github-event',
    read: githubAnnouncements,
    deliveryOf: (_headers, body) => digestOf(body),
  },
  bitbucket: {
    isSigned: (headers, body, secret) => hasHmac(headers['x-hub-signature'], body, secret),
    event: 'x-event-key',
    read: bitbucketAnnouncements,
    deliveryOf: (_headers, body) => digestOf(body),
  },
  gitlab: {
    isSigned: (headers, _body, secret) => isSame(textOf(headers['x-gitlab-token']), secret),
    event: 'x-gitlab-event',
    read: gitlabAnnouncements,
    deliveryOf: (headers, body) => digestOf(Buffer.concat([Buffer.from(textOf(headers['x-gitlab-event-uuid'])), body])),
  },
};

export const textOf = (header: Headers[string]): string => (typeof header === 'string' ? header : '');

const hasHmac = (header: Headers[string], body: Buffer, secret: string): boolean =>
  isSame(textOf(header), `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);

/** In constant time: hashes have the same length whatever was sent. */
function isSame(given: string, right: string): boolean {
  const [one, other] = [given, right].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
