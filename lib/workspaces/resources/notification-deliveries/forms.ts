import type { NotificationSettings } from '../notification-configurations/fields.ts';
import { linesOf, titleOf } from './text.ts';

type Form = (payload: object) => object;

/** What each kind of receiver gets. Chat services show a title, the texts of the payload, and a link to the run if its address is known. */
const forms: Readonly<Record<Exclude<NotificationSettings['destination-type'], 'email'>, Form>> = {
  generic: (payload) => payload,
  slack: slackMessage,
  'microsoft-teams': teamsMessage,
};

/** The body of a message to a webhook. */
export const formOf = (type: keyof typeof forms, payload: object): object => forms[type](payload);

/** An incoming webhook. Texts of callers are escaped, so that they contain no mention and no link. */
function slackMessage(payload: object): object {
  const title = escaped(titleOf(payload));
  const link = linkOf(payload);
  const fields = linesOf(payload).map(([name, value]) => ({ title: name, value: escaped(value), short: true }));
  return { text: title, attachments: [{ fallback: title, title, ...(link && { title_link: link }), fields }] };
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A card for a workflow that posts to a channel. Text runs show texts of callers as they are, without markup. */
function teamsMessage(payload: object): object {
  const link = linkOf(payload);
  const line = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      line(titleOf(payload), { weight: 'bolder', size: 'large' }),
      ...linesOf(payload).map(([name, value]) => line(`${name}: ${value}`)),
    ],
    ...(link && { actions: [{ type: 'Action.OpenUrl', title: 'Show the run', url: link }] }),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

/** The address of the run; undefined for a path without an origin. */
function linkOf(payload: object): string | undefined {
  const url: unknown = 'run_url' in payload ? payload.run_url : undefined;
  return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}
