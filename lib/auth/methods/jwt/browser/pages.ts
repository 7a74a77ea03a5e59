import type { Unfinished } from '#auth/login/contract.ts';

/** Pages for the browser of a user. Nothing that was sent to this server is in them. */
const page = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>${title}</title></head>
<body><h1>${title}</h1><p>${text}</p></body>
</html>
`;

const reply = (title: string, text: string): Unfinished => ({
  reply: { text: { contentType: 'text/html; charset=utf-8', body: page(title, text) } },
});

export const loggedIn = reply('Login complete', 'You can close this window and go back to your client.');
export const received = reply('Login received', 'Your client completes the login. You can close this window.');
